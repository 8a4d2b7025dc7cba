import { constants, existsSync, statSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { messageOf } from '../../errors/message-of.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { MEMORY_SCHEMA } from '../../features/sync/memory/memory.ts';
import { openCatalogReader } from '../../imports/catalog.ts';
import { adoptDirectory, copyFault } from '../../imports/life/copied-directory.ts';
import { hasLedger } from '../../imports/lost-ledger.ts';
import { rebuiltSentence } from '../../imports/rebuild-catalog.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import { ENDS_SCHEMA } from '../../imports/schemas.ts';
import { readConfig, secretFiles } from '../../platform/config.ts';
import { type DataDir, emptyPlace, hasCatalog } from '../../platform/data-dir.ts';
import { freeBytes } from '../../platform/files.ts';
import { checkPages, readIfThere } from '../../platform/sqlite.ts';
import { shellWord } from '../../text/terminal-text.ts';
import { withFullStop } from '../../text/wording.ts';
import { noImports, rebuild } from '../client/kept-imports.ts';
import { checkService, checkSources, checkTheQueue } from '../doctor-network.ts';
import { type Action, EXIT } from '../exit-codes.ts';
import { type Finding, good, printFindings, wrong } from '../findings.ts';
import { type CommonFlags, withDataDir, withJson, withQueue } from '../flags/flags.ts';
import { type Io, printJson, say } from '../screen/io.ts';
import { showSteps } from '../screen/show-progress.ts';

interface Flags extends CommonFlags {
  readonly rebuildCatalog?: boolean;
  readonly adopt?: boolean;
  readonly trySilent?: boolean;
}

/** Bytes that should be free: an import needs some 400 a row, reports included. */
const FREE_BYTES = 1_000_000_000;

/** `rollcall doctor`: whether an import would work, and how to fix what would not. Adds no one, but the test user of `--try-silent`. */
export function doctorCommand(action: Action) {
  const command = new Command('doctor')
    .option('--rebuild-catalog', 'make a new list of imports from their folders, where the old one is lost or damaged')
    .option('--adopt', 'let this data directory go on, where it is a copy or was restored from a backup')
    .option(
      '--try-silent',
      'import a new test user into a new test group in silence in each region, name both, and remove neither',
    );
  return withQueue(withDataDir(withJson(command))).action(action(doctor));
}

async function doctor(io: Io, flags: Flags) {
  const config = readConfig(flags);
  const { dir } = config;
  if (flags.rebuildCatalog) {
    const fault = catalogFault(dir);
    if (fault !== undefined && fault.code !== 'DAMAGED_LEDGER') throw fault;
    say(io, withFullStop(rebuiltSentence(dir, rebuild(dir))), '');
  }
  if (flags.adopt) {
    if (!hasCatalog(dir)) throw noImports(emptyPlace(dir));
    adoptDirectory(dir);
    say(io, `${dir.root} goes on from here: do not use its original or another copy any more.`, '');
  }
  if (config.hostCorrection !== undefined) say(io, `${config.hostCorrection}.`, '');
  const progress = showSteps(io, () => [], { begins: 'the queue and the service to answer' });
  const [disk, keyFiles, queue, service, sources] = await Promise.all([
    checkDisk(config.dataDir),
    checkKeyFiles(),
    checkTheQueue(config),
    checkService(config, flags.trySilent),
    checkSources(config),
  ]).finally(progress.stop);
  const findings = [disk, ...checkCatalog(dir), ...keyFiles, ...queue, ...service, ...sources];
  const ok = findings.every((finding) => finding.ok);
  if (flags.json) printJson(io, { ok, findings });
  else {
    printFindings(io, findings);
    say(io, '', ok ? 'Everything is fine.' : 'Fix what is marked WRONG, then run it again.');
  }
  return ok ? EXIT.ok : EXIT.usage;
}

/** Files with keys that others on this machine can read. An import works all the same. */
async function checkKeyFiles(): Promise<Finding[]> {
  if (process.platform === 'win32') return [];
  const looks = secretFiles().map(async (path) => {
    const { mode } = (await stat(path).catch(() => undefined)) ?? { mode: 0 };
    return (mode & 0o044) === 0 ? [] : [shellWord(path)];
  });
  const paths = (await Promise.all(looks)).flat();
  if (paths.length === 0) return [];
  return [good('key files', `others on this machine can read them; chmod 600 ${paths.join(' ')}`)];
}

/** Writes nothing: a machine that only runs workers needs no data directory. */
async function checkDisk(folder: string) {
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

/** Ledgers that are opened for a look. */
const MAX_LEDGERS = 1_000;

/**
 * Whether this rollcall can use what an earlier one wrote: the list of imports, the ledgers of the newest ones, when memberships end, and
 * whom syncs made members.
 */
function checkCatalog(dir: DataDir): Finding[] {
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

/** @throws LEDGER_MISSING, DAMAGED_LEDGER */
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
function catalogFault(dir: DataDir) {
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
