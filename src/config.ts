import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
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
  /** Where ledgers, reports and the embedded queue are. Default `.rollcall`. */
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
  /** What the user types to run rollcall again. */
  readonly command: string;
}

/** Settings that a flag can give, by the name of the setting. */
export interface Flags {
  readonly dataDir?: string | undefined;
  readonly callsPerMinute?: number | undefined;
  readonly concurrency?: number | undefined;
}

export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

const FILE = 'rollcall.config.json';
const DEFAULT_DATA_DIR = '.rollcall';
const DEFAULT_CALLS_PER_MINUTE = 10_000;
const DEFAULT_CONCURRENCY = 20;

const appFile = z.strictObject({ appId: z.string().optional(), apiKey: z.string().optional() });
const configFile = z.strictObject({
  dataDir: z.string().optional(),
  host: z.string().optional(),
  region: z.string().optional(),
  appId: z.string().optional(),
  apiKey: z.string().optional(),
  apps: z.partialRecord(z.enum(REGIONS), appFile).optional(),
  caFile: z.string().optional(),
  callsPerMinute: z.number().optional(),
  concurrency: z.number().optional(),
});
type ConfigFile = z.infer<typeof configFile>;

/** The environment of this process. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** @throws ConfigError */
export function readConfig(
  flags: Flags = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
  folder = process.cwd(),
): Config {
  const file = readFile(env['ROLLCALL_CONFIG'], folder);
  if (present(env['ROLLCALL_QUEUE']) !== undefined) {
    throw new ConfigError(
      'ROLLCALL_QUEUE is set, and this version has the embedded queue only; unset it to use the embedded one',
    );
  }
  const apps = readApps(env, file);
  const caFile = present(env['ROLLCALL_CA_FILE']) ?? file.caFile;
  return Object.freeze({
    dataDir: resolve(folder, flags.dataDir ?? present(env['ROLLCALL_DATA_DIR']) ?? file.dataDir ?? DEFAULT_DATA_DIR),
    host: present(env['ROLLCALL_HOST']) ?? file.host,
    apps,
    defaultRegion: defaultRegion(env, file, apps),
    caFile: caFile === undefined ? undefined : resolve(folder, caFile),
    callsPerMinute: wholeNumber(
      'ROLLCALL_CALLS_PER_MINUTE',
      flags.callsPerMinute ?? present(env['ROLLCALL_CALLS_PER_MINUTE']) ?? file.callsPerMinute,
      DEFAULT_CALLS_PER_MINUTE,
      10_000_000,
    ),
    concurrency: wholeNumber(
      'ROLLCALL_CONCURRENCY',
      flags.concurrency ?? present(env['ROLLCALL_CONCURRENCY']) ?? file.concurrency,
      DEFAULT_CONCURRENCY,
      1_000,
    ),
    command: env['npm_execpath'] === undefined ? 'rollcall' : 'npx rollcall',
  });
}

function readFile(named: string | undefined, folder: string): ConfigFile {
  const path = resolve(folder, present(named) ?? FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (present(named) === undefined) return {};
    throw new ConfigError(
      `ROLLCALL_CONFIG names ${path}, which cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The parser's message would quote the file, and a key may stand in it.
    throw new ConfigError(`${path} is not JSON; mend or remove it`);
  }
  const read = configFile.safeParse(json);
  if (read.success) return read.data;
  const problems = read.error.issues.map(
    ({ path: at, message }) => `${at.length === 0 ? 'top level' : at.join('.')}: ${message}`,
  );
  throw new ConfigError(`${path}: ${problems.join('; ')}; allowed are ${Object.keys(configFile.shape).join(', ')}`);
}

function readApps(env: Readonly<Record<string, string | undefined>>, file: ConfigFile): Config['apps'] {
  const apps: Partial<Record<Region, AppSettings>> = {};
  for (const region of REGIONS) {
    const prefix = `ROLLCALL_${region.toUpperCase()}`;
    const appId = present(env[`${prefix}_APP_ID`]) ?? file.apps?.[region]?.appId;
    const apiKey = present(env[`${prefix}_API_KEY`]) ?? file.apps?.[region]?.apiKey;
    if (appId !== undefined) apps[region] = { appId, apiKey };
    else if (apiKey !== undefined)
      throw new ConfigError(`${prefix}_API_KEY is set and ${prefix}_APP_ID is not: set both`);
  }
  const appId = present(env['ROLLCALL_APP_ID']) ?? file.appId;
  if (appId === undefined) return apps;
  const region = regionSetting(env, file) ?? 'us';
  if (apps[region] !== undefined) {
    throw new ConfigError(
      `region ${region} has two apps: ROLLCALL_APP_ID says ${appId}, and ROLLCALL_${region.toUpperCase()}_APP_ID says ${apps[region].appId}: keep one`,
    );
  }
  return { ...apps, [region]: { appId, apiKey: present(env['ROLLCALL_API_KEY']) ?? file.apiKey } };
}

function defaultRegion(
  env: Readonly<Record<string, string | undefined>>,
  file: ConfigFile,
  apps: Config['apps'],
): Region {
  const named = regionSetting(env, file);
  if (named !== undefined) return named;
  const [only, ...others] = Object.keys(apps) as Region[];
  return only !== undefined && others.length === 0 ? only : 'us';
}

function regionSetting(env: Readonly<Record<string, string | undefined>>, file: ConfigFile): Region | undefined {
  const value = present(env['ROLLCALL_REGION']) ?? file.region;
  if (value === undefined) return undefined;
  const region = REGIONS.find((one) => one === value.toLowerCase());
  if (region === undefined)
    throw new ConfigError(`ROLLCALL_REGION is ${JSON.stringify(value)}; allowed are ${REGIONS.join(', ')}`);
  return region;
}

function wholeNumber(name: string, value: string | number | undefined, otherwise: number, most: number): number {
  if (value === undefined) return otherwise;
  const number = typeof value === 'number' || /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new ConfigError(`${name} is ${JSON.stringify(value)}; allowed is a whole number from 1 to ${most}`);
}

/** A variable that is set to nothing counts as not set. */
function present(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}
