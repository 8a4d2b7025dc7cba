import { existsSync } from 'node:fs';
import {
  BadCursor,
  type CatalogPage,
  type CatalogReader,
  openCatalogReader,
  type Transition,
} from '../ledger/catalog.ts';
import type { DataDir } from '../pipeline/data-dir.ts';
import type { ImportQuestions, ReadingThreads } from '../pipeline/reading-threads.ts';
import type { ReportWish } from '../pipeline/report-text.ts';
import { badCursor } from './paging.ts';
import { Problem } from './problem.ts';

/** What the server reads of a data directory: rows in other threads, the small catalog in this one. */
export interface Reading {
  /** Imports, newest first. @throws Problem BAD_CURSOR */
  page(wish: Parameters<CatalogReader['page']>[0]): CatalogPage;
  /** Moves of an import at `since` (ms since 1970) or later, in their order. */
  transitions(id: string, since?: number): readonly Transition[];
  hasRows(id: string): boolean;
  /** Questions on an import's rows. @throws Problem NO_ROWS_YET */
  rowsOf(id: string): ImportQuestions;
  /** A report's bytes, made as they are taken. @throws Problem NO_ROWS_YET */
  report(id: string, wish: ReportWish): AsyncGenerator<Uint8Array>;
  close(): void;
}

export function openReading(dir: DataDir, threads: ReadingThreads): Reading {
  const catalog = openCatalogReader(dir.catalog);
  const hasRows = (id: string) => existsSync(dir.ledger(id));
  const ledgerOf = (id: string): string => {
    if (hasRows(id)) return dir.ledger(id);
    throw new Problem('NO_ROWS_YET', `Import ${id} has no rows: its file is still being read, or was rejected.`);
  };
  return {
    hasRows,
    page: (wish) => {
      try {
        return catalog.page(wish);
      } catch (error) {
        throw error instanceof BadCursor ? badCursor(wish.before ?? '') : error;
      }
    },
    transitions: (id, since) => catalog.transitions(id, since),
    rowsOf: (id) => threads.of(ledgerOf(id)),
    report: (id, wish) => threads.report(ledgerOf(id), wish),
    close: () => catalog.close(),
  };
}
