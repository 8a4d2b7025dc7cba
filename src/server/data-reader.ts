import { RollcallError } from '../errors/rollcall-error.ts';
import {
  type CatalogPage,
  type CatalogReader,
  type ImportRecord,
  openCatalogReader,
  type Transition,
} from '../imports/catalog.ts';
import { hasLedger, ledgerIsThere } from '../imports/lost-ledger.ts';
import type { ImportQuestions, LedgerThreads } from '../imports/report/ledger-threads.ts';
import type { ReportRequest } from '../imports/report/report-files.ts';
import type { DataDir } from '../platform/data-dir.ts';
import type { TaskLimits } from '../platform/thread-queue.ts';
import type { Caller } from './http-answers.ts';

/** Reads a data directory for the server: rows in other threads, the small catalog in this one. */
export interface DataReader {
  /** Imports, newest first. @throws BAD_CURSOR */
  page(request: Parameters<CatalogReader['page']>[0]): CatalogPage;
  find(id: string): ImportRecord | undefined;
  counts: CatalogReader['counts'];
  attention: CatalogReader['attention'];
  /** Imports that retry rows of this one, oldest first. */
  retries(id: string): readonly ImportRecord[];
  /** Moves of an import at `since` (ms since 1970) or later, in their order. */
  transitions(id: string, since?: number): readonly Transition[];
  hasRows(id: string): boolean;
  /**
   * Questions on an import's rows.
   * @param caller absent: the program itself
   * @throws NO_ROWS_YET
   */
  rowsOf(id: string, caller?: Caller): ImportQuestions;
  /** A page of rows as JSON text. @throws NO_ROWS_YET */
  rowsPage(id: string, request: Parameters<LedgerThreads['rowsPage']>[1], caller: Caller): Promise<Uint8Array>;
  /** One row with its calls as JSON text; undefined for an unknown row. @throws NO_ROWS_YET */
  rowDetail(id: string, row: number, caller: Caller): Promise<Uint8Array | undefined>;
  /** A report's bytes, made as they are taken. @throws NO_ROWS_YET */
  report(id: string, request: ReportRequest): AsyncGenerator<Uint8Array>;
  close(): void;
}

/** Time that an answer may take in its thread, in ms. */
const DEADLINE_MS = 30_000;

const limits = (caller: Caller | undefined): TaskLimits => ({ deadlineMs: DEADLINE_MS, ...caller });

export function openReading(dir: DataDir, threads: LedgerThreads): DataReader {
  const catalog = openCatalogReader(dir.catalog);
  const hasRows = (id: string) => ledgerIsThere(dir.ledger(id));
  const ledgerOf = (id: string): string => {
    const record = catalog.find(id);
    if (record === undefined ? hasRows(id) : hasLedger(record, dir.ledger(id))) return dir.ledger(id);
    throw new RollcallError('NO_ROWS_YET', { id });
  };
  return {
    hasRows,
    page: (request) => catalog.page(request),
    find: (id) => catalog.find(id),
    counts: () => catalog.counts(),
    attention: (limit) => catalog.attention(limit),
    retries: (id) => catalog.retries(id),
    transitions: (id, since) => catalog.transitions(id, since),
    rowsOf: (id, caller) => threads.of(ledgerOf(id), limits(caller)),
    rowsPage: async (id, request, caller) => threads.rowsPage(ledgerOf(id), request, limits(caller)),
    rowDetail: async (id, row, caller) => threads.rowDetail(ledgerOf(id), row, limits(caller)),
    report: (id, request) => threads.report(ledgerOf(id), request),
    close: () => catalog.close(),
  };
}
