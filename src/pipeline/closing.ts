import type { FinishImportPorts } from '../../jobs/finish-import.ts';
import type { ImportRecord } from '../ledger/catalog.ts';
import type { ImportLedger } from '../ledger/import-ledger.ts';
import { type ImportState, isFinal } from '../membership/import-state.ts';
import type { DataDir } from './data-dir.ts';
import type { ReadingThreads } from './reading-threads.ts';

interface ClosingOptions {
  readonly dir: DataDir;
  readonly find: (id: string) => ImportRecord;
  readonly move: (id: string, to: ImportState, detail?: string) => void;
  readonly ledgerOf: (id: string) => { ledger: ImportLedger; close: () => void };
  /** Checks and writes reports, which takes long: this thread has other imports to see to. */
  readonly reading: ReadingThreads;
  readonly version: string;
  readonly fail: (error: unknown) => void;
}

/** What closing an import does outside the queue. */
export function closingJobs({ dir, find, move, ledgerOf, reading, version, fail }: ClosingOptions): {
  ports: FinishImportPorts;
} {
  return {
    ports: {
      checkSum: async (id) => (await reading.of(dir.ledger(id)).check()).difference,
      writeReports: async (id, state) => {
        const path = dir.ledger(id);
        await reading.indexUids(path);
        // The reports are of the import as it will be when they are written: the state moves last.
        await reading.writeReports({ path, folder: dir.folder(id), record: { ...find(id), state }, version });
      },
      close: (id, state, reason) => {
        ledgerOf(id).close();
        if (!isFinal(find(id).state)) move(id, state, reason);
      },
      failed: (_id, error) => fail(error),
    },
  };
}
