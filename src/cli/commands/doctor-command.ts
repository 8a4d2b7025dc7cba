import { constants, existsSync, statSync } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { caOf } from '../../app/ca-file.ts';
import {
  clientOf,
  dispatchOnly,
  managementClientOf,
  type Service,
  serviceOf,
  serviceTarget,
} from '../../app/chat-service.ts';
import type { ChatClient } from '../../chat/chat-client.ts';
import { judge } from '../../chat/error-policy.ts';
import { BARE_404, NOT_THE_SERVICE } from '../../chat/service/codes.ts';
import { messageOf } from '../../errors/message-of.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { openCatalogReader } from '../../imports/catalog.ts';
import { adoptDirectory, copyFault } from '../../imports/life/copied-directory.ts';
import { hasLedger } from '../../imports/lost-ledger.ts';
import { rebuiltSentence } from '../../imports/rebuild-catalog.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import type { Region } from '../../membership/membership.ts';
import { type Config, readConfig, secretFiles } from '../../platform/config.ts';
import { type DataDir, dataDir, hasCatalog } from '../../platform/data-dir.ts';
import { SERVICE_HOST } from '../../platform/service-host.ts';
import { checkQueue } from '../../queue/open-backend.ts';
import { QueueAddressError } from '../../queue/queue-address.ts';
import { shellWord, wrap } from '../../text/terminal-text.ts';
import { counted, withFullStop } from '../../text/wording.ts';
import { noImports, rebuild } from '../client/kept-imports.ts';
import { type End, EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, type QueueFlags, withDataDir, withJson, withQueue } from '../flags/flags.ts';
import { type Io, print, say } from '../screen/io.ts';
import { showSteps } from '../screen/show-progress.ts';
import { triedSources } from './sources-command.ts';

interface Flags extends CommonFlags, QueueFlags {
  readonly rebuildCatalog?: boolean;
  readonly adopt?: boolean;
}

/** Bytes that should be free: an import needs some 400 a row, reports included. */
const FREE_BYTES = 1_000_000_000;

/** `rollcall doctor`: whether an import would work, and how to fix what would not. Adds no one. */
export function doctorCommand(io: Io, end: End): Command {
  const command = new Command('doctor')
    .option('--rebuild-catalog', 'make a new list of imports from their folders, where the old one is lost or damaged')
    .option('--adopt', 'let this data directory go on, where it is a copy or was restored from a backup');
  return withQueue(withDataDir(withJson(command))).action((flags: Flags) => end(doctor(io, flags)));
}

async function doctor(io: Io, flags: Flags): Promise<ExitCode> {
  const config = readConfig(flags);
  const dir = dataDir(config.dataDir);
  if (flags.rebuildCatalog) {
    const fault = catalogFault(dir);
    if (fault !== undefined && fault.code !== 'DAMAGED_LEDGER') throw fault;
    say(io, withFullStop(rebuiltSentence(dir, rebuild(dir))), '');
  }
  if (flags.adopt) {
    if (!hasCatalog(dir)) throw noImports(dir);
    adoptDirectory(dir);
    say(io, `${dir.root} goes on from here: do not use its original or another copy any more.`, '');
  }
  if (config.hostCorrection !== undefined) say(io, `${config.hostCorrection}.`, '');
  const progress = showSteps(io, () => [], { begins: 'the queue and the service to answer' });
  const [disk, keyFiles, queue, service, sources] = await Promise.all([
    checkDisk(config.dataDir),
    checkKeyFiles(),
    checkTheQueue(config),
    checkService(config),
    checkSources(config),
  ]).finally(progress.stop);
  const findings = [disk, ...checkCatalog(dir), ...keyFiles, ...queue, ...service, ...sources];
  const ok = findings.every((finding) => finding.ok);
  if (flags.json) io.out.write(`${JSON.stringify({ ok, findings })}\n`);
  else {
    const width = Math.max(...findings.map(({ check }) => check.length));
    const indent = ' '.repeat(width + 9);
    const room = io.live ? io.width - indent.length : Number.POSITIVE_INFINITY;
    for (const { check, ok: well, detail, remedy = '' } of findings) {
      const texts = [detail, `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`].filter((text) => text !== '');
      const lines = texts.flatMap((text) => wrap(text, room));
      print(io, `${well ? 'ok   ' : 'WRONG'}  ${check.padEnd(width)}  ${lines.join(`\n${indent}`)}\n`);
    }
    say(io, '', ok ? 'Everything is fine.' : 'Fix what is marked WRONG, then run it again.');
  }
  return ok ? EXIT.ok : EXIT.usage;
}

/** Files with keys that others on this machine can read. An import works all the same. */
async function checkKeyFiles(): Promise<Finding[]> {
  if (process.platform === 'win32') return [];
  const open = await Promise.all(
    secretFiles().map(async (path) => (((await stat(path).catch(() => undefined))?.mode ?? 0) & 0o044) !== 0),
  );
  const readable = secretFiles().filter((_, at) => open[at]);
  if (readable.length === 0) return [];
  const paths = readable.map((path) => shellWord(path)).join(' ');
  return [{ check: 'key files', ok: true, detail: `others on this machine can read them; chmod 600 ${paths}` }];
}

/** Writes nothing: a machine that only runs workers needs no data directory. */
async function checkDisk(folder: string): Promise<Finding> {
  const check = 'data directory';
  try {
    const place = existingPart(folder);
    await access(place, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(place);
    const free = bavail * bsize;
    const detail = `${folder}, ${(free / 1e9).toFixed(1)} GB free`;
    if (free >= FREE_BYTES) return { check, ok: true, detail };
    return { check, ok: false, detail, remedy: 'Free some disk, or name another directory with --data-dir' };
  } catch (error) {
    return {
      check,
      ok: false,
      detail: messageOf(error),
      remedy: 'Make it writable, or name another one with --data-dir',
    };
  }
}

/** Ledgers that are opened for a look. */
const MAX_LEDGERS = 1_000;

/** Whether this rollcall can use what an earlier one wrote: the list of imports, and the ledgers of the newest ones. */
function checkCatalog(dir: DataDir): Finding[] {
  const fault = catalogFault(dir) ?? copyFault(dir);
  const faults = fault === undefined ? ledgerFaults(dir) : [fault];
  return faults.map(({ code, what, remedy }) => ({
    check: 'imports',
    ok: false,
    detail: `${code}: ${what}`,
    ...(remedy !== undefined && { remedy }),
  }));
}

/** Bytes of ledgers of which each page is read; the larger ones are opened only. */
const MAX_READ = 100_000_000;

/** @throws LedgerError */
function lookAt(path: string): void {
  const reader = openImportReader(path);
  try {
    if (statSync(path).size <= MAX_READ) reader.check();
  } finally {
    reader.close();
  }
}

function ledgerFaults(dir: DataDir): RollcallError[] {
  if (!hasCatalog(dir)) return [];
  const catalog = openCatalogReader(dir.catalog);
  try {
    return catalog.list(MAX_LEDGERS).flatMap((record) => {
      const path = dir.ledger(record.id);
      return faultOf(() => hasLedger(record, path) && lookAt(path)) ?? [];
    });
  } finally {
    catalog.close();
  }
}

/** Undefined where the list of imports can be used, and where there is none yet. */
function catalogFault(dir: DataDir): RollcallError | undefined {
  return hasCatalog(dir) ? faultOf(() => openCatalogReader(dir.catalog).close()) : undefined;
}

function faultOf(look: () => unknown): RollcallError | undefined {
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

/** Checks of `rollcall doctor` that ask others: the queue, sources and the chat service. */

export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  /** Advice if the check failed. */
  readonly remedy?: string;
}

export async function checkTheQueue(config: Config): Promise<Finding[]> {
  const check = 'queue';
  if (config.queue === undefined) return [{ check, ok: true, detail: 'embedded in the process that runs imports' }];
  const remedy = 'Check ROLLCALL_QUEUE or --queue, and that its server runs and can be reached from here';
  try {
    const risks = await checkQueue(config.queue, caOf(config));
    const severe = risks.filter((risk) => risk.severe).map(({ text }) => text);
    const others = risks.filter((risk) => !risk.severe).map(({ text }) => `, but ${text}`);
    if (severe.length === 0) return [{ check, ok: true, detail: `redis answers${others.join('')}` }];
    return severe.map((text) => {
      const [detail = text, todo] = text.split('; ');
      return { check, ok: false, detail, remedy: todo ?? remedy };
    });
  } catch (error) {
    const why = error instanceof QueueAddressError ? error.message : `it cannot be reached: ${messageOf(error)}`;
    return [{ check, ok: false, detail: why, remedy }];
  }
}

export async function checkSources(config: Config): Promise<Finding[]> {
  const tried = await triedSources(config);
  return tried.map(({ name, address, detail, ...result }) => ({
    check: `source ${name}`,
    detail: `${address}: ${detail}`,
    ...result,
  }));
}

/** The role of this machine, by its queue and keys. */
export async function checkService(config: Config): Promise<Finding[]> {
  const check = 'settings';
  const regions = Object.keys(config.apps) as Region[];
  const keyed = regions.filter((region) => config.apps[region]?.apiKey !== undefined);
  try {
    if (config.queue !== undefined && keyed.length === 0) {
      const { apps } = dispatchOnly(config);
      const host = config.host === undefined ? '' : `, for workers of host ${config.host}`;
      const detail = `coordinator without keys: workers in other processes send for ${Object.keys(apps).join(', ')}${host}`;
      return [{ check, ok: true, detail }];
    }
    // With a queue, regions without a key here are for other workers.
    const service = serviceOf(config, config.queue === undefined || keyed.length === 0 ? undefined : keyed);
    const remote = config.queue === undefined ? [] : regions.filter((region) => !keyed.includes(region));
    const detail = [
      `host ${serviceTarget(service)?.host}${service.host === SERVICE_HOST ? ' (the service itself)' : ''}`,
      `apps in ${(config.queue === undefined ? regions : keyed).join(', ')}`,
      ...(remote.length === 0 ? [] : [`no key here for ${remote.join(', ')}`]),
      ...(service.proxy === undefined ? [] : [`through the proxy ${new URL(service.proxy.url).host}`]),
    ].join(', ');
    const asked = config.queue === undefined ? regions : keyed;
    return [
      { check, ok: true, detail },
      ...(await Promise.all(asked.map((region) => checkRegion(service, region)))).flat(),
      ...(config.management === undefined || service.host === '' ? [] : [await checkApps(config, asked)]),
    ];
  } catch (error) {
    if (!(error instanceof RollcallError)) return [{ check, ok: false, detail: messageOf(error) }];
    const { what, remedy } = error;
    return [{ check, ok: false, detail: what, ...(remedy !== undefined && { remedy }) }];
  }
}

/** Asks for the list of users: it needs the same address and key as adding members, and changes nothing. */
async function checkRegion(service: Service, region: Region): Promise<Finding[]> {
  const check = `region ${region}`;
  const { appId = '', url } = service.apps[region] ?? {};
  const name = `ROLLCALL_${region.toUpperCase()}`;
  const address =
    url === undefined
      ? `ROLLCALL_HOST (${service.host}; the service itself is ${SERVICE_HOST})`
      : `${name}_URL (${url})`;
  try {
    const chat = clientOf(service, region, 1);
    try {
      const startedAt = performance.now();
      await chat.listUsers();
      const ms = Math.round(performance.now() - startedAt);
      const detail = `app ${appId} answers in ${ms} ms and takes key ${chat.keyFingerprint()}`;
      return [{ check, ok: true, detail }, await checkLists(chat, region)];
    } catch (error) {
      const { code, message, kind, httpStatus } = judge(error, 1);
      const remedy =
        code === NOT_THE_SERVICE || code === BARE_404
          ? `Check the network, HTTPS_PROXY and NO_PROXY, then ${address} and ${name}_APP_ID (${appId})`
          : httpStatus === null
            ? `Check ${address}, ${name}_APP_ID (${appId}), the network and HTTPS_PROXY, and ROLLCALL_CA_FILE for a sandbox`
            : kind === 'stop-region'
              ? `Check ${name}_API_KEY (it needs the scope fullAccess) and ${name}_APP_ID (${appId})`
              : 'Try again; if it happens again, ask the chat service';
      return [{ check, ok: false, detail: `${code}: ${message}`, remedy }];
    } finally {
      await chat.close();
    }
  } catch (error) {
    const remedy = `Check ${address}, ${name}_APP_ID and ${name}_API_KEY`;
    return [{ check, ok: false, detail: messageOf(error), remedy }];
  }
}

/** Whether the account has the apps of the settings, in these regions. */
async function checkApps(config: Config, regions: readonly Region[]): Promise<Finding> {
  const check = 'management';
  const management = managementClientOf(config);
  try {
    const apps = await management.listApps();
    const ledgerIsThere = (region: Region) =>
      apps.some((app) => app.id === config.apps[region]?.appId && (app.region ?? region) === region);
    const missing = regions.filter((region) => !ledgerIsThere(region));
    const detail = `the account has ${counted(apps.length, 'app')}`;
    if (missing.length === 0) return { check, ok: true, detail: `${detail}, and the apps above are among them` };
    const names = missing.map((region) => `${config.apps[region]?.appId} in ${region}`).join(', ');
    const remedy = 'See `rollcall apps`; correct the app id or its region, or the management key';
    return { check, ok: false, detail: `${detail}, and not ${names}`, remedy };
  } catch (error) {
    const { code, message } = judge(error, 1);
    const remedy =
      'Check ROLLCALL_MANAGEMENT_KEY and ROLLCALL_MANAGEMENT_SECRET, or unset them: imports do not need them';
    return { check, ok: false, detail: `${code}: ${message}`, remedy };
  } finally {
    await management.close();
  }
}

/** Asks for a page of each list that protects members, with one entry. */
async function checkLists(chat: ChatClient, region: Region): Promise<Finding> {
  const check = `lists of ${region}`;
  const one = { perPage: 1 };
  let list = 'groups';
  try {
    const [group] = (await chat.listPage('groups', '', 1, one)).entries;
    if (group === undefined) return { check, ok: true, detail: 'there is no group yet to list members of' };
    list = 'members of a group';
    await chat.listPage('members', group.guid, 1, one);
    list = 'banned users of a group';
    await chat.listPage('banned', group.guid, 1, one);
    return { check, ok: true, detail: 'groups, members and banned users can be listed' };
  } catch (error) {
    const { code, message } = judge(error, 1);
    const detail = `the ${list} cannot be listed: ${code}, ${message}`;
    return { check, ok: false, detail, remedy: WITHOUT_LIST[list] ?? '' };
  }
}

const ASK_SERVICE = 'Ask the chat service whether plan and key include it';
const WITHOUT_LIST: Readonly<Record<string, string>> = {
  groups: `Checks of groups and exports fail. ${ASK_SERVICE}`,
  'members of a group': `Checks, syncs and exports fail, and imports cannot compare before they repeat. ${ASK_SERVICE}`,
  'banned users of a group': `Imports stop with BANS_UNKNOWN, because additions could lift bans; --no-ban-check sends without this protection. ${ASK_SERVICE}`,
};
