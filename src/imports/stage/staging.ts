import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { mapLookups } from '../../options/lookups.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { firstBytes, freeBytes, putInPlace } from '../../platform/files.ts';
import { openThread } from '../../platform/threads.ts';
import { Turns } from '../../platform/turns.ts';
import type { Catalog } from '../catalog.ts';
import type { Emit } from '../import-event.ts';
import { readOptions } from '../import-options.ts';
import { intakeError, isIntakeError, shownPath } from '../read/intake-error.ts';
import { lookupCopy } from './lookup-copies.ts';
import { inputRowsIn } from './rows-before.ts';
import type { StageThread, StagingNote, StagingProgress, StagingTask } from './stage-file.ts';

/** Inputs that are read at the same time: each takes a thread and some 30 MB. Several, so that a small one need not wait for a big one. */
const STAGINGS = 4;
/** Maximum number of stagings for one person: a place is left for the files of others. */
const MAX_STAGINGS_OF_ONE = STAGINGS - 1;

interface StagingOptions {
  readonly dir: DataDir;
  readonly catalog: Pick<Catalog, 'get' | 'attend' | 'sameSourceBefore'>;
  readonly progress: (id: string, progress: StagingProgress) => void;
  readonly emit: Emit;
  /** Default: in a thread of its own. */
  readonly stage?: StageFile | undefined;
}

export type StageFile = (task: StagingTask, progress: (progress: StagingProgress) => void) => Promise<void>;

/** Reads the inputs of imports into their ledgers: each once, a few at a time, people by turns. */
export class Stagings {
  readonly #options: StagingOptions;
  readonly #waiting = new Turns<() => Promise<void>>();
  /** Persons whose inputs are read now, each once for each input. */
  readonly #reading: string[] = [];
  readonly #underWay = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>();
  #stopped = false;

  constructor(options: StagingOptions) {
    this.#options = options;
  }

  /** Reads an import's input when it is its turn. Does nothing if that is running already. */
  begin(id: string) {
    if (this.#stopped || this.#underWay.has(id)) return;
    const { catalog, emit } = this.#options;
    const controller = new AbortController();
    const ended = this.#inLine(catalog.get(id).createdBy, () => this.#stage(id, controller.signal))
      .catch((error: unknown) => emit(id, { kind: 'fault', code: 'READING_FAILED', error }))
      .finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, { abort: controller, ended });
  }

  /** Stops reading; resolves when it has stopped. An input that was read to its end has begun to be sent by then. */
  async abort(id: string) {
    const task = this.#underWay.get(id);
    task?.abort.abort(new StagingStopped());
    await task?.ended;
  }

  /** Stops all, and begins no more. */
  async stop() {
    this.#stopped = true;
    await Promise.all([...this.#underWay.keys()].map((id) => this.abort(id)));
  }

  async #stage(id: string, signal: AbortSignal) {
    const { dir, catalog, progress, emit, stage: stageFile = stageInThread } = this.#options;
    // Cancelled or removed while it waited for its turn.
    if (signal.aborted || catalog.get(id).state !== 'staging') return;
    catalog.attend(id);
    const ledger = dir.ledger(id);
    // The ledger gets its name when it is complete, so that a half-written one is never used.
    const unfinished = `${ledger}.part`;
    try {
      // Completed by a process that died before it could report that: it is used as it is.
      if (!existsSync(ledger)) {
        await discardStaged(unfinished);
        const record = catalog.get(id);
        const { source, file } = record;
        await checkRoom(source, ledger);
        const options = readOptions(record);
        const task = {
          source,
          name: file === '-' ? 'standard input' : file,
          options,
          lookups: mapLookups(options, (kept, lookup) => ({ path: lookupCopy(dir.folder(id), lookup), ...kept })),
          rowsBefore: options.minRows && inputRowsIn(catalog.sameSourceBefore(id).map(dir.ledger)),
          ledger: unfinished,
          signal,
        };
        await stageFile(task, (made) => progress(id, made));
        await completeStaged(unfinished, ledger);
      }
    } catch (error) {
      await discardStaged(unfinished);
      if (signal.aborted) return;
      if (!isIntakeError(error)) throw error;
      return emit(id, { kind: 'unusable', error });
    }
    // A complete one is always begun: cancelling then applies to the import that has begun.
    await emit(id, { kind: 'read' });
  }

  /** Runs a task when a place is free. */
  #inLine(owner: string, task: () => Promise<void>) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(owner, async () => {
      this.#reading.push(owner);
      const done = task();
      resolve(done);
      await done.catch(() => {});
      this.#reading.splice(this.#reading.indexOf(owner), 1);
      this.#fill();
    });
    this.#fill();
    return promise;
  }

  #fill() {
    const placesOf = (owner: string) => this.#reading.filter((one) => one === owner).length;
    while (this.#reading.length < STAGINGS) {
      const begin = this.#waiting.next((owner) => placesOf(owner) < MAX_STAGINGS_OF_ONE);
      if (begin === undefined) return;
      void begin();
    }
  }
}

/**
 * Moves a staged import to its final path: from here on its batches may be dispatched. @throws when there is an import
 * already: one whose batches were dispatched must never be replaced by one that does not know them
 */
async function completeStaged(unfinished: string, path: string) {
  if (existsSync(path)) throw new Error(`${path} holds an import already; it is not replaced`);
  await putInPlace(unfinished, path);
}

/** Deletes what an interrupted staging has left: nothing is sent from a file that is not complete. */
async function discardStaged(unfinished: string) {
  for (const ending of ['', '-wal', '-shm']) await rm(`${unfinished}${ending}`, { force: true });
}

/** Reading was stopped from outside: the import is cancelled, or the process ends and will read again. */
class StagingStopped extends Error {}

/**
 * Stages a file in a thread of its own. Rejects with what `stageFile` throws, with READING_STALLED when it stands still, or with the
 * signal's reason, soon after it is aborted. A long SQL statement cannot be interrupted: its thread ends after it, and what it writes
 * until then goes to a file that is deleted.
 */
export async function stageInThread(
  { signal: cancelled, ...task }: StagingTask,
  progress: (progress: StagingProgress) => void,
): Promise<void> {
  cancelled.throwIfAborted();
  const stalled = new AbortController();
  const signal = AbortSignal.any([cancelled, stalled.signal]);
  const watch = watchStall(() => stalled.abort(readingStalled(task.name)));
  // A program that writes into a pipe may take its time. What is wrong with the source, reading it says.
  stat(task.source).then(
    (status) => status.isFIFO() && watch.stop(),
    () => {},
  );
  const thread = openThread<StageThread>(import.meta.url, './stage-thread', {
    passesRows: true,
    onNote: (given) => {
      if (signal.aborted) return;
      watch.moves();
      const note = given as StagingNote;
      if (note === 'moves') return;
      // The time of the next step grows with the rows, and the file is no longer read.
      if (note.cutting) watch.stop();
      progress(note);
    },
  });
  try {
    await thread.askOnce('stage', task, signal);
  } finally {
    watch.stop();
  }
}

/** Bytes that a row takes in ledger and reports, beside its own text (docs/scale.md). */
const ROW_BYTES = 250;
/** Copies of a row's text: in the ledger and in the report. */
const COPIES = 2;
/** The ledger's write-ahead log takes about as many while it is sent, and less for a small file. */
const JOURNAL_BYTES = 4 * 1024 * 1024;
/** Bytes from the beginning of a file that tell how long its rows are. */
const SAMPLE_BYTES = 64 * 1024;

/**
 * Refuses a file whose ledger and reports would fill the disk. @throws DISK_FULL
 * @param ledger its path, in a folder that is there
 */
async function checkRoom(source: string, ledger: string) {
  const needed = await neededBytes(source);
  const free = await freeBytes(dirname(ledger));
  if (needed > free) throw new RollcallError('DISK_FULL', { needed, free });
}

/** The bytes that an import of the file takes: rather too few, as what is compressed is not looked into. */
async function neededBytes(source: string) {
  const status = await stat(source).catch(() => undefined);
  // A pipe must be opened once only; what is wrong with anything else, reading it says.
  if (status?.isFile() !== true) return 0;
  const sample = await firstBytes(source, SAMPLE_BYTES).catch(() => undefined);
  if (sample === undefined) return 0;
  const lines = sample.includes(0) ? 0 : sample.toString('latin1').split('\n').length - 1;
  const rows = lines === 0 ? 0 : (status.size / sample.length) * lines;
  const kept = COPIES * status.size + rows * ROW_BYTES;
  return kept + Math.min(JOURNAL_BYTES, kept / 2);
}

/** Maximum time without progress in reading, in minutes. */
const MAX_MINUTES = 10;

/**
 * Calls `stalled` when nothing has moved for ten minutes. They are counted one by one: a machine that slept for hours has not
 * let anything stand still.
 */
function watchStall(stalled: () => void) {
  let minutes = 0;
  const timer = setInterval(() => {
    minutes += 1;
    if (minutes < MAX_MINUTES) return;
    clearInterval(timer);
    stalled();
  }, 60_000).unref();
  return {
    moves: () => {
      minutes = 0;
    },
    stop: () => clearInterval(timer),
  };
}

function readingStalled(name: string) {
  return intakeError(
    'READING_STALLED',
    `reading ${shownPath(name)} came to a standstill: neither a row nor a byte was read for ${MAX_MINUTES} minutes`,
    'Import it again; if it stops again, save it as CSV, or split it into smaller files',
    { file: name, minutes: MAX_MINUTES },
  );
}
