import { existsSync } from 'node:fs';
import type { ImportTotals } from '../../api/import-summary.ts';
import { asFlag } from '../../errors/named-options.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { type CatalogReader, type ImportRecord, openCatalogReader } from '../../imports/catalog.ts';
import { correctionsFile } from '../../imports/corrected-rows.ts';
import { hasLedger, isLedgerLost } from '../../imports/lost-ledger.ts';
import { isCatalogLost, rebuildCatalog } from '../../imports/rebuild-catalog.ts';
import { type ImportReader, openImportReader } from '../../imports/report/import-reader.ts';
import { importView, type ViewSources } from '../../imports/report/import-view.ts';
import { totalsOf } from '../../imports/report/summarize.ts';
import { isFinal } from '../../membership/import-state.ts';
import { type DataDir, emptyPlace, hasCatalog, ownDataDir } from '../../platform/data-dir.ts';

/** Imports as a data directory has them, even while another process writes to it. */

/** @param server of which they would be */
export function noImports(where: string, server?: string) {
  return new RollcallError('NO_IMPORTS', { where, server });
}

/** Opens the catalog, and makes it again where it is lost. @throws NO_IMPORTS where there is none */
export function openKept(dir: DataDir) {
  if (isCatalogLost(dir)) rebuild(dir);
  if (!hasCatalog(dir)) throw noImports(emptyPlace(dir));
  return openCatalogReader(dir.catalog);
}

/** Reads the catalog, even while another process writes to it. @throws NO_IMPORTS where there is none */
export async function viewing<Result>(
  dir: DataDir,
  read: (catalog: CatalogReader) => Result | Promise<Result>,
): Promise<Result> {
  using catalog = openKept(dir);
  return await read(catalog);
}

/** @throws DATA_DIR_IN_USE where a process works with the lost catalog */
export function rebuild(dir: DataDir) {
  using _owned = ownDataDir(dir);
  return rebuildCatalog(dir);
}

/**
 * Reads an import's ledger; undefined while it has none: it is being read, or was rejected; and where its state says that it
 * is lost. @throws LEDGER_MISSING, DAMAGED_LEDGER where it is lost
 */
export function withLedger<Result>(dir: DataDir, record: ImportRecord, read: (reader: ImportReader) => Result) {
  const path = dir.ledger(record.id);
  if (isLedgerLost(record.code) || !hasLedger(record, path)) return undefined;
  using reader = openImportReader(path);
  return read(reader);
}

/** Counts its rows and calls from its ledger. */
function countedTotals(dir: DataDir, record: ImportRecord): ImportTotals {
  const isOver = isFinal(record.state);
  const counted = withLedger(dir, record, (reader) => totalsOf(reader.counters(), isOver, reader.input()));
  return counted ?? totalsOf(new Map(), isOver);
}

/** An import as commands show it. @param staging known only to the process that reads a file */
export function keptView(
  dir: DataDir,
  catalog: CatalogReader,
  record: ImportRecord,
  staging: ViewSources['staging'] = () => null,
) {
  return importView(record, {
    catalog,
    folder: dir.folder,
    totals: (one) => countedTotals(dir, one),
    staging,
    reports: (_, written) => written,
    write: asFlag,
    complete: async (one, own) => {
      const folder = dir.folder(one.id);
      // Only an import whose rows somebody has looked at needs these modules.
      if (!existsSync(correctionsFile(folder))) return own;
      const [{ viewWithCorrections }, { checkFacts }] = await Promise.all([
        import('../../features/correct/corrections.ts'),
        import('../../features/check/check-view.ts'),
      ]);
      const { refused } = await checkFacts(folder, one.state, own.rows.skipped);
      return viewWithCorrections(dir, catalog, one, own, refused);
    },
  });
}
