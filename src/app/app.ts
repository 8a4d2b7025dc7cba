import type { ChatClient } from '../chat/chat-client.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { type CoordinatorOptions, openCoordinator } from '../imports/life/open-coordinator.ts';
import { type CallObserver, observers } from '../imports/send/call-observer.ts';
import { type OpenRegion, openRegion } from '../imports/send/region.ts';
import { type ImportState, isFinal, isUnderWay } from '../membership/import-state.ts';
import type { Region } from '../membership/membership.ts';
import type { Config } from '../platform/config.ts';
import { makeDataDir } from '../platform/data-dir.ts';
import { checkFileLimit } from '../platform/file-limit.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';
import { type Logger, type LogStream, openLog, quietly } from '../platform/log.ts';
import type { Backend, QueueTelemetry } from '../queue/backend.ts';
import { callLog } from './call-log.ts';
import { clientOf, hostOf, type Service, serviceTarget } from './chat-service.ts';
import { openQueue } from './open-queue.ts';
import type { OpenedService } from './open-service.ts';
import { type AnswerOwner, serveOwner, whenLeft } from './owner-socket.ts';
import { openTracing } from './tracing/tracing.ts';

/** A process that owns a data directory: what `import`, `sync`, `serve` and programs have in common. */
export type App = Awaited<ReturnType<typeof openApp>>;

interface AppOptions {
  readonly config: Config;
  /** Opens the service that calls go to: before the coordinator; closed after it. */
  readonly openService: () => Promise<OpenedService>;
  /** Shows the user a sentence. */
  readonly show: (sentence: string) => void;
  readonly keepMs?: number | undefined;
  /** Whether it runs many imports at once. Default: no. */
  readonly isServer?: boolean;
  /** Ends its waits for databases that other programs hold. Default: nothing does. */
  readonly signal?: AbortSignal | undefined;
  /** A second target of the log, in addition to its file. */
  readonly logStream?: LogStream;
  readonly observer?: CallObserver;
  readonly reading?: Pick<CoordinatorParts, 'stage' | 'openReading'> | undefined;
}

/** Opens the parts one after the other; `lifecycle` stops them in reverse, also when a later one cannot be opened. */
export async function openApp(
  lifecycle: Lifecycle,
  { config, openService, show, keepMs, logStream, observer, reading, isServer = false, signal }: AppOptions,
) {
  const fewFiles = checkFileLimit(isServer);
  let warn = (text: string) => show(`Warning: ${text}.`);
  const tracing = await openTracing((text) => warn(text));
  if (tracing !== undefined) lifecycle.onStop(() => tracing.stop());
  const service = await openService();
  lifecycle.onStop(() => service.close());
  if (!service.sandbox && config.hostCorrection !== undefined) show(`${config.hostCorrection}.`);
  const { dir } = config;
  const { warning } = makeDataDir(dir);
  const log = openLog(dir.root, config, logStream);
  warn = (text) => {
    log.warn(text);
    show(`Warning: ${text}.`);
  };
  for (const text of [warning, fewFiles]) if (text !== undefined) warn(text);
  const parts: CoordinatorParts = {
    config,
    service,
    log,
    warn,
    keepMs,
    observer: observers(observer, tracing?.observer),
    patient: !isServer,
    signal,
    onWait: (sentence) => {
      log.warn(sentence);
      show(sentence);
    },
    ...reading,
    telemetry: tracing?.telemetry,
  };
  const coordinator = await whenLeft(dir, () => composeCoordinator(parts), signal);
  lifecycle.onStop((deadlineMs) => coordinator.stop(deadlineMs));
  const { promise: failed, resolve: fail } = Promise.withResolvers<Error>();
  coordinator.events.on('failure', fail);
  const moved = new Set<string>();
  coordinator.events.on('state', ({ id, state }) => (isFinal(state) ? moved.delete(id) : moved.add(id)));
  let serving: Awaited<ReturnType<typeof serveOwner>> | undefined;
  return {
    service,
    dir,
    log,
    /** Undefined where no traces are wanted. */
    tracing,
    coordinator,
    /** To the log and to the user. */
    warn,
    /** Resolves with the first error that stops everything: from the coordinator, or given to `fail`. */
    failed,
    fail,
    /** Answers requests of other processes. To be called once. */
    serveOwner: async (answer: AnswerOwner) => {
      const served = await serveOwner(dir, answer);
      serving = served;
      lifecycle.onStop(() => served.close());
    },
    /** Follows the imports under way that others began here, one by one, and answers no more. @param follow until one is over */
    othersOver: async (follow: (id: string) => Promise<unknown>) => {
      const isOn = (id: string) => isUnderWay(coordinator.lookUp(id)?.state ?? 'completed');
      const all = async () => {
        for (const id of moved) if (isOn(id)) await follow(id);
      };
      await all();
      await serving?.close();
      // Begun while the last answers were given.
      await all();
    },
  };
}

/** The parts of a process that makes a coordinator. */
export interface CoordinatorParts
  extends Pick<CoordinatorOptions, 'keepMs' | 'stage' | 'openReading' | 'patient' | 'signal' | 'onWait'> {
  readonly config: Config;
  readonly service: Service;
  readonly log: Logger;
  readonly warn: (text: string) => void;
  /** Notified of the calls of this process, in addition to the log. */
  readonly observer?: CallObserver | undefined;
  readonly telemetry?: QueueTelemetry | undefined;
  /** Tests put their own parts in place of these. */
  readonly backend?: () => Promise<Backend>;
  readonly client?: (region: Region) => ChatClient;
  readonly onRegion?: (opened: OpenRegion) => void;
  readonly onError?: (error: Error) => void;
}

/** States in which an import waits for a person. */
const NEEDS_SOMEONE: ReadonlySet<ImportState> = new Set(['blocked', 'failed']);

export async function composeCoordinator(parts: CoordinatorParts): Promise<Coordinator> {
  const { config, service, log } = parts;
  const observer = observers(callLog(log), parts.observer);
  const {
    onError = quietly((error) => log.warn({ err: error }, 'the queue reports an error')),
    client = (region) => clientOf(service, region, config.concurrency),
    backend = () => openQueue(parts, onError),
  } = parts;
  const coordinator = await openCoordinator({
    ...parts,
    dir: config.dir,
    backend,
    regions: new Set(Object.keys(service.apps) as Region[]),
    sandbox: service.sandbox,
    target: serviceTarget(service),
    onError,
    openRegion: async (region, queues, to) => {
      const worker = service.sends ? { ...to, chat: client(region), observer } : undefined;
      const appId = service.apps[region]?.appId ?? '';
      // A sandbox in this process has another address at each start, and no other worker reaches it.
      const host = service.sandbox ? '' : hostOf(service, region);
      const opened = await openRegion({ region, appId, host, backend: queues, config, worker, onError });
      parts.onRegion?.(opened);
      return opened;
    },
  });
  coordinator.events.on('state', ({ id, state, reason, code }) =>
    log[NEEDS_SOMEONE.has(state) ? 'warn' : 'info']({ import: id, state, code: code ?? undefined, reason }, 'import'),
  );
  coordinator.events.on('fault', (id, error) => log.error({ err: error, import: id }, 'the import failed'));
  coordinator.events.on('failure', (error) => log.error({ err: error }, 'rollcall cannot continue'));
  return coordinator;
}
