import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { asError } from '../../errors/message-of.ts';
import { openForReading } from '../../platform/sqlite.ts';
import { PASSING_ROWS, startThread } from '../../platform/threads.ts';
import { IMPORT_MIGRATIONS } from '../schemas.ts';
import type { StagedTotals } from './cut.ts';
import { type PackedRows, packRows } from './packed-rows.ts';
import { openRowWriting } from './row-writing.ts';
import type { InputDescription, StagedRow } from './staged-row.ts';

export type StagingMessage = { kind: 'rows'; rows: PackedRows } | { kind: 'finish'; input: InputDescription };
export type StagingReply = { kind: 'inserted' } | { kind: 'staged'; totals: StagedTotals };

/** Chunks on their way to the thread: enough to keep it busy, few enough to keep memory flat. */
const CHUNKS_AHEAD = 4;
/** Characters of rows that are written without a thread, at most: some thousand rows. */
const FEW = 256 * 1024;

/** Writes a new import file. Call `add` for every chunk of rows and `finish` once, or `abandon`. */
export interface Staging {
  /** Resolves when it can take the next chunk. */
  add(rows: readonly StagedRow[]): Promise<void>;
  /** Finds duplicates and cuts batches. */
  finish(input: InputDescription): Promise<StagedTotals>;
  abandon(): Promise<void>;
}

/**
 * Moves a staged import to its final path: from here on its batches may be dispatched. @throws when there is an import
 * already: one whose batches were dispatched must never be replaced by one that does not know them
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
    const database = openForReading(path, IMPORT_MIGRATIONS);
    try {
      return (
        database
          .prepare("select 1 from batches where state not in ('pending', 'later') or dispatched_at is not null")
          .get() !== undefined
      );
    } finally {
      database.close();
    }
  } catch {
    // Half-written: no batch can have been read from it.
    return false;
  }
}

/**
 * Starts staging into the file at `path`, which must not hold an import yet. Rows are written by a thread, so that this
 * one can read; a few are written here when all are read, in less time than a thread takes to start.
 */
export function startStaging(path: string): Staging {
  let few: PackedRows[] = [];
  let length = 0;
  let thread: RowWriter | undefined;
  let abandoned = false;
  return {
    add: async (rows) => {
      if (abandoned) throw cannotWrite(new Error('it was given up'));
      const packed = packRows(rows);
      if (thread !== undefined) return thread.add(packed);
      few.push(packed);
      length += packed.texts.length;
      if (length <= FEW) return;
      thread = startWriter(path);
      for (const one of few) await thread.add(one);
      few = [];
    },
    finish: async (input) => thread?.finish(input) ?? writeHere(path, few, input),
    abandon: async () => {
      abandoned = true;
      await thread?.abandon();
    },
  };
}

/** A thread that writes rows, and gets only as many as it can handle. */
interface RowWriter {
  /** Resolves when it can take the next chunk. */
  add(rows: PackedRows): Promise<void>;
  finish(input: InputDescription): Promise<StagedTotals>;
  abandon(): Promise<void>;
}

function startWriter(path: string): RowWriter {
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

  /** Several replies may come at once: a waiter checks their combined effect, never a single reply. */
  const nextReply = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const check = () => {
    if (failure !== undefined) throw cannotWrite(failure);
  };

  return {
    add: async (rows) => {
      check();
      thread.postMessage({ kind: 'rows', rows } satisfies StagingMessage, [rows.numbers.buffer]);
      underWay += 1;
      while (underWay >= CHUNKS_AHEAD) {
        await nextReply();
        check();
      }
    },
    finish: async (input) => {
      check();
      thread.postMessage({ kind: 'finish', input } satisfies StagingMessage);
      for (;;) {
        if (totals !== undefined) return totals;
        check();
        await nextReply();
      }
    },
    abandon: async () => {
      await thread.terminate();
    },
  };
}

function writeHere(path: string, rows: readonly PackedRows[], input: InputDescription): StagedTotals {
  try {
    const writing = openRowWriting(path);
    for (const one of rows) writing.insert(one);
    return writing.finish(input);
  } catch (error) {
    throw cannotWrite(asError(error));
  }
}

function cannotWrite(cause: Error): Error {
  return new Error(`the ledger cannot be written: ${cause.message}`, { cause });
}
