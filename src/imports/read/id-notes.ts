import { counted } from '../../text/wording.ts';
import type { InputRow } from './input-row.ts';
import { shown } from './intake-error.ts';
import type { IntakeNote } from './intake-note.ts';

const MONTH = 'jan|feb|mar|m[aä]r|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez';
/** Ids that are valid, and are probably none, by the code of their note. */
const SIGNS = {
  DATES_AS_IDS: {
    test: new RegExp(`^(?:\\d{1,2}-(?:${MONTH})|(?:${MONTH})-\\d{2})$`, 'i'),
    says: 'look like a date that a spreadsheet made of an id such as 1-2 or mar1: give the column the format Text, and fill it again',
  },
  MISSING_AS_IDS: {
    test: /^(?:null|none|nil|nan|undefined)$/i,
    says: 'look like what a program writes for a missing value: leave such rows out, or correct them',
  },
} as const;
const ANY = new RegExp(
  Object.values(SIGNS)
    .map(({ test }) => test.source)
    .join('|'),
  'i',
);
/** No longer text is one of them. */
const LONGEST = 9;
/** Rows that a note names. */
const MAX_NAMED = 5;

/** Ids that probably are none. A note names them, and nothing else is done about them: they may be ids. */
export class IdNotes {
  readonly #found = {
    DATES_AS_IDS: { count: 0, named: [] as string[] },
    MISSING_AS_IDS: { count: 0, named: [] as string[] },
  };

  see({ line, uid, guid, problems }: InputRow): void {
    if (problems.length > 0) return;
    if (uid.length <= LONGEST && ANY.test(uid)) this.#judge(uid, line);
    if (guid.length <= LONGEST && ANY.test(guid)) this.#judge(guid, line);
  }

  #judge(id: string, line: number): void {
    for (const code of ['DATES_AS_IDS', 'MISSING_AS_IDS'] as const) {
      if (!SIGNS[code].test.test(id)) continue;
      const found = this.#found[code];
      found.count += 1;
      if (found.named.length < MAX_NAMED) found.named.push(`${shown(id)} in row ${line}`);
    }
  }

  notes(): IntakeNote[] {
    return (['DATES_AS_IDS', 'MISSING_AS_IDS'] as const).flatMap((code) => {
      const { count, named } = this.#found[code];
      if (count === 0) return [];
      const more = count > named.length ? ` and ${count - named.length} more` : '';
      return [{ code, text: `${counted(count, 'id')} (${named.join(', ')}${more}) ${SIGNS[code].says}` }];
    });
  }
}
