import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { DEFAULT_REGION } from '../chat/service/regions.ts';
import type { Region } from '../membership/membership.ts';
import { nearest } from '../text/nearest.ts';
import { allowedValues } from './allowed-values.ts';
import { type AppSettings, readApps } from './app-settings.ts';
import { asText, readConfigFile, type SettingsOfFile, withProfile } from './config-file.ts';
import type { LogLevel, LogSettings } from './log-settings.ts';
import { type NamedSource, readNamedSources } from './named-sources.ts';
import { ConfigError, type Environment, present, readNamed, type Setting, valueOrFile } from './setting.ts';
import {
  type AskBeforeRepeat,
  type BannedListSetting,
  DEFAULT_BUDGET_SHARE,
  DEFAULT_CONCURRENCY,
  DEFAULT_PER_GROUP,
  SETTINGS,
  type SettingDeclaration,
  type SettingName,
  USUAL_CALLS_PER_MINUTE,
  VARIABLES,
  type ValueOf,
} from './settings.ts';

export { ConfigError } from './setting.ts';

/**
 * Settings: flags first, then the file that ROLLCALL_ENV_FILE names, then the environment, then `rollcall.config.json`. This is the only file that reads process.env.
 * A setting that is wrong stops the start with its name, its value (never a key's) and what is allowed.
 */

export interface Config {
  /** The profile that these settings are of. */
  readonly profile: string | undefined;
  /** The value of `--profile`, for commands to copy. */
  readonly profileFlag: string | undefined;
  /** The folder of ledgers and reports. Default: `.rollcall`. */
  readonly dataDir: string;
  /** The value of `--data-dir`, for commands to copy. Undefined if the folder comes from a setting or the default. */
  readonly dataDirFlag: string | undefined;
  /** The part after `api-<region>.` in the service's addresses. */
  readonly host: string | undefined;
  /** The correction of a host that was given as a longer address, for the user to read. */
  readonly hostCorrection: string | undefined;
  readonly apps: Readonly<Partial<Record<Region, AppSettings>>>;
  /** For management operations; undefined where none are set. */
  readonly management: { readonly key: string; readonly secret: string } | undefined;
  /** Region of rows that do not say: ROLLCALL_REGION, or the only region that has an app, or `us` (docs/chat-service.md, 2). */
  readonly defaultRegion: Region;
  /** A certificate authority to trust in addition to the usual ones: a PEM file. */
  readonly caFile: string | undefined;
  /** The proxy that HTTPS_PROXY and NO_PROXY name; its address may hold a password. */
  readonly proxy: { readonly url: string; readonly except: string } | undefined;
  /** Calls a minute and app; where it is not set, the share below of the 10,000 of a usual plan. */
  readonly callsPerMinute: number;
  /** Calls a minute and app that only read; undefined: as the service says with the share below, else part of the calls above. */
  readonly listsPerMinute: number | undefined;
  /**
   * Share in percent of what the service says it allows; the rest is left to others who use the app. Default 80.
   * Undefined where the calls are set: then exactly these are made.
   */
  readonly budgetShare: number | undefined;
  /** Concurrent calls in each region of one process. Default 20. */
  readonly concurrency: number;
  readonly perGroup: number;
  /**
   * The address of the queue (queue/queue-address.ts). Undefined: embedded, in the memory of this process. May hold a
   * password.
   */
  readonly queue: string | undefined;
  /** The time that a server keeps finished imports, in ms. Undefined: until they are removed. */
  readonly keepMs: number | undefined;
  readonly askBeforeRepeat: AskBeforeRepeat;
  readonly bannedList: BannedListSetting;
  /** The time that imports wait for a service that does not answer, in ms. Undefined: the command decides. */
  readonly giveUpAfterMs: number | undefined;
  /** Folders (whole paths) and addresses that schedules made over the API may read. */
  readonly sources: readonly string[];
  /** By name. */
  readonly namedSources: Readonly<Record<string, NamedSource>>;
  /** Origin of the server that imports are run by, such as `http://127.0.0.1:7700`; undefined: this process runs them. */
  readonly server: string | undefined;
  /** The user's token for that server; a secret. */
  readonly token: string | undefined;
  /** Address that a server notifies of finished imports; undefined: none. */
  readonly notify: string | undefined;
  /** The key that signs those notifications; a secret. */
  readonly notifySecret: string | undefined;
  /** Its file is undefined where none is set: `rollcall.log` in the data directory, and none for a worker. */
  readonly log: LogSettings;
}

/** Settings that a flag can give, by the name of the setting. */
export interface Flags {
  readonly profile?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly queue?: string | undefined;
  readonly callsPerMinute?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly perGroup?: number | undefined;
  /** In ms. */
  readonly keep?: number | undefined;
  /** In ms. */
  readonly giveUpAfter?: number | undefined;
  readonly server?: string | undefined;
  readonly notify?: string | undefined;
  readonly logLevel?: LogLevel | undefined;
  readonly logFile?: string | undefined;
}

/** A variable that the user has named, such as one with the token of a source. */
export function environmentVariable(name: string): string | undefined {
  return process.env[name];
}

/** @throws ConfigError */
export function readConfig(flags: Flags = {}, environment: Environment = process.env, folder = process.cwd()): Config {
  const env = withEnvFile(environment, folder);
  refuseUnknown(env);
  const { path, file: everything } = readConfigFile(env['ROLLCALL_CONFIG'], folder);
  const profileFlag = flags.profile ?? chosenProfile;
  const profile = profileFlag ?? present(env['ROLLCALL_PROFILE']) ?? asText(everything.profile);
  const file = profile === undefined ? everything : withProfile(everything, profile, path);
  const given = (name: SettingName): Setting | undefined => {
    const { env: variable, only, orFile } = SETTINGS[name] as SettingDeclaration;
    const named = orFile ? present(env[`${variable}_FILE`]) : undefined;
    const set = valueOrFile([variable, present(env[variable])], [`${variable}_FILE`, named], folder, 'value');
    if (set !== undefined) return set;
    const inFile = only === 'environment' ? undefined : file[name];
    return inFile === undefined || typeof inFile === 'object'
      ? undefined
      : { name: `${name} in ${path}`, value: String(inFile) };
  };
  const value = <Name extends SettingName>(name: Name): ValueOf<Name> | undefined => {
    const setting = given(name);
    return setting === undefined ? undefined : parsed(name, setting);
  };
  const region = value('region');
  const apps = readApps(given, env, file, region, folder);
  const host = value('host');
  const caFile = value('caFile');
  /** Flags are checked as they are read; a program gives any number. */
  const numberOf = (name: 'callsPerMinute' | 'concurrency' | 'perGroup') => {
    const number = flags[name];
    return number === undefined ? value(name) : parsed(name, { name, value: String(number) });
  };
  const callsSet = numberOf('callsPerMinute');
  const whole = (one: string) => (URL.canParse(one) ? one : resolve(folder, one));
  const logFile = flags.logFile ?? value('logFile');
  const share = value('budgetShare') ?? DEFAULT_BUDGET_SHARE;
  if (profile !== undefined) checkProfile(profile, everything.profiles?.[profile], { host: host?.host, apps });
  return Object.freeze({
    profile,
    profileFlag,
    dataDir: resolve(folder, flags.dataDir ?? value('dataDir') ?? '.rollcall'),
    dataDirFlag: flags.dataDir,
    host: host?.host,
    hostCorrection: host?.correction,
    apps,
    management: managementOf(value('managementKey'), value('managementSecret')),
    defaultRegion: region ?? onlyRegion(apps) ?? DEFAULT_REGION,
    caFile: caFile === undefined ? undefined : resolve(folder, caFile),
    proxy: proxySetting(env),
    callsPerMinute: callsSet ?? Math.floor((USUAL_CALLS_PER_MINUTE * share) / 100),
    listsPerMinute: value('listsPerMinute'),
    budgetShare: callsSet === undefined ? share : undefined,
    queue: flags.queue ?? value('queue'),
    concurrency: numberOf('concurrency') ?? DEFAULT_CONCURRENCY,
    perGroup: numberOf('perGroup') ?? DEFAULT_PER_GROUP,
    keepMs: flags.keep ?? value('keep'),
    askBeforeRepeat: value('askBeforeRepeat') ?? 'auto',
    bannedList: value('bannedList') ?? 'auto',
    giveUpAfterMs: flags.giveUpAfter ?? value('giveUpAfter'),
    namedSources: readNamedSources(file.sources, folder),
    sources: (value('sources') ?? []).map(whole),
    server: flags.server === undefined ? value('server') : parsed('server', { name: '--server', value: flags.server }),
    token: value('token'),
    notify: flags.notify ?? value('notify'),
    notifySecret: value('notifySecret'),
    log: {
      level: flags.logLevel ?? value('logLevel') ?? 'info',
      file: logFile === undefined ? undefined : resolve(folder, logFile),
    },
  });
}

let chosenProfile: string | undefined;

/**
 * Sets the profile of `--profile` for all settings that this process reads: it takes precedence over
 * `ROLLCALL_PROFILE`.
 */
export function chooseProfile(name: string | undefined): void {
  chosenProfile = name;
}

/** The names of the profiles that there are. @throws ConfigError */
export function profileNames(environment: Environment = process.env, folder = process.cwd()): readonly string[] {
  return Object.keys(readConfigFile(withEnvFile(environment, folder)['ROLLCALL_CONFIG'], folder).file.profiles ?? {});
}

/**
 * Refuses a variable that contradicts the profile's host or apps, because its name promises them.
 * @throws ConfigError
 */
function checkProfile(
  name: string,
  chosen: SettingsOfFile = {},
  { host, apps }: { readonly host: string | undefined; readonly apps: Config['apps'] },
): void {
  const clash = (what: string, says: string, is: string | undefined) =>
    new ConfigError(
      `profile ${name} has the ${what} ${says}, and a variable of the environment says ${is}`,
      'unset the variable, or choose no profile',
    );
  const itsHost = asText(chosen.host);
  const meant = itsHost === undefined ? undefined : parsed('host', { name: 'host', value: itsHost }).host;
  if (meant !== undefined && meant !== host) throw clash('host', meant, host);
  for (const [region, { appId }] of Object.entries(chosen.apps ?? {})) {
    const is = apps[region as Region]?.appId;
    if (appId !== undefined && appId !== is) throw clash(`app of region ${region}`, appId, is);
  }
  const ids = Object.values(apps).map((app) => app.appId);
  const itsApp = asText(chosen.appId);
  if (itsApp !== undefined && !ids.includes(itsApp)) throw clash('app', itsApp, ids.join(', '));
}

/** @throws ConfigError where one is set without the other */
function managementOf(key: string | undefined, secret: string | undefined): Config['management'] {
  if (key !== undefined && secret !== undefined) return { key, secret };
  if (key === secret) return undefined;
  const names = ['ROLLCALL_MANAGEMENT_KEY', 'ROLLCALL_MANAGEMENT_SECRET'];
  const [set, missing] = key === undefined ? names.toReversed() : names;
  throw new ConfigError(`${set} is set and ${missing} is not: set both`);
}

/** @throws ConfigError */
function parsed<Name extends SettingName>(name: Name, setting: Setting): ValueOf<Name> {
  const declared: SettingDeclaration = SETTINGS[name];
  const value = declared.parse(setting.value, setting.name);
  if (value !== undefined) return value as ValueOf<Name>;
  throw new ConfigError(`${setting.name} is ${JSON.stringify(setting.value)}; allowed ${allowedValues(declared)}`);
}

/** Kubernetes sets them for a service of this name. */
const OF_KUBERNETES = /_(SERVICE_HOST|SERVICE_PORT|PORT)(_|$)/;

/** Refuses variables that look like settings and are not, such as misspelled ones. @throws ConfigError */
function refuseUnknown(env: Environment): void {
  for (const name of Object.keys(env).toSorted()) {
    if (!name.startsWith('ROLLCALL_') || VARIABLES.includes(name) || OF_KUBERNETES.test(name)) continue;
    const meant = nearest(name, VARIABLES);
    throw new ConfigError(
      `${name} is not a setting of rollcall`,
      meant === undefined ? 'unset it; docs/settings.md has the settings' : `did you mean ${meant}?`,
    );
  }
}

/** Whole paths of the files that variables name and that hold keys, passwords or other secrets. @throws ConfigError */
export function secretFiles(environment: Environment = process.env, folder = process.cwd()): readonly string[] {
  const env = withEnvFile(environment, folder);
  const names = VARIABLES.filter((name) => name.endsWith('_FILE') && !PUBLIC_FILES.has(name));
  return names.flatMap((name) => present(env[name]) ?? []).map((path) => resolve(folder, path));
}

const PUBLIC_FILES: ReadonlySet<string> = new Set(['ROLLCALL_CA_FILE', 'ROLLCALL_LOG_FILE']);

/** The key of a region's app as the settings say it at this moment; undefined where they do not, or cannot be read. */
export function currentApiKey(region: Region, appId: string): string | undefined {
  try {
    const app = readConfig().apps[region];
    return app?.appId === appId ? app.apiKey : undefined;
  } catch (error) {
    // The file may be half written.
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

function onlyRegion(apps: Config['apps']): Region | undefined {
  const [only, ...others] = Object.keys(apps) as Region[];
  return others.length === 0 ? only : undefined;
}
