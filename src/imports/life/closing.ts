import pLimit from 'p-limit';
import { type ImportState, isFinal } from '../../membership/import-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { ImportRecord, MoveImport } from '../catalog.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { ReadingThreads } from '../report/reading-threads.ts';

/** States that an import ends in when nothing of it is out any more. */
export type EndState = Extract<ImportState, 'completed' | 'cancelled' | 'aborted'>;

/** Closes imports of which every row has its outcome: sum checked, reports written, state moved. Each once. */
export interface Closings {
  /** Closes an import in the state that it has earned. Does nothing where that is under way already. */
  begin(id: string, state: EndState, reason?: string): void;
  isUnderWay(id: string): boolean;
  /** Begins no more. What is under way is given up when its threads are closed: the next start does it. */
  stop(): void;
}

interface ClosingOptions {
  readonly dir: DataDir;
  readonly find: (id: string) => ImportRecord;
  readonly move: MoveImport;
  /** Closes the import's ledger, in which nothing is written any more. */
  readonly closeLedger: (id: string) => void;
  /** Checks and writes reports, which takes long: this thread has other imports to see to. */
  readonly reading: ReadingThreads;
  readonly version: string;
  readonly failed: (id: string, error: unknown) => void;
}

/** Imports that are closed at the same time: a small one does not wait for the reports of ten million rows. */
const CLOSINGS = 4;

export function createClosings(options: ClosingOptions): Closings {
  const { dir, find, move, closeLedger, reading, version, failed } = options;
  const line = pLimit(CLOSINGS);
  const underWay = new Set<string>();
  let stopped = false;

  const close = async (id: string, state: EndState, reason?: string): Promise<void> => {
    if (stopped) return;
    const path = dir.ledger(id);
    const { difference } = await reading.of(path).check();
    await reading.indexUids(path);
    const code = codeOf(state, difference);
    // The reports are of the import as it will be when they are written: the state moves last.
    const record = { ...find(id), state, code: code ?? null };
    await reading.writeReports({ path, folder: dir.folder(id), record, version });
    if (stopped) return;
    closeLedger(id);
    underWay.delete(id);
    if (isFinal(find(id).state)) return;
    move(id, state, difference === '' ? reason : `the sum of outcomes does not hold: ${difference}`, code);
  };

  return {
    begin: (id, state, reason) => {
      if (stopped || underWay.has(id)) return;
      underWay.add(id);
      line(() => close(id, state, reason)).catch((error: unknown) => {
        underWay.delete(id);
        if (!stopped) failed(id, error);
      });
    },
    isUnderWay: (id) => underWay.has(id),
    stop: () => {
      stopped = true;
    },
  };
}

function codeOf(state: EndState, difference: string): ReasonCode | undefined {
  if (difference !== '') return 'WRONG_SUM';
  // Only the bound on errors aborts an import.
  return state === 'aborted' ? 'TOO_MANY_ERRORS' : undefined;
}
