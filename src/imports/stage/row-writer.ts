import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { asError } from '../../errors/message-of.ts';
import { openForReading } from '../../platform/sqlite.ts';
import { PASSING_ROWS, startThread } from '../../platform/threads.ts';
import type { StagedTotals } from './cut.ts';
import { type PackedRows, packRows } from './packed-rows.ts';
import type { InputDescription, StagedRow } from './staged-row.ts';

export type StagingMessage = { kind: 'rows'; rows: PackedRows } | { kind: 'finish'; input: InputDescription };
type StagingReply = { kind: 'inserted' } | { kind: 'staged'; totals: StagedTotals };

/** Chunks on their way to the thread: enough to keep it busy, few enough to keep memory flat. */
const CHUNKS_AHEAD = 4;

/** Writes a new import file. Call `add` for every chunk of rows and `finish` once, or `abandon`. */
export interface Staging {
  /** Resolves when the next chunk may come. */
  add(rows: readonly StagedRow[]): Promise<void>;
  /** Finds duplicates and cuts batches. */
  finish(input: InputDescription): Promise<StagedTotals>;
  abandon(): Promise<void>;
}

/**
 * Gives a staged import its place: from here on batches may be dispatched from it. @throws when there is an import
 * already: one from which batches were dispatched must never be replaced by one that knows nothing of them
 */
export async function completeStaged(unfinished: string, path: string): Promise<void> {
  if (existsSync(path)) throw new Error(`${path} holds an import already; it is not replaced`);
  await rename(unfinished, path);
}

/** Deletes what an interrupted staging has left. @throws when batches were dispatched from it */
export async function discardStaged(path: string): Promise<void> {
  if (existsSync(path) && isDispatchedFrom(path)) {
    throw new Error(`batches of ${path} were dispatched; it is not deleted`);
  }
  for (const ending of ['', '-wal', '-shm']) await rm(`${path}${ending}`, { force: true });
}

function isDispatchedFrom(path: string): boolean {
  try {
    const database = openForReading(path);
    try {
      return (
        database.prepare('select 1 from batches where state <> 0 or dispatched_at is not null').get() !== undefined
      );
    } finally {
      database.close();
    }
  } catch {
    // Half-written: no batch can have been read from it.
    return false;
  }
}

/** Starts staging into the file at `path`, which must not hold an import yet. */
export function startStaging(path: string): Staging {
  const thread = startThread(import.meta.url, './row-writer-thread', {
    workerData: { path },
    resourceLimits: PASSING_ROWS,
  });
  let failure: Error | undefined;
  let underWay = 0;
  let totals: StagedTotals | undefined;
  let wake = () => {};

  thread.on('message', (reply: StagingReply) => {
    if (reply.kind === 'inserted') underWay -= 1;
    else totals = reply.totals;
    wake();
  });
  thread.on('error', (error) => {
    failure = asError(error);
    wake();
  });
  thread.on('exit', () => {
    failure ??= new Error('the thread that writes it has ended');
    wake();
  });

  /** Replies may come several at a time: a waiter looks at what they came to, and never at a single one. */
  const news = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const check = () => {
    if (failure !== undefined) throw new Error(`the ledger cannot be written: ${failure.message}`, { cause: failure });
  };

  return {
    add: async (rows) => {
      check();
      const packed = packRows(rows);
      thread.postMessage({ kind: 'rows', rows: packed } satisfies StagingMessage, [packed.numbers.buffer]);
      underWay += 1;
      while (underWay >= CHUNKS_AHEAD) {
        await news();
        check();
      }
    },
    finish: async (input) => {
      check();
      thread.postMessage({ kind: 'finish', input } satisfies StagingMessage);
      for (;;) {
        if (totals !== undefined) return totals;
        check();
        await news();
      }
    },
    abandon: async () => {
      await thread.terminate();
    },
  };
}
