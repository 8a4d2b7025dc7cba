import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { IMPORTS_PER_MINUTE } from '../chat/service/limits.ts';
import { DEFAULT_REGION } from '../chat/service/regions.ts';
import { badSetting, isError, RollcallError } from '../errors/rollcall-error.ts';
import { REGIONS, type Region } from '../membership/membership.ts';
import { nearest } from '../text/wrong-option.ts';
import { readConfigFile, type SettingsOfFile, withProfile } from './config-file.ts';
import { dataDir } from './data-dir.ts';
import { type Environment, givenIn, present, readNamed, readSetting, type Setting } from './given-values.ts';
import { hostCorrection } from './hosts.ts';
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
  const { path, file: whole } = readConfigFile(env[SETTINGS.config.env], folder);
  const profile = flags.profile ?? present(env[SETTINGS.profile.env]) ?? present(whole.profile);
  const { chosen, file } = profile === undefined ? { chosen: {}, file: whole } : withProfile(whole, profile, path);
  const inFile = (values: SettingsOfFile, name: SettingName, region?: Region) => {
    const declared: SettingDeclaration = SETTINGS[name];
    const key = declared.perRegion ?? name;
    const [at, place] = region === undefined ? [values, ''] : [values.apps?.[region], `apps.${region}.`];
    return givenIn(at, key, `${key}File`, folder, (one) => `${place}${one} in ${path}`);
  };
  /** A setting as the environment or the file has it. @param region of a setting with a value for each */
  const given = (name: SettingName, region?: Region) => {
    const declared: SettingDeclaration = SETTINGS[name];
    const variable = variableOf(declared.env, region);
    const set = givenIn(env, variable, `${variable}_FILE`, folder);
    const promised = declared.isPromised && set && inFile(chosen, name, region);
    if (promised && readSetting(declared, promised) !== readSetting(declared, set)) {
      throw badSetting(
        `${promised.name} is ${promised.value} in profile ${profile}, and ${set.name} is ${set.value}`,
        'unset the variable, or choose no profile',
      );
    }
    return set ?? inFile(file, name, region);
  };
  const set = <Name extends SettingName>(name: Name) => {
    const setting = given(name);
    return setting && (readSetting<unknown>(SETTINGS[name], setting) as ValueOf<Name>);
  };
  const inEffect = (name: SettingName) => {
    const declared: SettingDeclaration = SETTINGS[name];
    const { flag, isNumber, preset, isPath } = declared;
    const typed = flag && (flags as Readonly<Record<string, unknown>>)[name];
    // A flag was checked as it was read; a program gives any number.
    const ofFlag = isNumber && typed !== undefined ? readSetting(declared, { name, value: String(typed) }) : typed;
    const value = ofFlag ?? set(name) ?? preset;
    return isPath && typeof value === 'string' ? resolve(folder, value) : value;
  };
  const values = Object.fromEntries(CONFIG_NAMES.map((name) => [name, inEffect(name)])) as unknown as SettingValues;
  const region = set('region');
  const apps = readApps(given, region);
  const { callsPerMinute, budgetShare, sources = [] } = values;
  const host = given('host');
  return Object.freeze({
    ...values,
    dir: dataDir(values.dataDir),
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

/** The names of the profiles that there are. @throws BAD_SETTING */
export function profileNames(environment: Environment = process.env, folder = process.cwd()) {
  return Object.keys(readConfigFile(withEnvFile(environment, folder)[SETTINGS.config.env], folder).file.profiles ?? {});
}

/** @throws BAD_SETTING where one is set without the other */
function managementOf(key: string | undefined, secret: string | undefined) {
  if (key !== undefined && secret !== undefined) return { key, secret };
  if (key === secret) return undefined;
  const names = [SETTINGS.managementKey.env, SETTINGS.managementSecret.env];
  const [set = '', missing = ''] = key === undefined ? names.toReversed() : names;
  throw incomplete(set, missing);
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

/** Adds the settings of a file of `NAME=value` lines, which a process can read again, unlike its environment. */
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

/** The apps of all regions, each with its key. @param appRegion the region of the single app @throws BAD_SETTING */
function readApps(
  given: (name: SettingName, region?: Region) => Setting | undefined,
  appRegion: Region = DEFAULT_REGION,
) {
  const apps: Partial<Record<Region, AppSettings>> = {};
  const single = given('appId');
  const singleKey = given('apiKey');
  if (single === undefined && singleKey !== undefined) throw incomplete(singleKey.name, SETTINGS.appId.env);
  for (const region of REGIONS) {
    const own = given('regionAppId', region);
    const ownKey = given('regionApiKey', region);
    const url = given('regionUrl', region);
    const [app, key] = own === undefined && region === appRegion ? [single, singleKey] : [own, ownKey];
    if (own !== undefined && single !== undefined && region === appRegion) {
      throw badSetting(
        `region ${region} has two apps: ${single.name} says ${single.value}, and ${own.name} says ${own.value}: keep one`,
      );
    }
    const alone = (own === undefined ? ownKey : undefined) ?? (app === undefined ? url : undefined);
    if (alone !== undefined) throw incomplete(alone.name, variableOf(SETTINGS.regionAppId.env, region));
    if (app === undefined) continue;
    apps[region] = {
      appId: app.value,
      url: url && readSetting(SETTINGS.regionUrl, url),
      get apiKey() {
        return key?.value;
      },
    };
  }
  return apps;
}

const incomplete = (set: string, missing: string) => new RollcallError('BAD_SETTING', { set, missing });
