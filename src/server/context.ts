import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyPluginCallback,
  FastifyRequest,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Registry } from 'prom-client';
import type { Role } from '../api/operation.ts';
import type { Settings } from '../api/service.ts';
import type { Service } from '../app/chat-service.ts';
import type { Checks } from '../features/check/checks.ts';
import type { Exports } from '../features/export/running-exports.ts';
import type { InspectThread } from '../features/inspect/inspect-thread.ts';
import type { Notifications } from '../features/notify/notifications.ts';
import type { Receiver } from '../features/notify/receiver.ts';
import type { Repairs } from '../features/repair/repairs.ts';
import type { Schedules } from '../features/schedule/compose-schedules.ts';
import type { ScheduleCatalogReader } from '../features/schedule/schedule-catalog.ts';
import type { SyncRunner } from '../features/sync/run/sync-runner.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import type { StageFile } from '../imports/stage/staging.ts';
import type { Config } from '../platform/config.ts';
import type { DataDir } from '../platform/data-dir.ts';
import type { Logger } from '../platform/log.ts';
import type { ThreadQueue } from '../platform/thread-queue.ts';
import type { SourceContext } from '../sources/named.ts';
import type { AccessStore, Who } from './access/access-store.ts';
import type { DataReader } from './data-reader.ts';
import type { Events } from './events.ts';
import type { ImportViews } from './import-views.ts';
import type { RunningImports } from './running-imports.ts';
import type { Recipes } from './uploads/upload-options.ts';

/** The server as routes are added to it: schemas are zod's. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** The parts of the server that routes need (open-context.ts). */
export interface ServerContext {
  readonly coordinator: Coordinator;
  readonly dir: DataDir;
  readonly access: AccessStore;
  readonly settings: Settings;
  readonly reading: DataReader;
  /** The context of sources that are fetched for users of the API. */
  readonly fetching: SourceContext;
  readonly views: ImportViews;
  readonly running: RunningImports;
  readonly events: Events;
  readonly recipes: Recipes;
  /** Reads the beginnings of files. */
  readonly heads: ThreadQueue<InspectThread>;
  readonly repairs: Repairs;
  readonly checks: Checks;
  readonly exports: Exports;
  readonly syncs: SyncRunner;
  readonly schedules: Schedules;
  readonly scheduleCatalog: ScheduleCatalogReader;
  readonly notifications: Notifications;
  readonly log: Logger;
  /** Whether the sender of a long request may still have its answer. */
  readonly isStillAllowed: (request: FastifyRequest) => boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly access: AccessStore;
    /** The target of this process. */
    readonly sendsTo: Coordinator['sendsTo'];
  }
  interface FastifyRequest {
    /** The sender. On public routes: everyone. */
    who: Who;
  }
  interface FastifyContextConfig {
    /** The least role that may use the route. Default: operator. */
    role?: Role | 'public';
    /** Its body is a file, and the route itself limits how large it may be and how slowly it may come. */
    takesFile?: boolean;
  }
}

/** The options of a server. */
export interface ServerOptions extends Pick<ServerContext, 'coordinator' | 'dir' | 'access' | 'settings' | 'log'> {
  readonly config: Config;
  readonly service: Pick<Service, 'apps' | 'sandbox' | 'anybodyActs'>;
  /** Whether everyone needs a token; false only where no other machine can reach the server. */
  readonly tokenRequired: boolean;
  /** Registers what is stopped after the server, and before the coordinator. */
  readonly onStop: (stop: () => Promise<void>) => void;
  /** Gets the error with which the server cannot continue. */
  readonly fail: (error: Error) => void;
  /** Reads files into ledgers. Default: each in a thread of its own. */
  readonly stage?: StageFile | undefined;
  /** For metrics that other parts of this process use as well. Default: its own. */
  readonly registry?: Registry;
  /** Traces requests; not given: no traces. */
  readonly tracing?: FastifyPluginCallback | undefined;
  /** Proxies whose X-Forwarded-For counts: addresses, CIDR ranges, `loopback`, `uniquelocal`. Not given: none. */
  readonly trustProxy?: readonly string[];
  /** An upload that stalls for this long is given up, in ms. Default: a minute. */
  readonly uploadIdleMs?: number;
  /** Uploads at the same time; more are refused with BUSY. Default: 64. */
  readonly maxUploads?: number;
  /** Notified of finished imports; not given: who an admin has set. Closed with the server. */
  readonly receiver?: Receiver | undefined;
  /** Whether a receiver that an admin sets may be on this machine or a private network. Default: no. */
  readonly notifyPrivate?: boolean;
  /** The notifier's minimum outage, in ms. */
  readonly outageMs?: number;
  /** Pages hear of imports so often, in ms. Default: a second. */
  readonly eventsEveryMs?: number;
}
