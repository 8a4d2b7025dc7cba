import { constants, existsSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, RollcallError } from '../errors/rollcall-error.ts';
import { MEMORY_SCHEMA } from '../features/sync/memory/memory.ts';
import { openCatalogReader } from '../imports/catalog.ts';
import { copyFault } from '../imports/life/copied-directory.ts';
import { hasLedger } from '../imports/lost-ledger.ts';
import { openImportReader } from '../imports/report/import-reader.ts';
import { ENDS_SCHEMA } from '../imports/schemas.ts';
import { secretFiles } from '../platform/config.ts';
import { type DataDir, hasCatalog } from '../platform/data-dir.ts';
import { freeBytes } from '../platform/files.ts';
import { checkPages, readIfThere } from '../platform/sqlite.ts';
import { shellWord } from '../text/terminal-text.ts';
import { type Finding, good, wrong } from './findings.ts';

/** Checks of `rollcall doctor` that look at this machine: its data directory and its files with keys. */

/** Files with keys that others on this machine can read. An import works all the same. */
export function checkKeyFiles(): Finding[] {
  if (process.platform === 'win32') return [];
  const open = secretFiles().filter((path) => existsSync(path) && (statSync(path).mode & 0o044) !== 0);
  if (open.length === 0) return [];
  return [good('key files', `others on this machine can read them; chmod 600 ${open.map(shellWord).join(' ')}`)];
}

/** Bytes that should be free: an import needs some 400 a row, reports included. */
const FREE_BYTES = 1_000_000_000;

/** Writes nothing: a machine that only runs workers needs no data directory. */
export async function checkDisk(folder: string) {
  const check = 'data directory';
  try {
    const place = existingPart(folder);
    await access(place, constants.W_OK | constants.X_OK);
    const free = await freeBytes(place);
    const detail = `${folder}, ${(free / 1e9).toFixed(1)} GB free`;
    if (free >= FREE_BYTES) return good(check, detail);
    return wrong(check, detail, 'Free some disk, or name another directory with --data-dir');
  } catch (error) {
    return wrong(check, messageOf(error), 'Make it writable, or name another one with --data-dir');
  }
}

const MAX_LEDGERS = 1_000;

/** Whether this rollcall can use what an earlier one wrote: imports, newest ledgers, ends of memberships, members of syncs. */
export function checkCatalog(dir: DataDir): Finding[] {
  const fault = catalogFault(dir) ?? copyFault(dir);
  const faults = fault === undefined ? ledgerFaults(dir) : [fault];
  const ends = faultOf(() => readIfThere(dir.ends, ENDS_SCHEMA, undefined, checkPages));
  const memory = faultOf(() => readIfThere(dir.memory, MEMORY_SCHEMA, undefined, checkPages));
  const found = { imports: faults, 'ends of memberships': ends ?? [], 'members of syncs': memory ?? [] };
  return Object.entries(found).flatMap(([check, all]) =>
    [all].flat().map(({ code, what, remedy }) => wrong(check, `${code}: ${what}`, remedy)),
  );
}

/** Bytes of ledgers of which each page is read; the larger ones are opened only. */
const MAX_READ = 100_000_000;

function lookAt(path: string) {
  using reader = openImportReader(path);
  if (statSync(path).size <= MAX_READ) reader.check();
}

function ledgerFaults(dir: DataDir) {
  if (!hasCatalog(dir)) return [];
  using catalog = openCatalogReader(dir.catalog);
  return catalog.list(MAX_LEDGERS).flatMap((record) => {
    const path = dir.ledger(record.id);
    return faultOf(() => hasLedger(record, path) && lookAt(path)) ?? [];
  });
}

/** Undefined where the list of imports can be used, and where there is none yet. */
export function catalogFault(dir: DataDir) {
  return hasCatalog(dir) ? faultOf(() => openCatalogReader(dir.catalog).close()) : undefined;
}

function faultOf(look: () => unknown) {
  try {
    look();
    return undefined;
  } catch (error) {
    if (error instanceof RollcallError) return error;
    throw error;
  }
}

/** The folder, or where it will be made. */
function existingPart(folder: string): string {
  return existsSync(folder) ? folder : existingPart(dirname(folder));
}
