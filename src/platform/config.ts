import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { IMPORTS_PER_MINUTE } from '../chat/service/limits.ts';
import { DEFAULT_REGION } from '../chat/service/regions.ts';
import { badSetting, isError, RollcallError } from '../errors/rollcall-error.ts';
import { REGIONS, type Region } from '../membership/membership.ts';
import { nearest } from '../text/wrong-option.ts';
import { allowedValues } from './allowed-values.ts';
import {
  asText,
  type Environment,
  present,
  readConfigFile,
  readNamed,
  type Setting,
  type SettingsOfFile,
  valueOrFile,
  withProfile,
} from './config-file.ts';
import { hostCorrection, serviceHost } from './hosts.ts';
import { readNamedSources } from './named-sources.ts';
import {
  CONFIG_NAMES,
  type Flags,
  SECRET_FILES,
  SETTINGS,
  type SettingDeclaration,
  type SettingName,
  type SettingValues,
  USUAL_CALLS_PER_MINUTE,
  VARIABLES,
  type ValueOf,
  variableOf,
} from './settings.ts';

/**
 * Settings: flags first, then the file that ROLLCALL_ENV_FILE names, then the environment, then `rollcall.config.json`. This is the only file that reads process.env.
 * A setting that is wrong stops the start with its name, its value (never a key's) and what is allowed.
 */

/** The settings under their names (`settings.ts`), and what follows from several of them. */
export type Config = ReturnType<typeof readConfig>;

/** A variable that the user has named, such as one with the token of a source. */
export function environmentVariable(name: string) {
  return process.env[name];
}

/** @throws BAD_SETTING */
export function readConfig(flags: Flags, environment: Environment = process.env, folder = process.cwd()) {
  const env = withEnvFile(environment, folder);
  refuseUnknown(env);
  const { path, file: everything } = readConfigFile(env[SETTINGS.config.env], folder);
  const profile = flags.profile ?? present(env[SETTINGS.profile.env]) ?? asText(everything.profile);
  const file = profile === undefined ? everything : withProfile(everything, profile, path);
  const given = (name: SettingName, region?: Region) => givenSetting({ env, file, path, folder }, name, region);
  const set = <Name extends SettingName>(name: Name): ValueOf<Name> | undefined => {
    const setting = given(name);
    return setting === undefined ? undefined : parsed(name, setting);
  };
  const inEffect = (name: SettingName) => {
    const { preset, isPath }: SettingDeclaration = SETTINGS[name];
    const value = flagged(flags, name) ?? set(name) ?? preset;
    return isPath && typeof value === 'string' ? resolve(folder, value) : value;
  };
  const values = Object.fromEntries(CONFIG_NAMES.map((name) => [name, inEffect(name)])) as unknown as SettingValues;
  const region = set('region');
  const apps = readApps(given, region);
  if (profile !== undefined) checkProfile(profile, everything.profiles?.[profile], { host: values.host, apps });
  const { callsPerMinute, budgetShare, sources = [] } = values;
  const host = given('host');
  return Object.freeze({
    ...values,
    /** The profile that these settings are of. */
    profile,
    /** The value of `--profile`, for commands to copy. */
    profileFlag: flags.profile,
    /** The value of `--data-dir`, for commands to copy. Undefined if the folder comes from a setting or the default. */
    dataDirFlag: flags.dataDir,
    /** The value of `--server`, likewise. */
    serverFlag: flags.server,
    /** The correction of a host that was given as a longer address, for the user to read. */
    hostCorrection: host && hostCorrection(host),
    apps,
    /** For management operations; undefined where none are set. */
    management: managementOf(set('managementKey'), set('managementSecret')),
    /** Region of rows that do not say: ROLLCALL_REGION, or the only region that has an app, or `us` (docs/chat-service.md, 2). */
    defaultRegion: region ?? onlyRegion(apps) ?? DEFAULT_REGION,
    /** The proxy that HTTPS_PROXY and NO_PROXY name; its address may hold a password. */
    proxy: proxySetting(env),
    /** Calls a minute and app; where it is not set, the share below of the 10,000 of a usual plan. */
    callsPerMinute: callsPerMinute ?? Math.floor((USUAL_CALLS_PER_MINUTE * budgetShare) / 100),
    /** Calls a minute and app of imports in silence, of which the share below is used too. */
    importsPerMinute: Math.floor((IMPORTS_PER_MINUTE * (callsPerMinute === undefined ? budgetShare : 100)) / 100),
    /** Undefined where the calls are set: then exactly these are made. */
    budgetShare: callsPerMinute === undefined ? budgetShare : undefined,
    /** Folders (whole paths) and addresses that schedules made over the API may read. */
    sources: sources.map((one) => (URL.canParse(one) ? one : resolve(folder, one))),
    /** By name. */
    namedSources: readNamedSources(file.sources, folder),
  });
}

interface Origins {
  readonly env: Environment;
  readonly file: SettingsOfFile;
  /** The path of the file. */
  readonly path: string;
  readonly folder: string;
}

/** Returns a setting as the environment or the file has it. @param region of a setting with a value for each */
function givenSetting({ env, file, path, folder }: Origins, name: SettingName, region?: Region) {
  const { env: us, only, orFile, perRegion }: SettingDeclaration = SETTINGS[name];
  const variable = variableOf(us, region);
  const named = `${variable}_FILE`;
  const ofFile = orFile ? present(env[named]) : undefined;
  const set = valueOrFile([variable, present(env[variable])], [named, ofFile], folder);
  if (set !== undefined || (only === 'environment' && !perRegion)) return set;
  const at = perRegion && region ? file.apps?.[region] : file;
  const key = perRegion ?? name;
  const place = perRegion ? `apps.${region}.` : '';
  const [value, nameOfFile] = [key, `${key}File`].map((one) => asText((at as ValuesOfFile | undefined)?.[one]));
  return valueOrFile([`${place}${key} in ${path}`, value], [`${place}${key}File in ${path}`, nameOfFile], folder);
}

type ValuesOfFile = Readonly<Record<string, unknown>>;

/** The value of a flag, which is checked as it is read; a program gives any number. @throws BAD_SETTING */
function flagged(flags: Flags, name: SettingName) {
  const { flag, number }: SettingDeclaration = SETTINGS[name];
  const value = flag === undefined ? undefined : (flags as ValuesOfFile)[name];
  return value === undefined || !number ? value : parsed(name, { name, value: String(value) });
}

/** The names of the profiles that there are. @throws BAD_SETTING */
export function profileNames(environment: Environment = process.env, folder = process.cwd()) {
  return Object.keys(readConfigFile(withEnvFile(environment, folder)[SETTINGS.config.env], folder).file.profiles ?? {});
}

/**
 * Refuses a variable that contradicts the profile's host or apps, because its name promises them.
 * @throws BAD_SETTING
 */
function checkProfile(
  name: string,
  chosen: SettingsOfFile = {},
  { host, apps }: { readonly host: string | undefined; readonly apps: Apps },
) {
  const clash = (what: string, says: string, is: string | undefined) =>
    badSetting(
      `profile ${name} has the ${what} ${says}, and a variable of the environment says ${is}`,
      'unset the variable, or choose no profile',
    );
  const itsHost = asText(chosen.host);
  const meant = itsHost === undefined ? undefined : serviceHost(itsHost);
  if (meant !== undefined && meant !== host) throw clash('host', meant, host);
  for (const [region, { appId }] of Object.entries(chosen.apps ?? {})) {
    const is = apps[region as Region]?.appId;
    if (appId !== undefined && appId !== is) throw clash(`app of region ${region}`, appId, is);
  }
  const ids = Object.values(apps).map((app) => app.appId);
  const itsApp = asText(chosen.appId);
  if (itsApp !== undefined && !ids.includes(itsApp)) throw clash('app', itsApp, ids.join(', '));
}

/** @throws BAD_SETTING where one is set without the other */
function managementOf(key: string | undefined, secret: string | undefined) {
  if (key !== undefined && secret !== undefined) return { key, secret };
  if (key === secret) return undefined;
  const names = [SETTINGS.managementKey.env, SETTINGS.managementSecret.env];
  const [set = '', missing = ''] = key === undefined ? names.toReversed() : names;
  throw incomplete(set, missing);
}

/** @throws BAD_SETTING */
function parsed<Name extends SettingName>(name: Name, setting: Setting) {
  const declared: SettingDeclaration = SETTINGS[name];
  const value = declared.parse(setting.value, setting.name);
  if (value !== undefined) return value as ValueOf<Name>;
  const { name: place, value: text } = setting;
  throw new RollcallError('BAD_SETTING', { name: place, value: text, allowed: allowedValues(declared) });
}

/** Kubernetes sets them for a service of this name. */
const OF_KUBERNETES = /_(SERVICE_HOST|SERVICE_PORT|PORT)(_|$)/;

/** Refuses variables that look like settings and are not, such as misspelled ones. @throws BAD_SETTING */
function refuseUnknown(env: Environment) {
  for (const name of Object.keys(env).toSorted()) {
    if (!name.startsWith('ROLLCALL_') || VARIABLES.includes(name) || OF_KUBERNETES.test(name)) continue;
    const meant = nearest(name, VARIABLES);
    throw badSetting(
      `${name} is not a setting of rollcall`,
      meant === undefined ? 'unset it; docs/settings.md has the settings' : `did you mean ${meant}?`,
    );
  }
}

/** Whole paths of the files that variables name and that hold keys, passwords or other secrets. @throws BAD_SETTING */
export function secretFiles(environment: Environment = process.env, folder = process.cwd()) {
  const env = withEnvFile(environment, folder);
  return SECRET_FILES.flatMap((name) => present(env[name]) ?? []).map((path) => resolve(folder, path));
}

/** The key of a region's app as the settings say it at this moment; undefined where they do not, or cannot be read. */
export function currentApiKey(region: Region, appId: string, profile: string | undefined) {
  try {
    const app = readConfig({ profile }).apps[region];
    return app?.appId === appId ? app.apiKey : undefined;
  } catch (error) {
    // The file may be half written.
    if (isError(error, 'BAD_SETTING')) return undefined;
    throw error;
  }
}

/**
 * The settings of a file of `NAME=value` lines come before those of the environment: a process can read the file again,
 * where its environment never changes.
 */
function withEnvFile(environment: Environment, folder: string) {
  const named = present(environment[SETTINGS.envFile.env]);
  if (named === undefined) return environment;
  const given = parseEnv(readNamed(SETTINGS.envFile.env, resolve(folder, named)));
  return {
    ...environment,
    ...Object.fromEntries(Object.entries(given).filter(([name]) => name.startsWith('ROLLCALL_'))),
  };
}

/** The usual names, of which the lower-case one comes first, as everywhere. */
function proxySetting(env: Environment) {
  const url = present(env['https_proxy']) ?? present(env['HTTPS_PROXY']);
  return url === undefined ? undefined : { url, except: env['no_proxy'] ?? env['NO_PROXY'] ?? '' };
}

function onlyRegion(apps: Apps) {
  const [only, ...others] = Object.keys(apps) as Region[];
  return others.length === 0 ? only : undefined;
}

/** One app of the chat service. */
type AppSettings = {
  readonly appId: string;
  /** Base address, where it does not follow from host, app id and region. */
  readonly url?: string | undefined;
  /** Needed by processes that call the service; a secret. Throws BAD_SETTING where its file cannot be read. */
  readonly apiKey: string | undefined;
};

type Apps = ReturnType<typeof readApps>;

/**
 * The apps of all regions, each with its key.
 * @param appRegion the region of the single app
 * @throws BAD_SETTING
 */
function readApps(
  given: (name: SettingName, region?: Region) => Setting | undefined,
  appRegion: Region = DEFAULT_REGION,
) {
  const apps: Partial<Record<Region, AppSettings>> = {};
  const single = given('appId');
  const singleKey = given('apiKey');
  if (single === undefined && singleKey !== undefined) throw incomplete(singleKey.name, SETTINGS.appId.env);
  for (const region of REGIONS) {
    const itsApp = given('regionAppId', region);
    const key = given('regionApiKey', region);
    const itsUrl = given('regionUrl', region);
    const url = itsUrl && parsed('regionUrl', itsUrl);
    const variable = variableOf(SETTINGS.regionAppId.env, region);
    if (itsApp !== undefined) apps[region] = appWith(itsApp.value, url, key);
    else if (key !== undefined) throw incomplete(key.name, variable);
    if (single === undefined || region !== appRegion) {
      if (itsApp === undefined && url !== undefined) {
        throw incomplete(variableOf(SETTINGS.regionUrl.env, region), variable);
      }
    } else if (itsApp !== undefined) {
      throw badSetting(
        `region ${region} has two apps: ${single.name} says ${single.value}, and ${itsApp.name} says ${itsApp.value}: keep one`,
      );
    } else apps[region] = appWith(single.value, url, singleKey);
  }
  return apps;
}

const incomplete = (set: string, missing: string) => new RollcallError('BAD_SETTING', { set, missing });

function appWith(appId: string, url: string | undefined, key: Setting | undefined) {
  return {
    appId,
    url,
    get apiKey() {
      return key?.value;
    },
  };
}
