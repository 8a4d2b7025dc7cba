import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { API_VERSION, HEADERS } from '../chat/contract.ts';
import { isRegion, REGIONS, type Region } from '../chat/service/regions.ts';
import { keyOperations } from './api-keys.ts';
import type { Behaviour } from './behaviour.ts';
import { badRequest, type Call, jsonOf, type Operations, Refusal, refusal, seconds } from './call.ts';
import { importOperations } from './data-import.ts';
import { groupOperations, memberOperations } from './groups.ts';
import type { FaultKind, Faults, FaultyCall } from './injected-faults.ts';
import type { App } from './sandbox-app.ts';
import type { Headers, Tenant } from './tenant.ts';
import { userOperations } from './users.ts';

/** The headers `key` and `secret` of management requests (docs/chat-service.md, 10). */
export interface ManagementKey {
  readonly key: string;
  readonly secret: string;
}

interface ServiceOptions {
  readonly tenants: Readonly<Record<Region, Tenant>>;
  readonly management: ManagementKey;
  /** Takes the place of `<host>` in the service's addresses, without a port. */
  readonly domain: string;
  readonly behaviour: Behaviour;
  readonly faults: Faults;
  /** Milliseconds that the next call takes. */
  readonly latencyMs: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The host names of a sandbox, for its certificate (docs/chat-service.md, 1 to 5). */
export function hostNames(domain: string) {
  const apps = REGIONS.flatMap((region) => [`*.api-${region}.${domain}`, `*.call-${region}.${domain}`]);
  return [...apps, `apimgmt.${domain}`, domain].map((name) => name.toLowerCase());
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}
/** The end of a call: an answer, a reset connection, or nothing. */
type Ending = Answer | 'reset' | 'no-answer';

const HTML = { 'Content-Type': 'text/html; charset=utf-8' };
/** Endings that come in place of an answer. */
const ENDINGS: Readonly<Partial<Record<FaultKind, Ending>>> = {
  'reset-before': 'reset',
  timeout: 'no-answer',
  firewall: { status: 403, headers: HTML, body: '<html><title>Access denied</title><body>Blocked.</body></html>' },
  redirect: { status: 302, headers: { ...HTML, Location: 'https://login.localhost/' }, body: '' },
  unavailable: { status: 503, headers: HTML, body: '<html><body>503 Service Unavailable</body></html>' },
  'not-json': { status: 200, headers: HTML, body: '<html><body>Back soon.</body></html>' },
};
const APP_LABELS = /^(?:([^.]+)\.)?(api|call)-([a-z]+)$/;

/** Answers HTTP requests: finds the app, checks the key, counts the call, has it done. `reset` cuts the connection. */
export function createService(options: ServiceOptions) {
  const { domain, tenants } = options;
  const service: Service = { ...options, routeOf: routerWith(options.behaviour.bannedAddress) };
  return async (request: IncomingMessage, response: ServerResponse, reset: () => void) => {
    const host = request.headers.host ?? '';
    const name = host.toLowerCase().replace(/:\d+$/, '');
    const labels = name.endsWith(`.${domain.toLowerCase()}`) ? name.slice(0, -domain.length - 1) : '';
    const [, appId = '', address, region = ''] = APP_LABELS.exec(labels) ?? [];
    if (!isRegion(region)) {
      request.resume();
      try {
        send(response, answerOther(options, request, host, labels === 'apimgmt'));
      } catch (error) {
        send(response, refusalAnswer(error));
      }
      return;
    }
    const { [region]: tenant } = tenants;
    const { traffic } = tenant;
    traffic.arrived();
    const ending = await serve(service, request, tenant, appId, address === 'api');
    if (typeof ending !== 'string' && !response.destroyed) {
      // Before sending, so that a client that has the answer finds it counted.
      traffic.ended(ending.status);
      send(response, ending);
      return;
    }
    if (ending === 'reset') reset();
    if (ending === 'no-answer' && !response.destroyed) await once(response, 'close');
    traffic.ended(undefined);
  };
}

interface Service extends ServiceOptions {
  readonly routeOf: ReturnType<typeof routerWith>;
}

/** @param isApi the operations of the calls address are not specified: every path is unknown */
async function serve(options: Service, request: IncomingMessage, tenant: Tenant, appId: string, isApi: boolean) {
  const { behaviour, faults, latencyMs, now, routeOf } = options;
  const { app, window } = tenant;
  const body = await readBodyText(request, behaviour.maxBodyBytes);
  if (body === undefined) return 'reset';
  const { method, path, query } = placeOf(request);
  const [, version = '', place = ''] = /^\/([^/]*)\/?(.*)$/.exec(path) ?? [];
  const route = isApi ? routeOf(`${method} ${place}`) : undefined;
  const { fault, delayMs } = faults.strike(app.region, route?.faulty);
  if (delayMs > 0) await faults.slowDown(delayMs);
  const wait = latencyMs();
  // Without a reference: a call that waits must not keep a process alive that has closed the sandbox.
  if (wait > 0) await delay(wait, undefined, { ref: false });

  let headers: Headers = {};
  try {
    const at = now();
    if (fault === 'too-many') {
      headers = window.refusal(at + 1000, at);
      throw tooManyRequests();
    }
    if (fault === 'error') throw refusal(500, 'ERR_OPERATION_FAILED', 'The operation failed.');
    const early = fault && ENDINGS[fault];
    if (early !== undefined) return early;
    const { scope } = keyOf(request, app, behaviour, { appId, fault });
    // The budget that a call counts in (docs/chat-service.md, 39 and 72).
    const other = place.startsWith('data_import/') ? tenant.imports : window;
    const taken = (method === 'GET' ? tenant.lists : other).take(at);
    headers = taken.headers;
    if (taken.limited) {
      tenant.traffic.counts.rateLimited += 1;
      throw tooManyRequests();
    }
    if (body.tooLarge) throw badRequest(`A body has at most ${behaviour.maxBodyBytes} bytes.`, 'body');
    if (version !== API_VERSION) {
      const message = `There is no version "${version}", the current version is ${API_VERSION}.`;
      throw refusal(404, 'ERR_INVALID_API_VERSION', message);
    }
    if (route === undefined) throw noSuchAddress(method, path);
    if (scope !== 'fullAccess' && !route.authOnly) throw scopeTooSmall(request, behaviour);
    const call: Call = {
      app,
      behaviour,
      params: route.params,
      query: new URLSearchParams(query),
      contentType: header(request, 'Content-Type'),
      body: body.text,
      onBehalfOf: header(request, HEADERS.onBehalfOf),
      now: at,
      fault,
    };
    const data = route.operation(call);
    return failLate(fault, replyOf({ data, meta: call.meta }, headers));
  } catch (error) {
    return failLate(fault, refusalAnswer(error, headers));
  }
}

/** Answers a request that is for no app. To the management address, GET /apps lists the apps. Keys of apps are not shown. */
function answerOther(
  { domain, management, tenants }: ServiceOptions,
  request: IncomingMessage,
  host: string,
  isManagement: boolean,
) {
  if (!isManagement) {
    const shape = `an app is at <app id>.api-<region>.${domain}, with region ${REGIONS.join(', ')}`;
    throw refusal(404, 'AUTH_ERR_INVALID_APPID', `No app is at "${host}": ${shape}.`);
  }
  const key = header(request, HEADERS.managementKey);
  const secret = header(request, HEADERS.managementSecret);
  if (key === '' || secret === '') {
    throw refusal(401, 'AUTH_ERR_EMPTY_AUTH_HEADER', 'The headers key and secret must be given.');
  }
  if (key !== management.key || secret !== management.secret) {
    throw refusal(401, 'AUTH_ERR_NO_ACCESS', 'The key and secret are not valid together.');
  }
  const { method, path } = placeOf(request);
  if (method !== 'GET' || path !== '/apps') throw noSuchAddress(method, path);
  const data = Object.values(tenants).map(({ app: { appId, region, createdAt } }) => {
    return { id: appId, name: appId, region, createdAt: seconds(createdAt) };
  });
  const pagination = { total: data.length, count: data.length, per_page: 100, current_page: 1, total_pages: 1 };
  return replyOf({ data, meta: { pagination } });
}

/** The request's key (docs/chat-service.md, 8 and 9). */
function keyOf(
  request: IncomingMessage,
  app: App,
  { refusedKeyStatus }: Behaviour,
  { appId, fault }: { readonly appId: string; readonly fault: FaultKind | undefined },
) {
  const refused = (code: string, message: string) => refusal(refusedKeyStatus, code, message);
  const unknown = refused('AUTH_ERR_APIKEY_NOT_FOUND', 'The API key is not known.');
  if (fault === 'refuse-key') throw unknown;
  if (appId === '') throw refused('AUTH_ERR_EMPTY_APPID', 'The address has no app id.');
  if (appId !== app.appId.toLowerCase()) {
    throw refused('AUTH_ERR_INVALID_APPID', `There is no app "${appId}" in this region.`);
  }
  const key = header(request, HEADERS.apiKey);
  if (key === '') throw refused('AUTH_ERR_EMPTY_APIKEY', `The header ${HEADERS.apiKey} must be given.`);
  const known = app.keys.get(key);
  if (known === undefined) throw unknown;
  return known;
}

function scopeTooSmall(request: IncomingMessage, { echoKey, keyScopeStatus }: Behaviour) {
  const which = echoKey ? `The API key ${header(request, HEADERS.apiKey)}` : 'The API key';
  return refusal(keyScopeStatus, 'AUTH_ERR_NO_ACCESS', `${which} has not the scope for this.`);
}

/** The result of a call that was carried out, where a fault damages the answer. */
function failLate(fault: FaultKind | undefined, answer: Answer) {
  if (fault === 'reset-after' || fault === 'reset-midway' || fault === 'reset-created') return 'reset';
  return fault === 'truncated' ? { ...answer, body: answer.body.slice(0, answer.body.length / 2) } : answer;
}

function tooManyRequests() {
  return refusal(429, 'ERR_TOO_MANY_REQUESTS', 'Too many requests, try again later.');
}

function noSuchAddress(method: string, path: string) {
  return refusal(404, 'ERR_API_NOT_FOUND', `There is no ${method} ${path}.`);
}

function replyOf(body: object, headers: Headers = {}) {
  return { status: 200, headers, body: jsonOf(new Map(Object.entries(body))) };
}

function refusalAnswer(error: unknown, headers: Headers = {}) {
  if (!(error instanceof Refusal)) throw error;
  return { status: error.status, headers, body: jsonOf({ error: error.error }) };
}

function placeOf({ method = '', url = '' }: IncomingMessage) {
  const [path = '', query] = url.split('?', 2);
  return { method, path, query };
}

function header(request: IncomingMessage, name: string) {
  return [request.headers[name.toLowerCase()] ?? ''].flat().join(', ');
}

/** The whole body; undefined when the client left before its end. */
async function readBodyText(request: IncomingMessage, maxBytes: number) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return { text: Buffer.concat(chunks).toString(), tooLarge: bytes > maxBytes };
}

function send(response: ServerResponse, { status, headers, body }: Answer) {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

const OPERATIONS: Operations = {
  ...memberOperations,
  ...groupOperations,
  ...userOperations,
  ...importOperations,
  ...keyOperations,
};

/** Operations that a key of the scope authOnly opens too (docs/chat-service.md, 9). */
const AUTH_ONLY: ReadonlySet<string> = new Set(['POST users', 'POST users/{uid}/auth_tokens']);

/** Operations that have faults of their own. */
const FAULTY: Readonly<Record<string, FaultyCall>> = {
  'POST groups/{guid}/members': 'add-members',
  'POST data_import/members': 'add-members',
  'GET groups/{guid}/members': 'list',
  'GET groups/{guid}/bannedusers': 'list',
  'GET groups': 'list',
  'GET users': 'list',
  'POST groups': 'create',
  'POST users': 'create',
  'POST data_import/groups': 'create',
  'POST data_import/users': 'create',
};

/** Finds the operation of a method and path, with its parameters. @param banned address of the banned of a group */
function routerWith(banned: string) {
  const routes = Object.entries(OPERATIONS).map(([place, operation]) => {
    const path = place.replace('bannedusers', banned).replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    return { operation, authOnly: AUTH_ONLY.has(place), faulty: FAULTY[place], pattern: new RegExp(`^${path}$`) };
  });
  return (called: string) => {
    for (const { pattern, ...route } of routes) {
      const found = pattern.exec(called);
      if (found === null) continue;
      const params = Object.entries(found.groups ?? {});
      try {
        return { ...route, params: Object.fromEntries(params.map(([name, text]) => [name, decodeURIComponent(text)])) };
      } catch {
        return undefined; // a broken percent escape
      }
    }
    return undefined;
  };
}
