import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { IMPORT_STATES } from '../membership/import-state.ts';
import type { DataDir } from '../platform/data-dir.ts';
import { isNumber, isObject, isText, storedJson } from '../platform/stored-json.ts';
import { counted } from '../text/wording.ts';
import { type ImportRecord, openCatalog } from './catalog.ts';
import { recordFile } from './record-file.ts';

/** The catalog is an index of the folders of the imports: a lost or damaged one is made from them. */

export interface Rebuilt {
  /** Imports that are in the new catalog. */
  readonly found: number;
  /** Ids of folders that do not say what their import was. */
  readonly unknown: readonly string[];
}

/** Whether the catalog is gone and imports are there. */
export function isCatalogLost(dir: DataDir): boolean {
  return !existsSync(dir.catalog) && importIds(dir).length > 0;
}

/**
 * Makes a new catalog. One that is there is kept beside it, under another name. Syncs and schedules are not in it: what an
 * import of a sync has done is in its own folder. Only for the owner of the data directory.
 */
export function rebuildCatalog(dir: DataDir): Rebuilt {
  for (const ending of ['', '-wal', '-shm']) {
    if (existsSync(dir.catalog + ending)) renameSync(dir.catalog + ending, `${dir.catalog}.${Date.now()}${ending}`);
  }
  const unknown: string[] = [];
  const records = importIds(dir).flatMap((id) => {
    const record = readRecord(dir, id);
    if (record === undefined) unknown.push(id);
    return record ?? [];
  });
  const catalog = openCatalog(dir.catalog);
  try {
    catalog.restore(records);
  } finally {
    catalog.close();
  }
  return { found: records.length, unknown };
}

/** What a rebuild has found, in a sentence. */
export function rebuiltSentence({ root }: DataDir, { found, unknown }: Rebuilt): string {
  const left = unknown.length === 0 ? '' : `; not found out: ${unknown.join(', ')}`;
  return `The catalog of ${root} was rebuilt from the folders of its imports: ${counted(found, 'import')}${left}. Syncs and schedules are not in it: add schedules again`;
}

function importIds({ root }: DataDir): string[] {
  const folder = join(root, 'imports');
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

const TEXTS = ['id', 'reason', 'file', 'source', 'options', 'createdBy', 'tags'] as const;
const TEXTS_OR_NULL = ['remedy', 'code', 'retryOf', 'totals'] as const;
const TIMES_OR_NULL = ['startedAt', 'finishedAt'] as const;

function isRecord(value: unknown): value is ImportRecord {
  return (
    isObject(value) &&
    TEXTS.every((name) => isText(value[name])) &&
    TEXTS_OR_NULL.every((name) => value[name] === null || isText(value[name])) &&
    TIMES_OR_NULL.every((name) => value[name] === null || isNumber(value[name])) &&
    isNumber(value['createdAt']) &&
    IMPORT_STATES.some((state) => state === value['state'])
  );
}

/** Undefined where the folder has no record, or one that cannot be used: its import is named, and stays on the disk. */
function readRecord(dir: DataDir, id: string): ImportRecord | undefined {
  const path = recordFile(dir.folder(id));
  if (!existsSync(path)) return undefined;
  try {
    const record = storedJson(readFileSync(path, 'utf8'), 'what the catalog said of an import', isRecord);
    return record.id === id ? record : undefined;
  } catch {
    return undefined;
  }
}
