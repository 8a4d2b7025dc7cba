import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { mapLookups } from '../../options/lookups.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { openThread } from '../../platform/threads.ts';
import { Turns } from '../../platform/turns.ts';
import type { Catalog } from '../catalog.ts';
import type { Emit } from '../import-event.ts';
import { type ImportOptions, readOptions } from '../import-options.ts';
import { IntakeError } from '../read/intake-error.ts';
import type { StagedTotals } from './cut.ts';
import { lookupCopy } from './lookup-copies.ts';
import { checkRoom } from './room.ts';
import { inputRowsIn } from './rows-before.ts';
import type { StageThread, StagingNote, StagingProgress, StagingTask } from './stage-file.ts';
import { readingStalled, watchStandstill } from './stalled.ts';

/** Reads the inputs of imports into their ledgers: each once, a few at a time, people by turns. */
export interface Stagings {
  /** Reads an import's input when it is its turn. Does nothing if that is running already. */
  begin(id: string): void;
  /** Stops reading; resolves when it has stopped. An input that was read to its end has begun to be sent by then. */
  abort(id: string): Promise<void>;
  /** Stops all, and begins no more. */
  stop(): Promise<void>;
}

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

/** Reads a file into a ledger, as `stageFile` does. */
export type StageFile = (task: StagingTask, progress: (progress: StagingProgress) => void) => Promise<StagedTotals>;

export function createStagings(options: StagingOptions): Stagings {
  const { dir, catalog, progress, emit, stage: stageFile = stageInThread } = options;
  const waiting = new Turns<() => Promise<void>>();
  const places = new Map<string, number>();
  let running = 0;
  const underWay = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>();
  let stopped = false;

  const stage = async (id: string, signal: AbortSignal): Promise<void> => {
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
        await checkRoom(record.source, ledger);
        await stageFile(
          {
            source: record.source,
            name: record.file === '-' ? 'standard input' : record.file,
            ...stagingTask(readOptions(record), dir.folder(id), () => catalog.sameSourceBefore(id).map(dir.ledger)),
            ledger: unfinished,
            signal,
          },
          (made) => progress(id, made),
        );
        await completeStaged(unfinished, ledger);
      }
    } catch (error) {
      await discardStaged(unfinished);
      if (signal.aborted) return;
      if (!(error instanceof IntakeError)) throw error;
      return emit(id, { kind: 'unusable', error });
    }
    // A complete one is always begun: cancelling then applies to the import that has begun.
    await emit(id, { kind: 'read' });
  };

  const fill = (): void => {
    while (running < STAGINGS) {
      const begin = waiting.next((owner) => placesOf(owner) < MAX_STAGINGS_OF_ONE);
      if (begin === undefined) return;
      void begin();
    }
  };

  const placesOf = (owner: string): number => places.get(owner) ?? 0;

  /** Runs a task when a place is free. */
  const inLine = (owner: string, task: () => Promise<void>): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add(owner, async () => {
      running += 1;
      places.set(owner, placesOf(owner) + 1);
      const done = task();
      resolve(done);
      await done.catch(() => {});
      running -= 1;
      places.set(owner, placesOf(owner) - 1);
      if (placesOf(owner) === 0) places.delete(owner);
      fill();
    });
    fill();
    return promise;
  };

  const abort = async (id: string): Promise<void> => {
    const task = underWay.get(id);
    task?.abort.abort(new StagingStopped());
    await task?.ended;
  };

  return {
    begin: (id) => {
      if (stopped || underWay.has(id)) return;
      const controller = new AbortController();
      const ended = inLine(catalog.get(id).createdBy, () => stage(id, controller.signal))
        .catch((error: unknown) => emit(id, { kind: 'fault', code: 'READING_FAILED', error }))
        .finally(() => underWay.delete(id));
      underWay.set(id, { abort: controller, ended });
    },
    abort,
    stop: async () => {
      stopped = true;
      await Promise.all([...underWay.keys()].map(abort));
    },
  };
}

/**
 * Moves a staged import to its final path: from here on its batches may be dispatched. @throws when there is an import
 * already: one whose batches were dispatched must never be replaced by one that does not know them
 */
async function completeStaged(unfinished: string, path: string): Promise<void> {
  if (existsSync(path)) throw new Error(`${path} holds an import already; it is not replaced`);
  await rename(unfinished, path);
}

/** Deletes what an interrupted staging has left: nothing is sent from a file that is not complete. */
async function discardStaged(unfinished: string): Promise<void> {
  for (const ending of ['', '-wal', '-shm']) await rm(`${unfinished}${ending}`, { force: true });
}

/** The options of an import that staging needs. */
function stagingTask(
  options: ImportOptions,
  folder: string,
  ledgersBefore: () => readonly string[],
): Pick<StagingTask, 'options' | 'lookups' | 'trial' | 'create' | 'expectRows' | 'leastRows'> {
  const { first, only, create, expectRows, minRows } = options;
  return {
    options,
    lookups: mapLookups(options, (kept, lookup) => ({ path: lookupCopy(folder, lookup), ...kept })),
    ...(expectRows !== undefined && { expectRows }),
    ...(minRows !== undefined && { leastRows: { wanted: minRows, before: inputRowsIn(ledgersBefore()) } }),
    ...((create?.users || create?.groups) && { create }),
    ...((first !== undefined || only !== undefined) && { trial: { first, only } }),
  };
}

/** Reading was stopped from outside: the import is cancelled, or the process ends and will read again. */
class StagingStopped extends Error {}

/**
 * Stages a file in a thread of its own, so that reading and checking it does not block this one. Rejects with what
 * `stageFile` throws, with READING_STALLED when it stands still, or with the signal's reason, soon after it is aborted. A long SQL statement cannot be interrupted:
 * its thread ends after it, and what it writes until then goes to a file that is deleted.
 */
export async function stageInThread(
  { signal: cancelled, ...task }: StagingTask,
  progress: (progress: StagingProgress) => void,
): Promise<StagedTotals> {
  cancelled.throwIfAborted();
  const stalled = new AbortController();
  const signal = AbortSignal.any([cancelled, stalled.signal]);
  const watch = watchStandstill(() => stalled.abort(readingStalled(task.name)));
  const thread = openThread<StageThread>(import.meta.url, './stage-thread', {
    passesRows: true,
    errors: [IntakeError],
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
    return await thread.askOnce('stage', task, signal);
  } finally {
    watch.stop();
  }
}
