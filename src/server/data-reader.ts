import { RollcallError } from '../errors/rollcall-error.ts';
import { openCatalogReader } from '../imports/catalog.ts';
import { hasLedger, ledgerIsThere } from '../imports/lost-ledger.ts';
import type { LedgerThreads } from '../imports/report/ledger-threads.ts';
import type { ReportRequest } from '../imports/report/report-files.ts';
import type { DataDir } from '../platform/data-dir.ts';
import type { Caller } from './http-answers.ts';

/** Time that an answer may take in its thread, in ms. */
const DEADLINE_MS = 30_000;

const limits = (caller: Caller | undefined) => ({ deadlineMs: DEADLINE_MS, ...caller });

export type DataReader = ReturnType<typeof openReading>;

/** Reads a data directory for the server: rows in other threads, the small catalog in this one. Questions on rows throw NO_ROWS_YET. */
export function openReading(dir: DataDir, threads: LedgerThreads) {
  const catalog = openCatalogReader(dir.catalog);
  const hasRows = (id: string) => ledgerIsThere(dir.ledger(id));
  const ledgerOf = (id: string) => {
    const record = catalog.find(id);
    if (record === undefined ? hasRows(id) : hasLedger(record, dir.ledger(id))) return dir.ledger(id);
    throw new RollcallError('NO_ROWS_YET', { id });
  };
  return {
    ...catalog,
    hasRows,
    /** Reads the ledger at a path for the view of an import. */
    count: async (path: string) => {
      const rows = threads.of(path, limits(undefined));
      return [await rows.counters(), await rows.input()] as const;
    },
    /** Questions on an import's rows. @param caller absent: the program itself */
    rowsOf: (id: string, caller?: Caller) => threads.of(ledgerOf(id), limits(caller)),
    /** A report's bytes, made as they are taken. */
    report: (id: string, request: ReportRequest) => threads.report(ledgerOf(id), request),
  };
}
