import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { RollcallError } from '../errors/rollcall-error.ts';
import type { DataDir } from '../platform/data-dir.ts';
import { counted } from '../text/wording.ts';
import { isIntact, openCatalog, recordFile } from './catalog.ts';
import { importRecord } from './import-record.ts';

/** The catalog is an index of the folders of the imports: a lost or damaged one is made from them. */

export type Rebuilt = ReturnType<typeof rebuildCatalog>;

/** Unknown folders that are named. */
const MAX_NAMED = 10;

/** Whether the catalog is gone and imports are there. */
export function isCatalogLost(dir: DataDir) {
  return !existsSync(dir.catalog) && importIds(dir).length > 0;
}

/**
 * Makes a new catalog. One that is there is kept beside it, under another name. Syncs and schedules are not in it: what an
 * import of a sync has done is in its own folder. Only for the owner of the data directory.
 * @throws CatalogIntact
 */
export function rebuildCatalog(dir: DataDir) {
  if (isIntact(dir.catalog)) throw new RollcallError('CATALOG_INTACT', { catalog: dir.catalog });
  for (const ending of ['', '-wal', '-shm']) {
    if (existsSync(dir.catalog + ending)) renameSync(dir.catalog + ending, `${dir.catalog}.${Date.now()}${ending}`);
  }
  /** Ids of folders that do not say what their import was. */
  const unknown: string[] = [];
  const records = importIds(dir).flatMap((id) => {
    const record = readRecord(dir, id);
    if (record === undefined) unknown.push(id);
    return record ?? [];
  });
  using catalog = openCatalog(dir.catalog);
  catalog.restore(records);
  return { found: records.length, unknown };
}

/** Describes the result of a rebuild in a sentence. */
export function rebuiltSentence({ root }: DataDir, { found, unknown }: Rebuilt) {
  const left = unknown.length === 0 ? '' : `; not found out: ${unknown.join(', ')}`;
  return `The catalog of ${root} was rebuilt from the folders of its imports: ${counted(found, 'import')}${left}. Syncs and schedules are not in it: add schedules again`;
}

/** Says which folders of imports the catalog does not know; they stay on the disk. */
export function straysSentence({ root }: DataDir, ids: readonly string[]) {
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  const names = `${ids.slice(0, MAX_NAMED).join(', ')}${more}`;
  return `The catalog of ${root} does not know ${counted(ids.length, 'import')} whose folders are there: ${names}. They do not go on; import again what is missing of them, and delete their folders`;
}

function importIds({ root }: DataDir) {
  const folder = join(root, 'imports');
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** Undefined where the folder has no record, or one that cannot be used: its import is named, and stays on the disk. */
function readRecord(dir: DataDir, id: string) {
  try {
    const record = importRecord.parse(JSON.parse(readFileSync(recordFile(dir.folder(id)), 'utf8')));
    return record.id === id ? record : undefined;
  } catch {
    return undefined;
  }
}
