import type { BatchResult } from './batch-result.ts';
import type { ImportLedger } from './import-ledger.ts';
import type { Consequences } from './recording.ts';

/** Writes results into ledgers: answers that come within GATHER_MS in one transaction, refusals in the next turn. */
export interface Recorder {
  /** Resolves when the result is on disk. A result of an import that is not running here is refused. */
  deliver(importId: string, result: BatchResult): Promise<void>;
  /** Takes results of this import from now on. */
  open(importId: string, ledger: ImportLedger, recorded: Recorded): void;
  /** Takes no more, and writes what still waits: the ledger may be closed after that. */
  close(importId: string): void;
}

type Recorded = (batches: readonly number[], consequences: Consequences) => void;

/** In ms. A transaction for each result costs more than the result itself. */
const GATHER_MS = 10;

interface Waiting {
  readonly result: BatchResult;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Desk {
  readonly importId: string;
  readonly ledger: ImportLedger;
  readonly recorded: Recorded;
  waiting: Waiting[];
  timer: NodeJS.Timeout | undefined;
}

/**
 * @param onFailure told when results of an import cannot be recorded: nothing more of it can
 * @param onRefused told of results that do not fit what was dispatched
 */
export function createRecorder(
  onFailure: (importId: string, error: unknown) => void,
  onRefused: (error: Error) => void,
): Recorder {
  const desks = new Map<string, Desk>();

  const flush = (desk: Desk): void => {
    clearTimeout(desk.timer);
    desk.timer = undefined;
    const { waiting } = desk;
    if (waiting.length === 0) return;
    desk.waiting = [];
    try {
      const consequences = desk.ledger.record(waiting.map(({ result }) => result));
      for (const { resolve } of waiting) resolve();
      if (consequences.unasked !== undefined) onRefused(unaskedFor(desk.importId, consequences.unasked));
      desk.recorded(
        waiting.map(({ result }) => result.batch),
        consequences,
      );
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      onFailure(desk.importId, error);
    }
  };

  return {
    deliver: (importId, result) =>
      new Promise((resolve, reject) => {
        const desk = desks.get(importId);
        if (desk === undefined) return reject(new Error(`import ${importId} does not run here`));
        desk.waiting.push({ result, resolve, reject });
        // A refusal may stop a region: noted late, it would stop one again that was resumed meanwhile.
        if (result.sent.kind !== 'answered') setImmediate(flush, desk);
        else desk.timer ??= setTimeout(flush, GATHER_MS, desk);
      }),
    open: (importId, ledger, recorded) =>
      desks.set(importId, { importId, ledger, recorded, waiting: [], timer: undefined }),
    close: (importId) => {
      const desk = desks.get(importId);
      desks.delete(importId);
      if (desk !== undefined) flush(desk);
    },
  };
}

function unaskedFor(importId: string, batches: readonly number[]): Error {
  return new Error(
    `results for batches ${batches.join(', ')} of import ${importId} do not fit what was dispatched and were refused: see who else can write into the queue`,
  );
}
