import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { REGIONS, type Region } from './membership/membership.ts';

/**
 * Settings: flags first, then environment, then `rollcall.config.json`. This is the only file that reads process.env.
 * A setting that is wrong stops the start with its name, its value (never a key's) and what is allowed.
 */

/** One app of the chat service. */
export interface AppSettings {
  readonly appId: string;
  /** Needed by whoever calls the service; a secret. */
  readonly apiKey: string | undefined;
}

export interface Config {
  /** Where ledgers and reports are. Default `.rollcall`. */
  readonly dataDir: string;
  /** What follows `api-<region>.` in the service's addresses. */
  readonly host: string | undefined;
  readonly apps: Readonly<Partial<Record<Region, AppSettings>>>;
  /** Region of rows that do not say: ROLLCALL_REGION, or the only region that has an app, or `us` (chat-service.md, section 1). */
  readonly defaultRegion: Region;
  /** A certificate authority to trust besides the usual ones: a PEM file. */
  readonly caFile: string | undefined;
  /** Calls a minute and app. Default 10,000. */
  readonly callsPerMinute: number;
  /** Calls at the same time and region in one process. Default 20. */
  readonly concurrency: number;
  /** Where jobs are kept (queue/address.ts); undefined: embedded, in the memory of this process. May hold a password. */
  readonly queue: string | undefined;
  /** How long a server keeps imports that are over, in ms; undefined: until they are removed. */
  readonly keepMs: number | undefined;
  /** Origin of the server that imports are run by, such as `http://127.0.0.1:7700`; undefined: this process runs them. */
  readonly server: string | undefined;
  /** What that server knows the user by; a secret. */
  readonly token: string | undefined;
  /** Address that a server tells of imports that are over; undefined: none. */
  readonly notify: string | undefined;
  /** What those notes are signed with; a secret. */
  readonly notifySecret: string | undefined;
  /** What the user types to run rollcall again. */
  readonly command: string;
}

/** Settings that a flag can give, by the name of the setting. */
export interface Flags {
  readonly dataDir?: string | undefined;
  readonly queue?: string | undefined;
  readonly callsPerMinute?: number | undefined;
  readonly concurrency?: number | undefined;
  /** In ms. */
  readonly keep?: number | undefined;
  readonly server?: string | undefined;
  readonly notify?: string | undefined;
}

export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

const FILE = 'rollcall.config.json';
const DEFAULT_DATA_DIR = '.rollcall';
export const MOST_CALLS_PER_MINUTE = 10_000_000;
export const MOST_CONCURRENCY = 1_000;

const load = createRequire(import.meta.url);

/** What the file may hold. The checker is loaded here, where there is a file: without it a command starts in half the time. */
function configFile() {
  const { z } = load('zod') as typeof import('zod');
  const appFile = z.strictObject({ appId: z.string().optional(), apiKey: z.string().optional() });
  return z.strictObject({
    dataDir: z.string().optional(),
    queue: z.string().optional(),
    host: z.string().optional(),
    region: z.string().optional(),
    appId: z.string().optional(),
    apiKey: z.string().optional(),
    apps: z.partialRecord(z.enum(REGIONS), appFile).optional(),
    caFile: z.string().optional(),
    callsPerMinute: z.number().optional(),
    concurrency: z.number().optional(),
    keep: z.string().optional(),
    server: z.string().optional(),
    notify: z.string().optional(),
  });
}
type ConfigFile = z.infer<ReturnType<typeof configFile>>;

/** A variable that the user has named, such as one with the token of a source. */
export function environmentVariable(name: string): string | undefined {
  return process.env[name];
}

/** @throws ConfigError */
export function readConfig(
  flags: Flags = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
  folder = process.cwd(),
): Config {
  const { path, file } = readFile(env['ROLLCALL_CONFIG'], folder);
  const setting: Settings = (name, key) => {
    const value = present(env[name]);
    if (value !== undefined) return { name, value };
    return file[key] === undefined ? undefined : { name: `${key} in ${path}`, value: String(file[key]) };
  };
  const region = regionSetting(setting);
  const apps = readApps(setting, env, file, region);
  const caFile = setting('ROLLCALL_CA_FILE', 'caFile')?.value;
  const dataDir = flags.dataDir ?? setting('ROLLCALL_DATA_DIR', 'dataDir')?.value ?? DEFAULT_DATA_DIR;
  const callsPerMinute = setting('ROLLCALL_CALLS_PER_MINUTE', 'callsPerMinute');
  const concurrency = setting('ROLLCALL_CONCURRENCY', 'concurrency');
  return Object.freeze({
    dataDir: resolve(folder, dataDir),
    host: setting('ROLLCALL_HOST', 'host')?.value,
    apps,
    defaultRegion: region ?? onlyRegion(apps) ?? 'us',
    caFile: caFile === undefined ? undefined : resolve(folder, caFile),
    callsPerMinute: flags.callsPerMinute ?? wholeNumber(callsPerMinute, MOST_CALLS_PER_MINUTE) ?? 10_000,
    queue: flags.queue ?? setting('ROLLCALL_QUEUE', 'queue')?.value,
    concurrency: flags.concurrency ?? wholeNumber(concurrency, MOST_CONCURRENCY) ?? 20,
    keepMs: flags.keep ?? durationSetting(setting('ROLLCALL_KEEP', 'keep')),
    server: serverOrigin(
      flags.server === undefined
        ? setting('ROLLCALL_SERVER', 'server')
        : { name: '--server', value: flags.server.trim() },
    ),
    token: secret('ROLLCALL_TOKEN', env),
    notify: flags.notify ?? setting('ROLLCALL_NOTIFY', 'notify')?.value,
    notifySecret: secret('ROLLCALL_NOTIFY_SECRET', env),
    command: env['npm_execpath'] === undefined ? 'rollcall' : 'npx rollcall',
  });
}

/** A value, and where it was given, as messages name it. */
interface Setting {
  readonly name: string;
  readonly value: string;
}

/** Looks a setting up: in the environment, then in the file. */
type Settings = (name: string, key: Exclude<keyof ConfigFile, 'apps'>) => Setting | undefined;

function readFile(named: string | undefined, folder: string): { readonly path: string; readonly file: ConfigFile } {
  const isNamed = present(named) !== undefined;
  const path = resolve(folder, present(named) ?? FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (!isNamed && error instanceof Error && 'code' in error && error.code === 'ENOENT') return { path, file: {} };
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${isNamed ? 'ROLLCALL_CONFIG names ' : ''}${path}, which cannot be read: ${why}`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The parser's message would quote the file, and a key may stand in it.
    throw new ConfigError(`${path} is not JSON; mend or remove it`);
  }
  const allowed = configFile();
  const read = allowed.safeParse(json);
  if (read.success) return { path, file: read.data };
  const problems = read.error.issues.map(({ path: at, message }) => `${placed(json, at)}: ${message}`);
  throw new ConfigError(
    `${path} cannot be used: ${problems.join('; ')}; allowed are ${Object.keys(allowed.shape).join(', ')}`,
  );
}

/** A place in the file with the value that stands there, unless it may be a key. */
function placed(json: unknown, at: readonly PropertyKey[]): string {
  const name = at.join('.');
  if (name === '') return 'top level';
  if (['apiKey', 'queue', 'server', 'notify'].includes(String(at.at(-1)))) return name;
  const value = at.reduce((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], json);
  return typeof value === 'object' && value !== null ? name : `${name} is ${JSON.stringify(value)}`;
}

function readApps(
  setting: Settings,
  env: Readonly<Record<string, string | undefined>>,
  file: ConfigFile,
  given: Region | undefined,
): Config['apps'] {
  const apps: Partial<Record<Region, AppSettings>> = {};
  for (const region of REGIONS) {
    const prefix = `ROLLCALL_${region.toUpperCase()}`;
    const appId = present(env[`${prefix}_APP_ID`]) ?? file.apps?.[region]?.appId;
    const apiKey = present(env[`${prefix}_API_KEY`]) ?? file.apps?.[region]?.apiKey;
    if (appId !== undefined) apps[region] = { appId, apiKey };
    else if (apiKey !== undefined)
      throw new ConfigError(`${prefix}_API_KEY is set and ${prefix}_APP_ID is not: set both`);
  }
  const app = setting('ROLLCALL_APP_ID', 'appId');
  const apiKey = setting('ROLLCALL_API_KEY', 'apiKey');
  if (app === undefined) {
    if (apiKey !== undefined) throw new ConfigError(`${apiKey.name} is set and ROLLCALL_APP_ID is not: set both`);
    return apps;
  }
  const region = given ?? 'us';
  if (apps[region] !== undefined) {
    throw new ConfigError(
      `region ${region} has two apps: ${app.name} says ${app.value}, and ROLLCALL_${region.toUpperCase()}_APP_ID (or apps.${region}.appId) says ${apps[region].appId}: keep one`,
    );
  }
  return { ...apps, [region]: { appId: app.value, apiKey: apiKey?.value } };
}

function onlyRegion(apps: Config['apps']): Region | undefined {
  const [only, ...others] = Object.keys(apps) as Region[];
  return others.length === 0 ? only : undefined;
}

function regionSetting(setting: Settings): Region | undefined {
  const given = setting('ROLLCALL_REGION', 'region');
  if (given === undefined) return undefined;
  const region = REGIONS.find((one) => one === given.value.toLowerCase());
  if (region !== undefined) return region;
  throw new ConfigError(`${given.name} is ${JSON.stringify(given.value)}; allowed are ${REGIONS.join(', ')}`);
}

function wholeNumber(given: Setting | undefined, most: number): number | undefined {
  if (given === undefined) return undefined;
  const number = /^\d+$/.test(given.value) ? Number(given.value) : 0;
  if (number >= 1 && number <= most) return number;
  throw new ConfigError(`${given.name} is ${JSON.stringify(given.value)}; allowed is a whole number from 1 to ${most}`);
}

const MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };
/** As messages say what a duration may be. */
export const DURATION = 'a number of hours, days or weeks, such as 12h, 90d or 2w';

/** `90d` in ms; undefined when it is no duration, or none at all. */
export function durationMs(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([hdw])$/.exec(text.trim()) ?? [];
  const ms = Number(count) * (MS[unit] ?? 0);
  return ms > 0 ? ms : undefined;
}

function durationSetting(given: Setting | undefined): number | undefined {
  if (given === undefined) return undefined;
  const ms = durationMs(given.value);
  if (ms !== undefined) return ms;
  throw new ConfigError(`${given.name} is ${JSON.stringify(given.value)}; allowed is ${DURATION}`);
}

/** What the API's addresses begin with. */
function serverOrigin(setting: Setting | undefined): string | undefined {
  if (setting === undefined) return undefined;
  const { name, value } = setting;
  const allowed = "allowed is a server's address without a path, such as http://127.0.0.1:7700";
  const url = URL.canParse(value) ? new URL(value) : undefined;
  // A password is not repeated.
  if (url !== undefined && url.username + url.password !== '') {
    throw new ConfigError(
      `${name} holds a user name or password; ${allowed}, and the token belongs into ROLLCALL_TOKEN`,
    );
  }
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new ConfigError(`${name} is ${JSON.stringify(value)}; ${allowed}`);
}

/** A secret, which only the environment gives: flags are seen by every process of the machine, and files are copied. */
function secret(name: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const value = present(env[name]);
  if (value === undefined || /^[\x21-\x7e]+$/.test(value)) return value;
  throw new ConfigError(
    `${name} holds a blank or a letter that is not ASCII: set it to the secret as it was given out`,
  );
}

/** A variable that is set to nothing counts as not set. */
function present(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}
