import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { option, words } from '../../errors/named-options.ts';
import type { CreateOptions } from '../../options/create-options.ts';
import type { TrialChoices } from '../../options/sending-options.ts';
import { counted, grouped } from '../../text/wording.ts';
import { type IntakeOptions, openIntake } from '../read/intake.ts';
import { IntakeError, shownPath } from '../read/intake-error.ts';
import { packError, type ThreadError } from '../read/thread-error.ts';
import { UNKNOWN_IDENTITIES } from '../unknown-identities.ts';
import type { StagedTotals } from './cut.ts';
import type { IdentitySource, OpenIdentities } from './identity-file.ts';
import { watchProfiles } from './profile-watch.ts';
import { startStaging } from './row-writer.ts';
import { trialOf } from './trial.ts';

/**
 * stage-import: reads a file into a new ledger, checks every row, and cuts the good ones into batches. Nothing is sent.
 *
 * Queue     none: it is done once, by the coordinator's process, in a thread (src/imports/stage/staging.ts)
 * Input     a file, how it is read, and the path of its new ledger
 * Output    the ledger, and its totals; IntakeError when the file cannot be used
 * Retries   none: the user has to correct a file that cannot be read; after a crash it is read from its start
 */
export interface StagingTask {
  readonly source: string;
  /** The input as the user named it, for messages. */
  readonly name: string;
  readonly options: Omit<IntakeOptions, 'signal' | 'identities' | 'onRead'>;
  /** For a shape that looks users up. */
  readonly identities?: IdentitySource;
  /** Which rows are sent first; absent: all. */
  readonly trial?: TrialChoices;
  /** What rows may create; absent: nothing. */
  readonly create?: CreateOptions;
  /** Rows that the file must have; absent: any number. */
  readonly expectRows?: number;
  /** Where to write; a half-written file of an earlier try is overwritten. */
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

/** The task of a thread that stages a file, and what it answers. */
export interface StagingThread {
  readonly stage: Omit<StagingTask, 'signal'>;
}
export type StagingReply =
  /** It does not stand still. */
  | 'moves'
  | { readonly progress: StagingProgress }
  | { readonly totals: StagedTotals }
  | { readonly error: ThreadError };

/** Reads all rows into a new ledger file. Throws IntakeError when the input cannot be used; the signal's reason when aborted. */
export async function stageFile(
  task: StagingTask,
  progress: (progress: StagingProgress) => void,
  onRead: () => void = () => {},
): Promise<StagedTotals> {
  const { options, identities: source, signal } = task;
  if (options.shape?.identities === undefined || source === undefined) {
    return stageWith(task, undefined, progress, onRead);
  }
  const { openIdentities } = await import('./identity-file.ts');
  const identities = await openIdentities(source, options.shape.identities, signal, onRead);
  try {
    const totals = await stageWith(task, identities, progress, onRead);
    await identities.writeUnknown(join(dirname(task.ledger), UNKNOWN_IDENTITIES));
    return totals;
  } finally {
    identities.close();
  }
}

async function stageWith(
  { source, name, options, ledger, trial, create, expectRows, signal }: StagingTask,
  identities: OpenIdentities | undefined,
  progress: (progress: StagingProgress) => void,
  onRead: () => void,
): Promise<StagedTotals> {
  const known = identities && { identities };
  const intake = await openIntake(
    { path: source, name },
    { ...options, scratch: dirname(ledger), signal, onRead, ...known },
  );
  const staging = startStaging(ledger);
  const profiles = create && watchProfiles(create);
  const marked = trial === undefined ? undefined : trialOf(trial);
  try {
    let rows = 0;
    for await (const chunk of intake.chunks()) {
      profiles?.see(chunk, intake.columns());
      staging.add(marked === undefined ? chunk : marked(chunk));
      rows += chunk.length;
      progress({ rows, bytes: intake.bytesRead(), cutting: false });
      // Else its rows would live until the next chunk has come, and V8 would copy all of them among what is old.
      chunk.length = 0;
    }
    if (expectRows !== undefined && intake.rowsRead() !== expectRows)
      throw otherCount(name, intake.rowsRead(), expectRows);
    progress({ rows, bytes: intake.bytesRead(), cutting: true });
    return staging.finish({
      format: intake.format,
      kind: intake.kind,
      notes: [...intake.notes(), ...(profiles?.notes() ?? [])],
      delimiter: intake.delimiter ?? '',
      columns: intake.columns(),
      recognised: intake.recognised as Record<string, string>,
      shaped: intake.shaped(),
      rowsRead: intake.rowsRead(),
      entries: rows,
    });
  } catch (error) {
    staging.abandon();
    throw error;
  }
}

function otherCount(name: string, rows: number, expected: number): IntakeError {
  return new IntakeError({
    code: 'ROW_COUNT',
    field: 'expectRows',
    what: `${shownPath(name)} has ${counted(rows, 'row')}, and ${grouped(expected)} were expected`,
    remedy: words`See whether the file is complete, or correct ${option('expectRows')}`,
    facts: { file: name, rows, expected },
  });
}

/** Time between two messages of progress, in ms: one for each chunk would keep both threads busy. */
const PROGRESS_MS = 50;
/** The same for the message that it moves. */
const MOVES_MS = 5_000;

/** What the thread does that staging.ts starts with this file; any message calls it off. */
async function stageInThread({ stage }: StagingThread): Promise<void> {
  const calledOff = new AbortController();
  parentPort?.once('message', () => calledOff.abort());
  const tell = (reply: StagingReply) => parentPort?.postMessage(reply);
  let told = 0;
  const progress = (made: StagingProgress) => {
    if (!made.cutting && performance.now() < told + PROGRESS_MS) return;
    told = performance.now();
    tell({ progress: made });
  };
  let moved = 0;
  const onRead = () => {
    if (performance.now() < moved + MOVES_MS) return;
    moved = performance.now();
    tell('moves');
  };
  // Who writes into a pipe may take their time.
  const isPipe = statSync(stage.source, { throwIfNoEntry: false })?.isFIFO() === true;
  const waiting = isPipe ? setInterval(onRead, MOVES_MS) : undefined;
  try {
    tell({ totals: await stageFile({ ...stage, signal: calledOff.signal }, progress, onRead) });
  } catch (error) {
    tell({ error: packError(error) });
  }
  clearInterval(waiting);
  parentPort?.close();
}

if (workerData?.stage !== undefined) await stageInThread(workerData);
