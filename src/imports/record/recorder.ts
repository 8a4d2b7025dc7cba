import type { BatchResult } from './batch-result.ts';
import type { ImportLedger } from './import-ledger.ts';
import type { Consequences } from './recording.ts';

export type Recorder = ReturnType<typeof createRecorder>;

interface RecorderEvents {
  recorded(importId: string, batches: readonly number[], consequences: Consequences): void;
  /** Results of an import cannot be recorded; then none of it can. */
  failed(importId: string, error: unknown): void;
  /** Results do not fit what was dispatched. */
  refused(error: Error): void;
}

/** In ms. A transaction for each result costs more than the result itself. */
const GATHER_MS = 24;

interface Waiting {
  readonly result: BatchResult;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface ImportBuffer {
  readonly importId: string;
  readonly ledger: ImportLedger;
  waiting: Waiting[];
  timer: NodeJS.Timeout | undefined;
}

/** Writes results into ledgers: answers within GATHER_MS in one transaction, refusals in the next turn of the event loop. */
export function createRecorder({ recorded, failed, refused }: RecorderEvents) {
  const buffers = new Map<string, ImportBuffer>();

  const flush = (buffer: ImportBuffer): void => {
    clearTimeout(buffer.timer);
    buffer.timer = undefined;
    const { waiting } = buffer;
    if (waiting.length === 0) return;
    buffer.waiting = [];
    try {
      const consequences = buffer.ledger.record(waiting.map(({ result }) => result));
      for (const { resolve } of waiting) resolve();
      if (consequences.unasked !== undefined) refused(unaskedFor(buffer.importId, consequences.unasked));
      recorded(
        buffer.importId,
        waiting.map(({ result }) => result.batch),
        consequences,
      );
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      failed(buffer.importId, error);
    }
  };

  return {
    /** Resolves when the result is on disk. A result of an import that is not running here is refused. */
    deliver: (importId: string, result: BatchResult) =>
      new Promise<void>((resolve, reject) => {
        const buffer = buffers.get(importId);
        if (buffer === undefined) return reject(new Error(`import ${importId} does not run here`));
        buffer.waiting.push({ result, resolve, reject });
        // A refusal may stop a region: recorded late, it could stop a region that was resumed meanwhile.
        if (result.sent.kind !== 'answered') setImmediate(flush, buffer);
        else buffer.timer ??= setTimeout(flush, GATHER_MS, buffer);
      }),
    /** Takes results of this import from now on. */
    open: (importId: string, ledger: ImportLedger) =>
      void buffers.set(importId, { importId, ledger, waiting: [], timer: undefined }),
    /** Takes no more, and writes what is still buffered: the ledger may be closed after that. */
    close: (importId: string) => {
      const buffer = buffers.get(importId);
      buffers.delete(importId);
      if (buffer !== undefined) flush(buffer);
    },
  };
}

function unaskedFor(importId: string, batches: readonly number[]): Error {
  return new Error(
    `results for batches ${batches.join(', ')} of import ${importId} do not fit what was dispatched and were refused: see who else can write into the queue`,
  );
}
