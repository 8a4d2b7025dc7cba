import { RollcallError } from '../../errors/rollcall-error.ts';
import { type CatalogReader, type ImportRecord, openCatalogReader } from '../../imports/catalog.ts';
import { isCatalogLost, rebuildCatalog } from '../../imports/rebuild-catalog.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import type { ViewSources } from '../../imports/report/import-view.ts';
import { type DataDir, emptyPlace, hasCatalog, ownDataDir } from '../../platform/data-dir.ts';
import { viewsFor } from '../../server/import-views.ts';

/** Imports as a data directory has them, even while another process writes to it. */

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

/** An import as commands show it. @param staging known only to the process that reads a file */
export function keptView(dir: DataDir, catalog: CatalogReader, record: ImportRecord, staging?: ViewSources['staging']) {
  const count = (path: string) => {
    using reader = openImportReader(path);
    return [reader.counters(), reader.input()] as const;
  };
  return viewsFor('command', { dir, catalog, count, staging }).of(record);
}
