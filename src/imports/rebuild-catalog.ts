import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportSummary } from '../api/import-summary.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { IMPORT_STATES, isFinal } from '../membership/import-state.ts';
import { REGIONS } from '../membership/membership.ts';
import type { DataDir } from '../platform/data-dir.ts';
import { isNumber, isObject, isText, storedJson } from '../platform/stored-json.ts';
import { counted } from '../text/wording.ts';
import { type ImportRecord, isIntact, openCatalog, recordFile } from './catalog.ts';
import type { ImportOptions } from './import-options.ts';

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
    const record = readRecord(dir, id) ?? recordOfSummary(dir, id);
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

/**
 * Returns a finished import's record from its summary. It does not say for which service it was meant: so that its rows
 * do not reach the wrong one, it counts as meant for a sandbox.
 */
function recordOfSummary(dir: DataDir, id: string) {
  const path = join(dir.folder(id), 'summary.json');
  if (!existsSync(path)) return undefined;
  const data = readJson(path);
  if (!isSummary(data) || data.id !== id || !isFinal(data.state)) return undefined;
  const { state, file, startedAt, finishedAt, id: _, code: __, reports: ___, ...totals } = data;
  const [region = REGIONS[0]] = REGIONS.filter((one) => totals.regions[one] !== undefined);
  const options: ImportOptions = { format: 'auto', map: {}, region, sandbox: true, dryRun: false };
  const msOf = (time: string | null) => (time === null ? null : Date.parse(time));
  return {
    id,
    state,
    file,
    source: file,
    options: JSON.stringify(options),
    totals: JSON.stringify(totals),
    reason: 'found again by its summary, which does not say for which service it was meant: as for a sandbox',
    code: null,
    remedy: null,
    retryOf: null,
    createdBy: '',
    tags: '[]',
    createdAt: msOf(startedAt ?? finishedAt) ?? 0,
    startedAt: msOf(startedAt),
    finishedAt: msOf(finishedAt),
  };
}

function isSummary(value: unknown): value is ImportSummary {
  return (
    isObject(value) &&
    IMPORT_STATES.some((state) => state === value['state']) &&
    [value['id'], value['file'], value['finishedAt']].every(isText) &&
    (value['startedAt'] === null || isText(value['startedAt'])) &&
    [value['rows'], value['regions']].every(isObject)
  );
}

function readJson(path: string) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Undefined where the folder has no record, or one that cannot be used: its import is named, and stays on the disk. */
function readRecord(dir: DataDir, id: string) {
  const path = recordFile(dir.folder(id));
  if (!existsSync(path)) return undefined;
  try {
    const record = storedJson(readFileSync(path, 'utf8'), 'what the catalog said of an import', isRecord);
    return record.id === id ? record : undefined;
  } catch {
    return undefined;
  }
}
