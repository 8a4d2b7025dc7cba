import type { FinishImportPorts } from '../../jobs/finish-import.ts';
import type { ImportRecord } from '../ledger/catalog.ts';
import type { ImportLedger } from '../ledger/import-ledger.ts';
import { openImportReader } from '../ledger/reading.ts';
import { type ImportState, isFinal } from '../membership/import-state.ts';
import type { DataDir } from './data-dir.ts';
import { reportInput, reportPaths, writeReportFiles } from './report-files.ts';
import { summaryOf } from './summary.ts';

interface ClosingOptions {
  readonly dir: DataDir;
  readonly find: (id: string) => ImportRecord;
  readonly move: (id: string, to: ImportState, detail?: string) => void;
  readonly ledgerOf: (id: string) => { ledger: ImportLedger; close: () => void };
  readonly version: string;
  readonly fail: (error: unknown) => void;
}

/** What closing an import does outside the queue. */
export function closingJobs({ dir, find, move, ledgerOf, version, fail }: ClosingOptions): {
  ports: FinishImportPorts;
} {
  return {
    ports: {
      checkSum: (id) => ledgerOf(id).ledger.check().difference,
      writeReports: async (id, state) => {
        const reader = openImportReader(dir.ledger(id));
        try {
          const paths = reportPaths(dir.folder(id), reportInput(reader).inputFormat);
          // The reports are of the import as it will be when they are written: the state moves last.
          const over = () => ({ ...find(id), state, finishedAt: Date.now() });
          await writeReportFiles(reader, paths, () => summaryOf(over(), reader.tallies(), paths), version);
        } finally {
          reader.close();
        }
      },
      close: (id, state, reason) => {
        ledgerOf(id).close();
        if (!isFinal(find(id).state)) move(id, state, reason);
      },
      failed: (_id, error) => fail(error),
    },
  };
}
