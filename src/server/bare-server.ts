import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import { type FastifyBaseLogger, fastify, LogController } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { ZodType } from 'zod';
import { RollcallError } from '../errors/rollcall-error.ts';
import { UNSAFE } from './access/guard.ts';
import { isForPeople, sendPage } from './console-files.ts';
import type { Api } from './context.ts';
import { COMPRESSION } from './http-answers.ts';
import { namesIn } from './perform.ts';
import { badOption, refuse, unknownOption } from './problem.ts';
import type { ServerOptions } from './server-options.ts';

/** Time in which the headers of a request must have arrived, in ms. */
const HEADERS_MS = 15_000;
/** An idle connection is closed after this time, in ms. Event streams have their heartbeat. */
const IDLE_MS = 120_000;
/** Largest body of requests other than uploads, in bytes. */
const SMALL_BODY = 64 * 1024;

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

/** The server without its routes: how it reads requests, refuses them and sends replies. */
export async function bareServer(options: ServerOptions, isStopping: () => boolean) {
  const { log } = options;
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
    frameworkErrors: (error, request, reply) => void refuse({ log, stopping: isStopping() }, error, request, reply),
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
  app.setErrorHandler((error, request, reply) => refuse({ log, stopping: isStopping() }, error, request, reply));
  const allowedAt = noteMethods(app);
  app.setNotFoundHandler((request, reply) => {
    if (isForPeople(request)) return sendPage(request, reply.code(404));
    const { method, url } = request;
    const [path = ''] = url.split('?');
    const allowed = allowedAt(url);
    if (allowed.length === 0) throw new RollcallError('NOT_FOUND', { what: `there is no ${method} ${path}` });
    reply.header('allow', allowed.join(', '));
    throw new RollcallError('METHOD_NOT_ALLOWED', { path, method, possible: allowed });
  });
  app.addHook('onRequest', async (_request, reply) => {
    if (!isStopping()) return;
    reply.header('connection', 'close').header('retry-after', 5);
    throw new RollcallError('STOPPING', {});
  });
  if (options.tracing !== undefined) await app.register(options.tracing);
  cacheAnswers(app);
  await app.register(cookie);
  await app.register(helmet, {
    contentSecurityPolicy: CONTENT_POLICY,
    hsts: false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  });
  await app.register(compress, { ...COMPRESSION, globalDecompression: false });
  app.addHook('preParsing', async ({ raw, routeOptions }) => {
    if (routeOptions.config.takesFile !== true) endIfSlow(raw, BODY_MS);
  });
  app.addHook('onResponse', async ({ raw }) => discardRest(raw));
  logRequests(app, log);
  return app;
}

function logRequests(app: Api, log: ServerOptions['log']) {
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
}

/** Time in which the whole body of a request must have arrived, in ms. Uploads have their own timeout. */
const BODY_MS = 30_000;

/** Time in which the rest of a refused body is thrown away, so that the client reads the answer before the end, in ms. */
const REST_MS = 5_000;

/** Ends a connection whose body is not complete after this time. */
function endIfSlow(request: IncomingMessage, ms: number) {
  if (request.complete) return;
  const enough = setTimeout(() => request.socket.destroy(), ms);
  for (const end of ['end', 'close']) request.once(end, () => clearTimeout(enough));
}

function discardRest(request: IncomingMessage) {
  if (request.complete || request.destroyed) return;
  request.unpipe();
  request.resume();
  endIfSlow(request, REST_MS);
}

/** Interval between two looks for connections that are done, in ms. */
const LOOK_MS = 50;

/** Takes nothing new, ends event streams and uploads, and lets downloads continue for at most `deadlineMs`. */
export async function stopServer(app: Api, deadlineMs: number) {
  const end = setTimeout(() => app.server.closeAllConnections(), deadlineMs);
  // A connection whose last answer has been given stays open for the next request, which will not come.
  const leave = setInterval(() => app.server.closeIdleConnections(), LOOK_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(end);
    clearInterval(leave);
  }
}

/** Notes the routes that are added from now on. @returns the methods that are allowed at an address; none where there is no such address */
function noteMethods(app: Api): (url: string) => readonly string[] {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    // Addresses of any form are files of the console.
    if (url.includes('*')) return;
    const known = methods.get(url) ?? new Set();
    for (const one of [method].flat()) known.add(one);
    methods.set(url, known);
  });
  return (url) => {
    const path = url.replace(/[?#].*/, '');
    const found = [...methods].flatMap(([route, known]) => (namesIn(route, path) === undefined ? [] : [...known]));
    return [...new Set(found)].toSorted();
  };
}

/**
 * Says of every answer how long it may be kept, unless its route has: those of GET, which caches ask for again each time. They have an
 * ETag, and one that the client has already is not sent again. To be called before answers are compressed.
 */
function cacheAnswers(app: Api) {
  app.addHook('onSend', async ({ method, url, headers }, reply, payload) => {
    const isWhole = typeof payload === 'string' || payload instanceof Buffer;
    const isKept =
      isWhole &&
      (method === 'GET' || method === 'HEAD') &&
      reply.statusCode === 200 &&
      !/^\/(healthz|readyz|metrics)/.test(url);
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', isKept ? 'private, no-cache' : 'no-store');
    if (!isKept) return payload;
    const tag = `"${createHash('sha256').update(payload).digest('base64url').slice(0, 22)}"`;
    reply.header('etag', `W/${tag}`);
    const known = headers['if-none-match'] ?? '';
    if (known !== '*' && !known.includes(tag)) return payload;
    reply.code(304).removeHeader('content-type').removeHeader('content-length');
    return '';
  });
}
