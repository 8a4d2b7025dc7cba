import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { z } from 'zod';
import { messageOf } from '../errors/message-of.ts';
import { REGIONS, type Region } from '../membership/membership.ts';
import { type AppSettings, readApps } from './app-settings.ts';
import { type LogLevel, type LogSettings, logSettings } from './log-settings.ts';
import { serviceHost } from './service-host.ts';
import { ConfigError, type Environment, present, readNamed, type Setting } from './setting.ts';

export { ConfigError } from './setting.ts';

/**
 * Settings: flags first, then the file that ROLLCALL_ENV_FILE names, then the environment, then `rollcall.config.json`. This is the only file that reads process.env.
 * A setting that is wrong stops the start with its name, its value (never a key's) and what is allowed.
 */

export interface Config {
  /** Where ledgers and reports are. Default `.rollcall`. */
  readonly dataDir: string;
  /** What follows `api-<region>.` in the service's addresses. */
  readonly host: string | undefined;
  /** What was made of a host that was given as a longer address, for the user to read. */
  readonly hostCorrection: string | undefined;
  readonly apps: Readonly<Partial<Record<Region, AppSettings>>>;
  /** Region of rows that do not say: ROLLCALL_REGION, or the only region that has an app, or `us` (docs/chat-service.md, 2). */
  readonly defaultRegion: Region;
  /** A certificate authority to trust besides the usual ones: a PEM file. */
  readonly caFile: string | undefined;
  /** The proxy that HTTPS_PROXY and NO_PROXY name; its address may hold a password. */
  readonly proxy: { readonly url: string; readonly except: string } | undefined;
  /** Calls a minute and app; where nobody has set it, the share below of the 10,000 of a usual plan. */
  readonly callsPerMinute: number;
  /**
   * Share in percent of what the service says it allows; the rest is left to others who use the app. Default 80.
   * Undefined where the calls are set: then exactly these are made.
   */
  readonly budgetShare: number | undefined;
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
  readonly log: LogSettings;
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
  readonly logLevel?: LogLevel | undefined;
  readonly logFile?: string | undefined;
}

const FILE = 'rollcall.config.json';
const DEFAULT_DATA_DIR = '.rollcall';
export const MOST_CALLS_PER_MINUTE = 10_000_000;
/** What a paid plan allows, as long as the service has not said otherwise (docs/chat-service.md, 39). */
export const USUAL_CALLS_PER_MINUTE = 10_000;
/** Logins of the app's own users count as calls as well. */
const DEFAULT_BUDGET_SHARE = 80;
export const MOST_CONCURRENCY = 1_000;

const load = createRequire(import.meta.url);

/** What the file may hold. The checker is loaded here, where there is a file: without it a command starts in half the time. */
function configFile() {
  const { z } = load('zod') as typeof import('zod');
  const appFile = z.strictObject({
    appId: z.string().optional(),
    apiKey: z.string().optional(),
    apiKeyFile: z.string().optional(),
  });
  return z.strictObject({
    dataDir: z.string().optional(),
    queue: z.string().optional(),
    host: z.string().optional(),
    region: z.string().optional(),
    appId: z.string().optional(),
    apiKey: z.string().optional(),
    apiKeyFile: z.string().optional(),
    apps: z.partialRecord(z.enum(REGIONS), appFile).optional(),
    caFile: z.string().optional(),
    callsPerMinute: z.number().optional(),
    budgetShare: z.number().optional(),
    concurrency: z.number().optional(),
    keep: z.string().optional(),
    server: z.string().optional(),
    notify: z.string().optional(),
    logLevel: z.string().optional(),
    logFile: z.string().optional(),
  });
}
type ConfigFile = z.infer<ReturnType<typeof configFile>>;

/** A variable that the user has named, such as one with the token of a source. */
export function environmentVariable(name: string): string | undefined {
  return process.env[name];
}

/** @throws ConfigError */
export function readConfig(flags: Flags = {}, environment: Environment = process.env, folder = process.cwd()): Config {
  const env = withEnvFile(environment, folder);
  const { path, file } = readFile(env['ROLLCALL_CONFIG'], folder);
  const setting: Settings = (name, key) => {
    const value = present(env[name]);
    if (value !== undefined) return { name, value };
    return file[key] === undefined ? undefined : { name: `${key} in ${path}`, value: String(file[key]) };
  };
  const region = regionSetting(setting);
  const apps = readApps(setting, env, file, region, folder);
  const givenHost = setting('ROLLCALL_HOST', 'host');
  const host = givenHost === undefined ? undefined : serviceHost(givenHost.name, givenHost.value);
  const caFile = setting('ROLLCALL_CA_FILE', 'caFile')?.value;
  const dataDir = flags.dataDir ?? setting('ROLLCALL_DATA_DIR', 'dataDir')?.value ?? DEFAULT_DATA_DIR;
  const callsPerMinute = setting('ROLLCALL_CALLS_PER_MINUTE', 'callsPerMinute');
  const concurrency = setting('ROLLCALL_CONCURRENCY', 'concurrency');
  const callsSet = flags.callsPerMinute ?? wholeNumber(callsPerMinute, MOST_CALLS_PER_MINUTE);
  const share = wholeNumber(setting('ROLLCALL_BUDGET_SHARE', 'budgetShare'), 100) ?? DEFAULT_BUDGET_SHARE;
  return Object.freeze({
    dataDir: resolve(folder, dataDir),
    host: host?.host,
    hostCorrection: host?.correction,
    apps,
    defaultRegion: region ?? onlyRegion(apps) ?? 'us',
    caFile: caFile === undefined ? undefined : resolve(folder, caFile),
    proxy: proxySetting(env),
    callsPerMinute: callsSet ?? Math.floor((USUAL_CALLS_PER_MINUTE * share) / 100),
    budgetShare: callsSet === undefined ? share : undefined,
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
    log: logSettings(
      { level: setting('ROLLCALL_LOG_LEVEL', 'logLevel'), file: setting('ROLLCALL_LOG_FILE', 'logFile') },
      flags,
      folder,
    ),
    command: env['npm_execpath'] === undefined ? 'rollcall' : 'npx rollcall',
  });
}

/** The key of a region's app as the settings say it at this moment; undefined where they do not, or cannot be read. */
export function currentApiKey(region: Region, appId: string): string | undefined {
  try {
    const app = readConfig().apps[region];
    return app?.appId === appId ? app.apiKey : undefined;
  } catch (error) {
    // Somebody may be in the middle of changing them.
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/**
 * The settings of a file of `NAME=value` lines come before those of the environment: a process can read the file again,
 * where its environment never changes.
 */
function withEnvFile(environment: Environment, folder: string): Environment {
  const named = present(environment['ROLLCALL_ENV_FILE']);
  if (named === undefined) return environment;
  const given = parseEnv(readNamed('ROLLCALL_ENV_FILE', resolve(folder, named)));
  return {
    ...environment,
    ...Object.fromEntries(Object.entries(given).filter(([name]) => name.startsWith('ROLLCALL_'))),
  };
}

/** The usual names, of which the lower-case one comes first, as everywhere. */
function proxySetting(env: Environment): Config['proxy'] {
  const url = present(env['https_proxy']) ?? present(env['HTTPS_PROXY']);
  return url === undefined ? undefined : { url, except: env['no_proxy'] ?? env['NO_PROXY'] ?? '' };
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
    const why = messageOf(error);
    throw new ConfigError(`${isNamed ? 'ROLLCALL_CONFIG names ' : ''}${path}, which cannot be read: ${why}`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The parser's message would quote the file, and a key may stand in it.
    throw new ConfigError(`${path} is not JSON; fix or remove it`);
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
function secret(name: string, env: Environment): string | undefined {
  const value = present(env[name]);
  if (value === undefined || /^[\x21-\x7e]+$/.test(value)) return value;
  throw new ConfigError(
    `${name} holds a blank or a letter that is not ASCII: set it to the secret as it was given out`,
  );
}
