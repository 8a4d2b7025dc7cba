import { dirname } from 'node:path';
import { option, words } from '../../errors/named-options.ts';
import type { CreateOptions } from '../../options/create-options.ts';
import type { ByLookup } from '../../options/lookups.ts';
import type { TrialChoices } from '../../options/sending-options.ts';
import { counted } from '../../text/wording.ts';
import type { ImportOptions } from '../import-options.ts';
import type { InputRow } from '../read/input-row.ts';
import { openIntake } from '../read/intake.ts';
import { intakeError, listed, shownPath } from '../read/intake-error.ts';
import type { IntakeOptions } from '../read/intake-options.ts';
import type { IntakeNote } from '../read/notes.ts';
import { type Cells, cellsReader, groupProfile, nameObstacle, userProfile } from '../record/profile.ts';
import type { LookupSource } from './lookup-file.ts';
import { startStaging } from './row-writer.ts';
import { checkRows } from './rows-before.ts';

/**
 * stage-import: reads a file into a new ledger, checks every row, and cuts the good ones into batches. Nothing is sent.
 *
 * Queue     none: it is done once, by the coordinator's process, in a thread (src/imports/stage/staging.ts)
 * Input     a file, how it is read, and the path of its new ledger
 * Output    the ledger; IntakeError when the file cannot be used
 * Retries   none: the user has to correct a file that cannot be read; after a crash it is read from its start
 */
export interface StagingTask {
  readonly source: string;
  /** The input as the user named it, for messages. */
  readonly name: string;
  readonly options: Omit<IntakeOptions, 'signal' | 'lookups' | 'onRead'> &
    Partial<Pick<ImportOptions, 'create' | 'first' | 'only' | 'expectRows' | 'minRows'>>;
  /** For a shape that looks users or groups up. */
  readonly lookups?: ByLookup<LookupSource>;
  /** Rows of the file of the last run; undefined: there was none, or it does not matter. */
  readonly rowsBefore?: number | undefined;
  /** The path of the ledger; a half-written file of an earlier try is overwritten. */
  readonly ledger: string;
  /** Aborted when the import is cancelled or the process stops. */
  readonly signal: AbortSignal;
}

export interface StagingProgress {
  readonly rows: number;
  readonly bytes: number;
  /** Read to the end; duplicates are looked for and batches cut. */
  readonly cutting: boolean;
}

/** The thread that stages a file. It tells its progress, and between that `moves`: it does not stand still. */
export type StageThread = {
  stage: (task: Omit<StagingTask, 'signal'>, signal: AbortSignal) => Promise<void>;
};
export type StagingNote = 'moves' | StagingProgress;

/** Reads all rows into a new ledger file. Throws IntakeError when the input cannot be used; the signal's reason when aborted. */
export async function stageFile(
  { source, name, options, lookups: sources = {}, rowsBefore, ledger, signal }: StagingTask,
  progress: (progress: StagingProgress) => void,
  onRead: () => void = () => {},
): Promise<void> {
  // Lookups and trials are loaded for the imports alone that have them.
  using lookups =
    Object.keys(sources).length === 0
      ? undefined
      : await (await import('./lookup-file.ts')).openLookups(options.shape, sources, signal, onRead);
  const reading = { ...options, signal, onRead, lookups: lookups?.open };
  const intake = await openIntake({ path: source, name }, reading);
  const staging = startStaging(ledger, options.silent);
  const { create, first, only } = options;
  const profiles = create?.users || create?.groups ? watchProfiles(create) : undefined;
  try {
    let rows = 0;
    for await (const chunk of intake.chunks()) {
      profiles?.see(chunk, intake.columns());
      staging.add(chunk);
      rows += chunk.length;
      progress({ rows, bytes: intake.bytesRead(), cutting: false });
      // Else its rows would live until the next chunk has come, and V8 would copy all of them among what is old.
      chunk.length = 0;
    }
    const ofRows = checkRows(name, intake.rowsRead(), options, rowsBefore);
    progress({ rows, bytes: intake.bytesRead(), cutting: true });
    staging.finish({
      format: intake.format,
      kind: intake.kind,
      notes: [...intake.notes(), ...(profiles?.notes() ?? []), ...ofRows],
      delimiter: intake.delimiter ?? '',
      columns: intake.columns(),
      recognised: intake.recognised() as Record<string, string>,
      shaped: intake.shaped(),
      rowsRead: intake.rowsRead(),
      entries: rows,
    });
    if (first !== undefined || only !== undefined) {
      const { holdBack } = await import('./leave-out.ts');
      if (!holdBack(ledger, { first, only })) throw noneChosen(name, only ?? []);
    }
    await lookups?.writeUnknown(dirname(ledger));
  } catch (error) {
    staging.abandon();
    throw error;
  }
}

/** Sending nothing first would pass for a trial that went well. */
function noneChosen(name: string, only: NonNullable<TrialChoices['only']>) {
  const conditions = only
    .map(({ field, is }) => `${is.length === 1 ? field : `a ${field} among`} ${listed(is)}`)
    .join(' and ');
  return intakeError(
    'NO_ROWS',
    `no row of ${shownPath(name)} that can be sent has ${conditions}`,
    words`Give ids that the file has with ${option('only')}`,
    { option: 'only', file: name },
  );
}

/** Counts the rows whose values the service would refuse for a new user or group: who exists already needs none of them. */
function watchProfiles(options: CreateOptions) {
  let rows = 0;
  let example = '';
  const unfit = (row: InputRow, cells: Cells) => {
    const profiles = [
      options.users && userProfile(row.uid, cells, options),
      options.groups && groupProfile(row.guid, cells, options),
    ];
    return profiles.flatMap((one) => (one && 'code' in one && one.code !== 'NO_NAME' ? [one.message] : []));
  };
  return {
    see: (chunk: readonly InputRow[], columns: readonly string[]) => {
      // An import without names is refused later, with what to do.
      if (nameObstacle(columns, options) !== undefined) return;
      const read = cellsReader(columns, options);
      for (const row of chunk) {
        if (row.original === '') continue;
        const messages = unfit(row, read(row.original));
        if (messages.length === 0) continue;
        rows += 1;
        example ||= `row ${row.line}: ${messages.join('; ')}`;
      }
    },
    notes: (): readonly IntakeNote[] => {
      if (rows === 0) return [];
      const text = `${counted(rows, 'row')} cannot become a new user or group, such as ${example}. Rows whose user and group exist already are sent`;
      return [{ code: 'FIELD_LIMIT', text }];
    },
  };
}
