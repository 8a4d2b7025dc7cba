import {
  type ChatClient,
  createChatClient,
  createManagementClient,
  type ManagementClient,
} from '../chat/chat-client.ts';
import { apiUrl, managementUrl } from '../chat/service-address.ts';
import { badSetting, isError } from '../errors/rollcall-error.ts';
import type { Target } from '../imports/target.ts';
import type { Region } from '../membership/membership.ts';
import { type Config, currentApiKey } from '../platform/config.ts';
import { SERVICE_HOST } from '../platform/hosts.ts';
import { VERSION } from '../platform/packages.ts';
import { caOf } from './ca-file.ts';

/** The chat service that calls go to: the real one, or a sandbox. */
export interface Service
  extends Pick<Config, 'apps'>,
    Partial<Pick<Config, 'profile' | 'management' | 'proxy' | 'bannedList'>> {
  /** Whether this process calls it. Otherwise workers in other processes do, and only the app ids count. */
  readonly sends: boolean;
  /** Whether it is a sandbox, to which only imports go that were meant for one. */
  readonly sandbox: boolean;
  /** A sandbox in which every user may act in every group, as a member or not (docs/chat-service.md, 12). */
  readonly anybodyActs?: boolean;
  readonly host: string;
  /** Certificate authority to trust in addition to the usual ones, PEM. */
  readonly ca: string | undefined;
}

/** For a process that neither sends nor dispatches: it reads, checks, ends. */
export const NO_SERVICE: Service = { sends: false, sandbox: false, host: '', apps: {}, ca: undefined };

/** Returns the target that is stored with imports; empty for a sandbox, which has another address each time. */
export function serviceTarget({
  sandbox,
  profile,
  host = '',
  apps,
}: Pick<Service, 'sandbox' | 'apps'> & Partial<Pick<Config, 'profile' | 'host'>>): Target | undefined {
  const ids = Object.entries(apps).map(([region, { appId }]) => [region, appId]);
  const hosts = [...new Set((Object.keys(apps) as Region[]).map((region) => hostOf({ host, apps }, region)))].join(
    ', ',
  );
  const at = ids.length === 0 ? host : hosts;
  if (sandbox || (at === '' && ids.length === 0)) return undefined;
  return { ...(profile && { profile }), ...(at !== '' && { host: at }), apps: Object.fromEntries(ids) };
}

export function hostOf({ host, apps }: Pick<Service, 'host' | 'apps'>, region: Region) {
  const url = apps[region]?.url;
  return url === undefined ? host : new URL(url).host;
}

export function clientOf(service: Service, region: Region, connections: number): ChatClient {
  const { profile, host, ca, proxy, bannedList = 'auto' } = service;
  const app = appOf(service.apps, region);
  return createChatClient({
    region,
    ...app,
    host,
    connections,
    userAgent: `rollcall/${VERSION}`,
    ca,
    proxy,
    ...(bannedList !== 'auto' && { bannedList }),
    // The keys of a sandbox in this process are in no settings.
    ...(!service.sandbox && { currentKey: () => currentApiKey(region, app.appId, profile) }),
  });
}

/** The apps of the configuration, for a process that hands batches to workers in other processes: it needs neither host nor key. */
export function dispatchOnly(config: Config): Service {
  if (Object.keys(config.apps).length === 0) throw noApp();
  const { profile, host = '', apps } = config;
  return { sends: false, sandbox: false, profile, host, apps, ca: undefined };
}

const noApp = () =>
  badSetting(
    'no app is set',
    'set ROLLCALL_APP_ID, ROLLCALL_API_KEY and ROLLCALL_REGION, or ROLLCALL_US_APP_ID, ROLLCALL_US_API_KEY and so on for each region',
  );

const noHost = () =>
  badSetting(
    'ROLLCALL_HOST is not set',
    `set it to ${SERVICE_HOST} for the service itself, or to what follows \`api-<region>.\` in the address of yours, or try \`--sandbox\``,
  );

/** The service of the configuration in these regions (default: all that have an app), checked before anything is read. */
export function serviceOf(config: Config, only?: readonly Region[]): Service {
  const regions = only ?? (Object.keys(config.apps) as Region[]);
  const { profile, host = '', apps, management, caFile, proxy, bannedList } = config;
  const needsHost = regions.length === 0 || regions.some((region) => apps[region]?.url === undefined);
  if (host === '' && needsHost) throw noHost();
  if (regions.length === 0) throw noApp();
  const ca = caOf(config);
  if (host !== '') naming('ROLLCALL_HOST', () => managementUrl(host));
  for (const region of regions) {
    const client = { region, ...appOf(apps, region), host };
    naming(`the app id of region ${region}`, () => apiUrl(client));
    naming(`the API key of region ${region}`, () => void createChatClient(client).close());
    naming(`ROLLCALL_CA_FILE (${caFile})`, () => void createChatClient({ ...client, ca }).close());
    naming('HTTPS_PROXY', () => void createChatClient({ ...client, proxy }).close());
  }
  return { sends: true, sandbox: false, profile, host, apps, management, ca, proxy, bannedList };
}

/** A client for management operations: of the sandbox where there is one, else as the settings say. @throws BAD_SETTING */
export function managementClientOf(config: Config, sandbox?: Service): ManagementClient {
  const { host, management = undefined, ca, proxy } = sandbox ?? { ...config, ca: caOf(config) };
  if (host === undefined || host === '') throw noHost();
  if (management === undefined) {
    throw badSetting(
      'ROLLCALL_MANAGEMENT_KEY is not set',
      'set it and ROLLCALL_MANAGEMENT_SECRET to the management key and secret of your account (an API key of an app is not one), or try `--sandbox`',
    );
  }
  return naming('the settings of management', () => createManagementClient({ host, ...management, ca, proxy }));
}

/** Says which setting it is that the client does not take. */
function naming<Made>(setting: string, use: () => Made): Made {
  try {
    return use();
  } catch (error) {
    throw isError(error, 'BAD_SETTING') ? badSetting(`${setting}: ${error.message}`) : error;
  }
}

function appOf(apps: Config['apps'], region: Region) {
  const app = apps[region];
  const name = `ROLLCALL_${region.toUpperCase()}`;
  if (app === undefined) throw badSetting(`region ${region} has no app`, `set ${name}_APP_ID and ${name}_API_KEY`);
  if (app.apiKey === undefined) throw badSetting(`region ${region} has no API key`, `set ${name}_API_KEY`);
  return { appId: app.appId, apiKey: app.apiKey, url: app.url };
}
