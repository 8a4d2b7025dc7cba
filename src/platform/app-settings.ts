import { DEFAULT_REGION } from '../chat/service/regions.ts';
import { REGIONS, type Region } from '../membership/membership.ts';
import { ConfigError, type Setting } from './setting.ts';
import { SETTINGS, variableOf } from './settings.ts';

/** One app of the chat service. */
export interface AppSettings {
  readonly appId: string;
  /** Base address, where it does not follow from host, app id and region. */
  readonly url?: string | undefined;
  /** Needed by processes that call the service; a secret. Throws ConfigError where its file cannot be read. */
  readonly apiKey: string | undefined;
}

/** The settings that are read for the apps. */
interface AppSources {
  readonly given: (name: 'appId' | 'apiKey' | 'regionAppId' | 'regionApiKey', region?: Region) => Setting | undefined;
  readonly url: (region: Region) => string | undefined;
}

/**
 * The apps of all regions, each with its key.
 * @param appRegion the region of the single app
 * @throws ConfigError
 */
export function readApps(
  { given, url }: AppSources,
  appRegion: Region = DEFAULT_REGION,
): Partial<Record<Region, AppSettings>> {
  const apps: Partial<Record<Region, AppSettings>> = {};
  const single = given('appId');
  const singleKey = given('apiKey');
  if (single === undefined && singleKey !== undefined) throw incomplete(singleKey.name, SETTINGS.appId.env);
  for (const region of REGIONS) {
    const itsApp = given('regionAppId', region);
    const key = given('regionApiKey', region);
    const variable = variableOf(SETTINGS.regionAppId.env, region);
    if (itsApp !== undefined) apps[region] = appWith(itsApp.value, url(region), key);
    else if (key !== undefined) throw incomplete(key.name, variable);
    if (single === undefined || region !== appRegion) {
      if (itsApp === undefined && url(region) !== undefined) {
        throw incomplete(variableOf(SETTINGS.regionUrl.env, region), variable);
      }
    } else if (itsApp !== undefined) {
      throw new ConfigError(
        `region ${region} has two apps: ${single.name} says ${single.value}, and ${itsApp.name} says ${itsApp.value}: keep one`,
      );
    } else apps[region] = appWith(single.value, url(region), singleKey);
  }
  return apps;
}

const incomplete = (set: string, missing: string) => new ConfigError(`${set} is set and ${missing} is not: set both`);

function appWith(appId: string, url: string | undefined, key: Setting | undefined): AppSettings {
  return {
    appId,
    url,
    get apiKey() {
      return key?.value;
    },
  };
}
