import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Role, Settings } from '../api/service.ts';
import type { Schedules } from '../features/schedule/compose-schedules.ts';
import type { SyncViews } from '../features/sync/routes/views.ts';
import type { SyncRunner } from '../features/sync/run/runner-port.ts';
import type { SyncCatalogReader } from '../features/sync/sync-catalog.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import type { DataDir } from '../platform/data-dir.ts';
import type { Logger } from '../platform/log.ts';
import type { AccessStore, Who } from './access/access-store.ts';
import type { Events } from './events/hub.ts';
import type { ImportViews } from './import-views.ts';
import type { DataReader } from './reading.ts';
import type { RunningImports } from './running.ts';

/** The server as routes are added to it: schemas are zod's. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** What every route needs. */
export interface ServerContext {
  readonly coordinator: Coordinator;
  readonly syncs: SyncRunner;
  readonly schedules: Pick<Schedules, 'add' | 'edit' | 'events' | 'obtain' | 'pause' | 'resume' | 'remove' | 'run'>;
  readonly dir: DataDir;
  readonly access: AccessStore;
  readonly settings: Settings;
  /** The service is a sandbox in which every user may act in every group. */
  readonly anybodyActs?: boolean | undefined;
  readonly reading: DataReader;
  readonly views: ImportViews;
  readonly running: RunningImports;
  /** For lists and journals. */
  readonly syncCatalog: SyncCatalogReader;
  readonly syncViews: SyncViews;
  readonly events: Events;
  readonly log: Logger;
  /** Whether the sender of a long request may still have its answer. */
  readonly isStillAllowed: (request: FastifyRequest) => boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends it. On public routes: everyone. */
    who: Who;
  }
  interface FastifyContextConfig {
    /** The least role that may use the route. Default: operator. */
    role?: Role | 'public';
    /** Its body is a file, and the route itself limits how large it may be and how slowly it may come. */
    takesFile?: boolean;
  }
}
