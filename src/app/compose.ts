import { apiUrl, managementUrl } from '../chat/address.ts';
import { type ChatClient, createChatClient } from '../chat/client.ts';
import { SettingError } from '../chat/errors.ts';
import { type Coordinator, type CoordinatorOptions, openCoordinator } from '../imports/life/coordinator.ts';
import { type CallObserver, observers } from '../imports/send/call-observer.ts';
import { openRegionLine, type RegionLine } from '../imports/send/region.ts';
import type { ImportState } from '../membership/import-state.ts';
import type { Region } from '../membership/membership.ts';
import { type Config, ConfigError, currentApiKey } from '../platform/config.ts';
import { dataDir } from '../platform/data-dir.ts';
import type { Logger } from '../platform/log.ts';
import { SERVICE_HOST } from '../platform/service-host.ts';
import { VERSION } from '../platform/version.ts';
import type { Backend, QueueTelemetry } from '../queue/backend.ts';
import { openBackend } from '../queue/open-backend.ts';
import { caOf } from './ca-file.ts';
import { callLog } from './call-log.ts';

/** The chat service that calls go to: the real one, or a sandbox. */
export interface Service {
  /** Whether this process calls it. Otherwise workers elsewhere do, and only the app ids count. */
  readonly sends: boolean;
  /** Whether it is a sandbox, to which only imports go that were meant for one. */
  readonly sandbox: boolean;
  /** A sandbox in which every user may act in every group, as a member or not (docs/chat-service.md, 12). */
  readonly anybodyActs?: boolean;
  readonly host: string;
  readonly apps: Config['apps'];
  /** Certificate authority to trust in addition to the usual ones, PEM. */
  readonly ca: string | undefined;
  readonly proxy?: Config['proxy'];
}

export interface CoordinatorParts {
  readonly config: Config;
  readonly service: Service;
  readonly log: Logger;
  readonly warn: (text: string) => void;
  /** How long finished imports are kept, in ms; undefined: until they are removed. */
  readonly keepMs?: number | undefined;
  /** Notified of the calls of this process, in addition to the log. */
  readonly observer?: CallObserver | undefined;
  readonly telemetry?: QueueTelemetry | undefined;
  /** Tests put their own parts in place of these. */
  readonly backend?: () => Promise<Backend>;
  readonly client?: (region: Region) => ChatClient;
  readonly stage?: CoordinatorOptions['stage'];
  readonly openReading?: CoordinatorOptions['openReading'];
  readonly onLine?: (line: RegionLine) => void;
  readonly onError?: (error: Error) => void;
}

/** States in which an import waits for a person. */
const NEEDS_SOMEONE: ReadonlySet<ImportState> = new Set(['blocked', 'failed']);

/** Wires the parts of a coordinator together. */
export async function composeCoordinator(parts: CoordinatorParts): Promise<Coordinator> {
  const { config, service, log, warn, keepMs } = parts;
  const { callsPerMinute, budgetShare, concurrency } = config;
  const observer = observers([callLog(log), ...(parts.observer === undefined ? [] : [parts.observer])]);
  const {
    onError = quietly((error) => log.warn({ err: error }, 'the queue reports an error')),
    client = (region) => clientOf(service, region, concurrency),
    backend = async () => {
      const opened = await openBackend(config.queue, onError, caOf(config), parts.telemetry);
      for (const warning of await opened.warnings()) warn(warning);
      return opened;
    },
  } = parts;
  const coordinator = await openCoordinator({
    dir: dataDir(config.dataDir),
    backend,
    regions: new Set(Object.keys(service.apps) as Region[]),
    version: VERSION,
    sandbox: service.sandbox,
    ...(keepMs !== undefined && { keepMs }),
    onError,
    stage: parts.stage,
    openReading: parts.openReading,
    openLine: async (region, opened, deliver, answer) => {
      const worker = service.sends ? { chat: client(region), concurrency, deliver, answer, observer } : undefined;
      const appId = service.apps[region]?.appId ?? '';
      // A sandbox in this process has another address at each start, and no other worker reaches it.
      const host = service.sandbox ? '' : service.host;
      const limits = { callsPerMinute, budgetShare };
      const line = await openRegionLine({ region, appId, host, backend: opened, ...limits, worker, onError });
      parts.onLine?.(line);
      return line;
    },
  });
  coordinator.events.on('state', ({ id, state, reason, code }) =>
    log[NEEDS_SOMEONE.has(state) ? 'warn' : 'info']({ import: id, state, code: code ?? undefined, reason }, 'import'),
  );
  coordinator.events.on('fault', (id, error) => log.error({ err: error, import: id }, 'the import failed'));
  coordinator.events.on('failure', (error) => log.error({ err: error }, 'rollcall cannot continue'));
  return coordinator;
}

/** For a process that neither sends nor dispatches: it reads, checks, ends. */
export const NO_SERVICE: Service = { sends: false, sandbox: false, host: '', apps: {}, ca: undefined };

/** A client for a region of the service. */
export function clientOf(service: Service, region: Region, connections: number): ChatClient {
  const { host, ca, proxy } = service;
  const app = appOf(service.apps, region);
  return createChatClient({
    region,
    ...app,
    host,
    connections,
    userAgent: `rollcall/${VERSION}`,
    ca,
    proxy,
    // The keys of a sandbox in this process are in no settings.
    ...(!service.sandbox && { currentKey: () => currentApiKey(region, app.appId) }),
  });
}

/** The apps of the configuration, for a process that hands batches to workers elsewhere: it needs neither host nor key. */
export function dispatchOnly(config: Config): Service {
  if (Object.keys(config.apps).length === 0) throw noApp();
  return { sends: false, sandbox: false, host: config.host ?? '', apps: config.apps, ca: undefined };
}

const noApp = () =>
  new ConfigError(
    'no app is set',
    'set ROLLCALL_APP_ID, ROLLCALL_API_KEY and ROLLCALL_REGION, or ROLLCALL_US_APP_ID, ROLLCALL_US_API_KEY and so on for each region',
  );

/** The service of the configuration in these regions (default: all that have an app), checked before anything is read. */
export function serviceOf(config: Config, only?: readonly Region[]): Service {
  if (config.host === undefined) {
    throw new ConfigError(
      'ROLLCALL_HOST is not set',
      `set it to ${SERVICE_HOST} for the service itself, or to what follows \`api-<region>.\` in the address of yours, or try \`--sandbox\``,
    );
  }
  const regions = only ?? (Object.keys(config.apps) as Region[]);
  if (regions.length === 0) throw noApp();
  const { host, apps, caFile, proxy } = config;
  const ca = caOf(config);
  naming('ROLLCALL_HOST', () => managementUrl(host));
  for (const region of regions) {
    const { appId, apiKey } = appOf(apps, region);
    const client = { region, appId, apiKey, host };
    naming(`the app id of region ${region}`, () => apiUrl(client));
    naming(`the API key of region ${region}`, () => void createChatClient(client).close());
    naming(`ROLLCALL_CA_FILE (${caFile})`, () => void createChatClient({ ...client, ca }).close());
    naming('HTTPS_PROXY', () => void createChatClient({ ...client, proxy }).close());
  }
  return { sends: true, sandbox: false, host, apps, ca, proxy };
}

/** Says which setting it is that the client does not take. */
function naming(setting: string, use: () => void): void {
  try {
    use();
  } catch (error) {
    throw error instanceof SettingError ? new ConfigError(`${setting}: ${error.message}`) : error;
  }
}

function appOf(apps: Config['apps'], region: Region): { appId: string; apiKey: string } {
  const app = apps[region];
  const name = `ROLLCALL_${region.toUpperCase()}`;
  if (app === undefined) throw new ConfigError(`region ${region} has no app`, `set ${name}_APP_ID and ${name}_API_KEY`);
  if (app.apiKey === undefined) throw new ConfigError(`region ${region} has no API key`, `set ${name}_API_KEY`);
  return { appId: app.appId, apiKey: app.apiKey };
}

/** Time in ms in which one error of a kind is reported once: a broken queue would fill the disk otherwise. */
const QUIET_MS = 10_000;

export function quietly(report: (error: Error) => void): (error: Error) => void {
  const last = new Map<string, number>();
  return (error) => {
    const now = Date.now();
    if (now - (last.get(error.message) ?? 0) < QUIET_MS) return;
    last.set(error.message, now);
    report(error);
  };
}
