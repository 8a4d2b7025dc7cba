import type { ChatClient } from '../chat/chat-client.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { type CoordinatorOptions, openCoordinator } from '../imports/life/open-coordinator.ts';
import { type CallObserver, observers } from '../imports/send/call-observer.ts';
import { type OpenRegion, openRegion } from '../imports/send/region.ts';
import type { ImportState } from '../membership/import-state.ts';
import type { Region } from '../membership/membership.ts';
import type { Config } from '../platform/config.ts';
import { dataDir } from '../platform/data-dir.ts';
import { type Logger, quietly } from '../platform/log.ts';
import type { Backend, QueueTelemetry } from '../queue/backend.ts';
import { callLog } from './call-log.ts';
import { clientOf, hostOf, type Service, serviceTarget } from './chat-service.ts';
import { openQueue } from './open-queue.ts';

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

/** Wires the parts of a coordinator together. */
export async function composeCoordinator(parts: CoordinatorParts): Promise<Coordinator> {
  const { config, service, log } = parts;
  const observer = observers([callLog(log), ...(parts.observer === undefined ? [] : [parts.observer])]);
  const {
    onError = quietly((error) => log.warn({ err: error }, 'the queue reports an error')),
    client = (region) => clientOf(service, region, config.concurrency),
    backend = () => openQueue(parts, onError),
  } = parts;
  const coordinator = await openCoordinator({
    ...parts,
    dir: dataDir(config.dataDir),
    backend,
    regions: new Set(Object.keys(service.apps) as Region[]),
    sandbox: service.sandbox,
    target: serviceTarget(service),
    onError,
    openRegion: async (region, queues, deliver, answer, starting) => {
      const worker = service.sends ? { chat: client(region), deliver, answer, starting, observer } : undefined;
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
