import { DEFAULT_REGION } from '../chat/service/regions.ts';
import { REGIONS, type Region } from '../membership/membership.ts';
import { allowedValues } from './allowed-values.ts';
import { ConfigError, type Environment, present, type Setting, valueOrFile } from './setting.ts';
import { appUrl } from './setting-values.ts';

/** One app of the chat service. */
export interface AppSettings {
  readonly appId: string;
  /** Base address, where it does not follow from host, app id and region. */
  readonly url?: string | undefined;
  /** Needed by processes that call the service; a secret. Throws ConfigError where its file cannot be read. */
  readonly apiKey: string | undefined;
}

interface AppOfFile {
  readonly appId?: string | undefined;
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly apiKeyFile?: string | undefined;
}

/** The configuration file's settings of apps. */
export interface AppsOfFile extends AppOfFile {
  readonly apps?: Readonly<Partial<Record<Region, AppOfFile>>> | undefined;
}

/**
 * The apps of all regions, each with its key.
 * @param appRegion the region of the single app
 * @throws ConfigError
 */
export function readApps(
  given: (name: 'appId' | 'apiKey' | 'apiKeyFile') => Setting | undefined,
  env: Environment,
  file: AppsOfFile,
  appRegion: Region | undefined,
  folder: string,
): Partial<Record<Region, AppSettings>> {
  const apps: Partial<Record<Region, AppSettings>> = {};
  const urls: Partial<Record<Region, string | undefined>> = {};
  const single = given('appId') === undefined ? undefined : (appRegion ?? DEFAULT_REGION);
  for (const region of REGIONS) {
    const prefix = `ROLLCALL_${region.toUpperCase()}`;
    const inFile = file.apps?.[region];
    const url = urlOf(
      { name: `${prefix}_URL`, value: env[`${prefix}_URL`] },
      { name: `apps.${region}.url`, value: inFile?.url },
    );
    const appId = present(env[`${prefix}_APP_ID`]) ?? inFile?.appId;
    const key = keyOfEnv(`${prefix}_API_KEY`, env, folder) ?? keyOfFile(`apps.${region}.`, inFile ?? {}, folder);
    if (appId !== undefined) apps[region] = appWith(appId, url, key);
    else if (key !== undefined) throw new ConfigError(`${prefix}_API_KEY is set and ${prefix}_APP_ID is not: set both`);
    else if (url !== undefined && region !== single) {
      throw new ConfigError(`${prefix}_URL is set and ${prefix}_APP_ID is not: set both`);
    }
    urls[region] = url;
  }
  const app = given('appId');
  const key = keyOfEnv('ROLLCALL_API_KEY', env, folder) ?? keyOfFile('', file, folder);
  if (app === undefined) {
    const name = given('apiKey')?.name ?? given('apiKeyFile')?.name;
    if (name !== undefined) throw new ConfigError(`${name} is set and ROLLCALL_APP_ID is not: set both`);
    return apps;
  }
  const region = appRegion ?? DEFAULT_REGION;
  if (apps[region] !== undefined) {
    throw new ConfigError(
      `region ${region} has two apps: ${app.name} says ${app.value}, and ROLLCALL_${region.toUpperCase()}_APP_ID (or apps.${region}.appId) says ${apps[region].appId}: keep one`,
    );
  }
  return { ...apps, [region]: appWith(app.value, urls[region], key) };
}

function urlOf(
  ...places: readonly { readonly name: string; readonly value: string | undefined }[]
): string | undefined {
  for (const { name, value } of places) {
    const text = present(value);
    if (text === undefined) continue;
    const url = appUrl.parse(text, name);
    if (url !== undefined) return url;
    throw new ConfigError(`${name} is ${JSON.stringify(text)}; allowed is ${allowedValues(appUrl)}`);
  }
  return undefined;
}

function appWith(appId: string, url: string | undefined, key: Setting | undefined): AppSettings {
  return {
    appId,
    url,
    get apiKey() {
      return key?.value;
    },
  };
}

function keyOfEnv(name: string, env: Environment, folder: string): Setting | undefined {
  return valueOrFile([name, present(env[name])], [`${name}_FILE`, present(env[`${name}_FILE`])], folder, 'key');
}

function keyOfFile(prefix: string, { apiKey, apiKeyFile }: AppOfFile, folder: string): Setting | undefined {
  return valueOrFile([`${prefix}apiKey`, apiKey], [`${prefix}apiKeyFile`, apiKeyFile], folder, 'key');
}
