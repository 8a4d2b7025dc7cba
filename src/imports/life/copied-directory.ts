import { resolve } from 'node:path';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { type DataDir, dataDir, hasCatalog, ownDataDir, readCatalog } from '../../platform/data-dir.ts';
import { isLedgerError } from '../../platform/database-errors.ts';
import { fileId, isSameFile } from '../../platform/files.ts';
import { shellWord } from '../../text/terminal-text.ts';
import { type Catalog, type CatalogReader, type ImportRecord, openCatalog, openCatalogReader } from '../catalog.ts';
import { hasLedger } from '../lost-ledger.ts';
import { openImportLedger } from '../record/import-ledger.ts';

/**
 * A copy of a data directory, beside its original or restored from a backup, would send the rest of the same imports. So the
 * catalog keeps the file in which it was last worked with: another file is a copy, and a person says which one goes on.
 */

/**
 * Opens the catalog of a directory to work in. A copy in which nothing goes on by itself is as good as its original.
 * @throws DATA_DIR_COPIED
 */
export function openClaimed(dir: DataDir) {
  const catalog = openCatalog(dir.catalog);
  const copied = copyIn(dir, catalog);
  if (copied === undefined) {
    workHere(dir, catalog);
    return catalog;
  }
  catalog.close();
  throw copied;
}

/** The fault of a copy, in which nothing works. */
export function copyFault(dir: DataDir) {
  return readCatalog(dir, openCatalogReader, (catalog) => catalog && copyIn(dir, catalog));
}

/**
 * Lets work go on in this directory: what it does not know to be done counts as uncertain. Its original, where it can be
 * reached, becomes the copy.
 * @throws DATA_DIR_IN_USE where a process has one of the two
 */
export function adoptDirectory(dir: DataDir) {
  using _owned = ownDataDir(dir);
  using catalog = openCatalog(dir.catalog);
  const { root } = catalog.workedIn();
  leaveOriginal(root, catalog.coordinatorId(), dir);
  for (const record of catalog.unfinished()) doubt(record, dir.ledger(record.id));
  workHere(dir, catalog);
}

function copyIn(dir: DataDir, catalog: CatalogReader) {
  const { file, root } = catalog.workedIn();
  if (file === null || isSameFile(file, dir.catalog) || !catalog.goesOn()) return undefined;
  const adopt = `rollcall doctor --adopt --data-dir ${shellWord(dir.root)}`;
  return new RollcallError('DATA_DIR_COPIED', { root: dir.root, place: root, adopt });
}

function workHere(dir: DataDir, catalog: Catalog) {
  catalog.workIn(fileId(dir.catalog), dir.root);
}

function leaveOriginal(root: string, id: string, adopted: DataDir) {
  const original = dataDir(root);
  if (root === '' || resolve(root) === adopted.root || !hasCatalog(original)) return;
  using _owned = ownDataDir(original);
  using catalog = openCatalog(original.catalog);
  if (catalog.coordinatorId() === id) catalog.workIn(fileId(adopted.catalog), adopted.root);
}

/** A ledger that is lost is said when its import goes on. */
function doubt(record: ImportRecord, path: string) {
  try {
    if (!hasLedger(record, path)) return;
    const ledger = openImportLedger(path);
    ledger.leaveFile();
    ledger.close();
  } catch (error) {
    if (!isLedgerError(error)) throw error;
  }
}
