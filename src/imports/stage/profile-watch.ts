import type { CreateOptions } from '../../options/create-options.ts';
import { counted } from '../../text/wording.ts';
import type { IntakeNote } from '../read/intake-note.ts';
import { cellsOf, groupProfile, nameObstacle, profileColumns, userProfile } from '../record/profile.ts';
import type { StagedRow } from './staged-row.ts';

export interface ProfileWatch {
  see(rows: readonly StagedRow[], columns: readonly string[]): void;
  notes(): readonly IntakeNote[];
}

/** Counts the rows whose values the service would refuse for a new user or group: who exists already needs none of them. */
export function watchProfiles(options: CreateOptions): ProfileWatch {
  let rows = 0;
  let example = '';
  const unfit = (row: StagedRow, columns: readonly string[], places: ReturnType<typeof profileColumns>) => {
    const cells = cellsOf(row.original, columns, places);
    const profiles = [
      options.users && userProfile(row.uid, cells, options),
      options.groups && groupProfile(row.guid, cells, options),
    ];
    return profiles.flatMap((one) => (one && 'code' in one && one.code !== 'NO_NAME' ? [one.message] : []));
  };
  return {
    see: (chunk, columns) => {
      // An import without names is refused later, with what to do.
      if (nameObstacle(columns, options) !== undefined) return;
      const places = profileColumns(columns, options.columns);
      for (const row of chunk) {
        if (row.original === '') continue;
        const messages = unfit(row, columns, places);
        if (messages.length === 0) continue;
        rows += 1;
        example ||= `row ${row.line}: ${messages.join('; ')}`;
      }
    },
    notes: () => {
      if (rows === 0) return [];
      const text = `${counted(rows, 'row')} cannot become a new user or group, such as ${example}. Rows whose user and group exist already are sent`;
      return [{ code: 'FIELD_LIMIT', text }];
    },
  };
}
