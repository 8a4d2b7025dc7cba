import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Role } from '../api/operation.ts';
import { sourceContextOf } from '../app/ca-file.ts';
import { openChecks } from '../features/check/checks.ts';
import { Corrections } from '../features/correct/corrections.ts';
import { openExports } from '../features/export/running-exports.ts';
import type { InspectThread } from '../features/inspect/inspect-thread.ts';
import { openNotifications } from '../features/notify/notifications.ts';
import { openSchedules } from '../features/schedule/compose-schedules.ts';
import { composeSyncs } from '../features/sync/compose-syncs.ts';
import { wholeSync } from '../features/sync/sync-views.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { HEAP_MB } from '../imports/report/ledger-threads.ts';
import { IMPORT_STATES, isFinal } from '../membership/import-state.ts';
import { quietly } from '../platform/log.ts';
import { threadQueue } from '../platform/thread-queue.ts';
import type { AccessStore, Who } from './access/access-store.ts';
import { openReading } from './data-reader.ts';
import { openEvents } from './events.ts';
import { viewsFor } from './import-views.ts';
import { followStaging, runningImports } from './running-imports.ts';
import type { ServerOptions } from './server-options.ts';
import { openRecipes } from './uploads/upload-options.ts';

/** The server as routes are added to it: schemas are zod's. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

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

const UNFINISHED = IMPORT_STATES.filter((state) => !isFinal(state));
/** Most unfinished imports that events are about. */
const MAX_LISTED = 200;

/** The parts of the server that routes need. */
export type ServerContext = Awaited<ReturnType<typeof openContext>>;

/** Opens them. What only answers questions is closed with it, what works is stopped after it. */
export async function openContext(app: Api, options: ServerOptions) {
  const { coordinator, dir, access, settings, config, service, log, onStop } = options;
  const reading = openReading(dir, coordinator.reading);
  app.addHook('onClose', async () => reading.close());
  const corrections = new Corrections({ dir, coordinator });
  const staging = followStaging(coordinator);
  const views = viewsFor('api', {
    dir,
    catalog: reading,
    count: reading.count,
    uncounted: quietly((error) => log.error({ err: error }, 'the rows of an import cannot be counted')),
    staging,
  });
  const running = runningImports({ coordinator, reading, views, settings, log });
  const events = openEvents({
    coordinator,
    unfinished: () => reading.page({ state: UNFINISHED, limit: MAX_LISTED }).imports,
    view: (record) => (record.state === 'running' ? running : views).of(record),
    askRegions: running.askRegions,
    everyMs: options.eventsEveryMs,
    log,
  });
  const syncs = composeSyncs({ ...options, events, keepMs: config.keep });
  const recipes = openRecipes(dir);
  onStop(() => recipes.close());
  const heads = threadQueue<InspectThread>({
    thread: [import.meta.url, '../features/inspect/inspect-thread'],
    atOnce: 1,
    heapMb: HEAP_MB,
  });
  onStop(() => heads.close());
  const schedules = openSchedules({ ...config, sources: settings.sources }, { ...options, events, syncs });
  const notifications = await openNotifications({
    ...options,
    syncs,
    view: async (kind, id) =>
      kind === 'import' ? views.of(coordinator.find(id)) : wholeSync(dir, syncs.find(id), syncs),
  });
  app.addHook('onClose', () => notifications.close());
  return {
    coordinator,
    dir,
    access,
    settings,
    reading,
    fetching: sourceContextOf(config),
    views,
    staging,
    running,
    events,
    recipes,
    /** Reads the beginnings of files. */
    heads,
    corrections,
    checks: openChecks({
      dir,
      coordinator,
      apps: settings.apps,
      pace: settings,
      anybodyActs: service.anybodyActs,
      events,
      onError: (err, id) => log.error({ err, import: id }, 'the check failed'),
    }),
    exports: openExports({
      dir,
      coordinator,
      events,
      onError: (err, id) => log.error({ err, export: id }, 'the export failed'),
      onUnread: (err) => log.error({ err }, 'an export cannot be read or removed'),
      keepMs: config.keep,
    }),
    syncs,
    schedules,
    notifications,
    log,
  };
}
