import type { IncomingMessage } from 'node:http';
import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import files from '@fastify/static';
import { type FastifyBaseLogger, type FastifyPluginCallback, fastify, LogController } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { Registry } from 'prom-client';
import type { ZodType } from 'zod';
import type { Settings } from '../api/service.ts';
import { openNotifications } from '../features/notify/notifications.ts';
import type { Receiver } from '../features/notify/receiver.ts';
import { notificationRoutes } from '../features/notify/routes.ts';
import { syncMetrics } from '../features/schedule/routes/sync-metrics.ts';
import { openScheduleCatalogReader } from '../features/schedule/schedule-catalog.ts';
import { syncViews } from '../features/sync/routes/views.ts';
import type { SyncRunner } from '../features/sync/run/runner-port.ts';
import { openSyncCatalogReader } from '../features/sync/sync-catalog.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import type { DataDir } from '../platform/data-dir.ts';
import type { Logger } from '../platform/log.ts';
import type { AccessStore } from './access/access-store.ts';
import { guard, UNSAFE } from './access/guard.ts';
import { consoleRoutes, isForPeople, sendPage } from './console-files.ts';
import type { Api, ServerContext } from './context.ts';
import { describeRoutes, docsRoutes } from './docs.ts';
import { openEvents } from './events/hub.ts';
import { eventRoutes } from './events/routes.ts';
import { FEATURES } from './features.ts';
import { healthRoutes } from './health.ts';
import { importViews } from './import-views.ts';
import { importRoutes } from './imports.ts';
import { memberRoutes } from './members.ts';
import { serverMetrics } from './metrics/metrics.ts';
import { overviewRoute } from './overview.ts';
import { Problem } from './problem.ts';
import { openReading } from './reading.ts';
import { badOption, refuse, STOPS, unknownOption } from './refusals.ts';
import { reportRoutes } from './reports.ts';
import { rowRoutes } from './rows.ts';
import { runningImports } from './running.ts';
import { sessionRoutes } from './session.ts';
import { settingsRoutes } from './settings.ts';
import { tokenRoutes } from './tokens.ts';
import { uploadRoutes } from './uploads/routes.ts';

export interface ServerOptions {
  readonly coordinator: Coordinator;
  readonly syncs: SyncRunner;
  readonly schedules: ServerContext['schedules'];
  readonly dir: DataDir;
  readonly access: AccessStore;
  readonly settings: Settings;
  readonly anybodyActs?: ServerContext['anybodyActs'];
  /** Whether everyone needs a token; false only where no other machine can reach the server. */
  readonly tokenRequired: boolean;
  readonly log: Logger;
  /** For metrics that other parts of this process use as well. Default: its own. */
  readonly registry?: Registry;
  /** Traces requests; not given: no traces. */
  readonly tracing?: FastifyPluginCallback | undefined;
  /** Notified of finished imports; not given: who an admin has set. Closed with the server. */
  readonly receiver?: Receiver;
  /** Whether a receiver that an admin sets may be on this machine or a private network. Default: no. */
  readonly notifyPrivate?: boolean;
  /** As of the notifier. */
  readonly outageMs?: number;
  /** Proxies whose X-Forwarded-For counts: addresses, CIDR ranges, `loopback`, `uniquelocal`. Not given: none. */
  readonly trustProxy?: readonly string[];
  /** An upload that stalls for this long is given up, in ms. Default: a minute. */
  readonly uploadIdleMs?: number;
  /** Uploads at the same time; more are refused with BUSY. Default: 64. */
  readonly maxUploads?: number;
}

/** Time in which the headers of a request must have arrived, in ms. */
const HEADERS_MS = 15_000;
/** An idle connection is closed after this time, in ms. Event streams have their heartbeat. */
const IDLE_MS = 120_000;
/** Largest body of requests other than uploads, in bytes. */
const SMALL_BODY = 64 * 1024;

/** Types that gzip makes smaller. Event streams are not among them: it would hold events back. */
const COMPRESSED = /^text\/(?!event-stream)|json|javascript|svg/;

const CONTENT_POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    fontSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
};

/** The HTTP API and the console over a coordinator; `listen` starts it, `close` ends event streams and requests in progress. */
export async function createServer(options: ServerOptions): Promise<Api> {
  const { coordinator, syncs, schedules, dir, access, settings, log, registry = new Registry() } = options;
  let stopping = false;
  const app: Api = fastify({
    loggerInstance: log as FastifyBaseLogger,
    // Requests that change something or fail are logged below.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: SMALL_BODY,
    trustProxy: options.trustProxy === undefined ? false : [...options.trustProxy],
    connectionTimeout: IDLE_MS,
    // Uploads may take hours; those that stall have their own timeout.
    requestTimeout: 0,
    http: { headersTimeout: HEADERS_MS },
    forceCloseConnections: 'idle',
    // Answered below, with a problem document.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => void refuse({ log, stopping }, error, request, reply),
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(({ schema }: { schema: unknown }) => (given: unknown) => {
    const read = (schema as ZodType).safeParse(given);
    return read.success ? { value: read.data } : { error: badOption(read.error, given) };
  });
  // Many clients name JSON whether they send a body or not: an empty one is none.
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null);
    else void parseJson(request, String(body), done);
  });
  // Routes that have options refuse others by their schema.
  app.addHook('preValidation', async ({ query, routeOptions: { url = '', schema } }) => {
    const [field] = Object.keys(query as object);
    if (field !== undefined && schema?.querystring === undefined && url.startsWith('/v1/')) throw unknownOption(field);
  });
  // Replies are checked by the compiler and by tests; checking each again would cost more than making it.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.setErrorHandler((error, request, reply) => refuse({ log, stopping }, error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    if (isForPeople(request)) return sendPage(request, reply.code(404));
    throw new Problem('NOT_FOUND', `There is no ${request.method} ${request.url.replace(/\?.*/, '')}.`);
  });
  app.addHook('onRequest', async (_request, reply) => {
    if (!stopping) return;
    reply.header('connection', 'close').header('retry-after', 5);
    throw new Problem('STOPPING', STOPS);
  });
  if (options.tracing !== undefined) await app.register(options.tracing);
  await app.register(cookie);
  await app.register(helmet, {
    contentSecurityPolicy: CONTENT_POLICY,
    hsts: false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  });
  // For report files on the disk: their routes name the folder, and nothing else is served.
  await app.register(files, {
    root: dir.root,
    serve: false,
    cacheControl: false,
    setHeaders: (reply) => {
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache');
    },
  });
  await app.register(compress, {
    encodings: ['gzip'],
    customTypes: COMPRESSED,
    globalDecompression: false,
    zlibOptions: { level: 4 },
  });

  const guarding = guard(app, access, options.tokenRequired);
  const { isStillAllowed } = guarding;
  const reading = openReading(dir, coordinator.reading);
  const syncCatalog = openSyncCatalogReader(dir.catalog);
  const scheduleCatalog = openScheduleCatalogReader(dir.catalog);
  const views = importViews(coordinator, dir, reading, syncCatalog, log);
  const { callsPerMinute } = settings;
  const running = runningImports({ coordinator, reading, views, callsPerMinute });
  const events = openEvents({ coordinator, syncs, schedules, reading, views, running, log, callsPerMinute });
  const context: ServerContext = {
    ...{ coordinator, syncs, schedules, dir, access, settings, reading, views, running, events, log, isStillAllowed },
    anybodyActs: options.anybodyActs,
    syncCatalog,
    syncViews: syncViews(syncs, dir, syncCatalog),
  };
  app.addHook('preClose', async () => {
    stopping = true;
    events.close();
  });
  const notifications = await openNotifications({
    ...context,
    registry,
    fixed: options.receiver,
    allowPrivate: options.notifyPrivate === true,
    outageMs: options.outageMs,
  });
  app.addHook('onClose', async () => {
    await notifications.close();
    reading.close();
    syncCatalog.close();
    scheduleCatalog.close();
  });
  app.addHook('preParsing', async ({ raw, routeOptions }) => {
    if (routeOptions.config.takesFile !== true) endIfSlow(raw);
  });
  app.addHook('onResponse', async ({ raw }) => discardRest(raw));
  app.addHook('onResponse', async (request, { statusCode, elapsedTime }) => {
    if (!UNSAFE.has(request.method) && statusCode < 500) return;
    const { method, who, ip, routeOptions } = request;
    log.info(
      {
        request: request.id,
        method,
        route: routeOptions.url,
        status: statusCode,
        ms: Math.round(elapsedTime),
        who: who?.name,
        ip,
      },
      'request',
    );
  });

  await describeRoutes(app);
  serverMetrics(app, context, registry);
  syncMetrics(syncCatalog, scheduleCatalog, registry);
  healthRoutes(app, context, registry);
  importRoutes(app, context);
  rowRoutes(app, context);
  reportRoutes(app, context);
  memberRoutes(app, context);
  eventRoutes(app, context);
  settingsRoutes(app, context, notifications);
  notificationRoutes(app, context, notifications);
  overviewRoute(app, context, scheduleCatalog);
  await sessionRoutes(app, context, guarding, options.tokenRequired);
  tokenRoutes(app, context, options.tokenRequired);
  await uploadRoutes(app, context, { idleMs: options.uploadIdleMs ?? 60_000, most: options.maxUploads ?? 64 });
  docsRoutes(app);
  consoleRoutes(app);
  for (const routes of FEATURES) routes(app, context);
  return app;
}

/** Time in which the whole body of a request must have arrived, in ms. Uploads have their own timeout. */
const BODY_MS = 30_000;

/** Ends a connection whose small body comes too slowly. */
function endIfSlow(request: IncomingMessage): void {
  if (request.complete) return;
  const enough = setTimeout(() => request.socket.destroy(), BODY_MS);
  for (const end of ['end', 'close']) request.once(end, () => clearTimeout(enough));
}

/** Time in which the rest of a refused body is thrown away, so that the client reads the answer before the end, in ms. */
const REST_MS = 5_000;

function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  request.unpipe();
  request.resume();
  const enough = setTimeout(() => request.socket.destroy(), REST_MS);
  for (const end of ['end', 'close']) request.once(end, () => clearTimeout(enough));
}
