import { existsSync } from 'node:fs';
import { type CatalogReader, type ImportRecord, openCatalogReader } from '../ledger/catalog.ts';
import { type ImportReader, openImportReader } from '../ledger/reading.ts';
import { type DataDir, dataDir } from '../pipeline/data-dir.ts';
import { UnknownImport } from '../pipeline/import-errors.ts';
import { reportInput, reportPaths } from '../pipeline/report-files.ts';
import { summaryOf } from '../pipeline/summary.ts';
import type { ImportSummary } from '../report/import-summary.ts';
import type { ProblemCount } from '../report/problem-count.ts';

/** What commands read of a data directory, whoever writes it meanwhile. */

export class NoImports extends Error {
  constructor(path: string) {
    super(
      `there are no imports in ${path}: start one with \`rollcall import <file>\`, or name another directory with --data-dir`,
    );
    this.name = 'NoImports';
  }
}

export function withCatalog<Result>(path: string, read: (catalog: CatalogReader, dir: DataDir) => Result): Result {
  const dir = dataDir(path);
  if (!existsSync(dir.catalog)) throw new NoImports(dir.root);
  const catalog = openCatalogReader(dir.catalog);
  try {
    return read(catalog, dir);
  } finally {
    catalog.close();
  }
}

/** The import with this id, or the latest one. */
export function findImport(path: string, id: string | undefined): ImportRecord {
  return withCatalog(path, (catalog, dir) => {
    const record = id === undefined ? catalog.list(1)[0] : catalog.find(id);
    if (record === undefined) throw id === undefined ? new NoImports(dir.root) : new UnknownImport(id);
    return record;
  });
}

/** Reads an import's ledger; undefined while it has none: it is being read, or was rejected. */
export function withLedger<Result>(
  dir: DataDir,
  id: string,
  read: (reader: ImportReader) => Result,
): Result | undefined {
  if (!existsSync(dir.ledger(id))) return undefined;
  const reader = openImportReader(dir.ledger(id));
  try {
    return read(reader);
  } finally {
    reader.close();
  }
}

export interface Findings {
  readonly summary: ImportSummary;
  readonly problems: readonly ProblemCount[];
}

/** What an import has come to so far. */
export function findingsOf(dir: DataDir, record: ImportRecord): Findings {
  const found = withLedger(dir, record.id, (reader) => ({
    summary: summaryOf(record, reader.tallies(), reportPaths(dir.folder(record.id), reportInput(reader).inputFormat)),
    problems: reader.problems(),
  }));
  return found ?? { summary: summaryOf(record, new Map(), reportPaths(dir.folder(record.id), 'csv')), problems: [] };
}
