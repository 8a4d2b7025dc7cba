import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Role } from '../api/operation.ts';
import type { Settings } from '../api/service.ts';
import type { Checks } from '../features/check/checks.ts';
import type { Exports } from '../features/export/running-exports.ts';
import type { InspectThread } from '../features/inspect/inspect-thread.ts';
import type { Notifications } from '../features/notify/notifications.ts';
import type { Repairs } from '../features/repair/repairs.ts';
import type { Schedules } from '../features/schedule/compose-schedules.ts';
import type { ScheduleCatalogReader } from '../features/schedule/schedule-catalog.ts';
import type { SyncRunner } from '../features/sync/run/sync-runner.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
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
