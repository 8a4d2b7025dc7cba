import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { API_VERSION, HEADERS, type KeyScope } from '../chat/contract.ts';
import { REGIONS, type Region } from '../chat/service/regions.ts';
import { createKey, deleteKey, getKey, listKeys, updateKey } from './api-keys.ts';
import type { Behaviour } from './behaviour.ts';
import { importGroups, importMembers, importUsers } from './data-import.ts';
import { addMembers, banMember, changeScope, removeMember, unbanMember } from './group-members.ts';
import { createGroup, deleteGroup, getGroup, listBanned, listGroups, listMembers, updateGroup } from './groups.ts';
import type { Names } from './host-names.ts';
import type { FaultKind, Faults, FaultyCall } from './injected-faults.ts';
import { type ManagementKey, manage } from './management.ts';
import type { Headers, RateWindow } from './rate-limit.ts';
import { badRequest, Refusal, serviceError } from './refusal.ts';
import type { App } from './sandbox-app.ts';
import { type Operation, WrittenReply } from './sandbox-call.ts';
import type { TrafficCounter } from './traffic.ts';
import {
  createAuthToken,
  createUser,
  deactivateUsers,
  deleteUser,
  getUser,
  listUsers,
  reactivateUsers,
  sendMessage,
  updateUser,
} from './users.ts';

/** Address and first keys of an app; the names of their scopes are in docs/chat-service.md, 9. */
export interface AppKeys {
  readonly appId: string;
  /** Scope fullAccess. */
  readonly apiKey: string;
  /** Scope authOnly. */
  readonly authOnlyKey: string;
}

/** An app with all that is kept per app. */
export interface Tenant {
  readonly app: App;
  readonly keys: AppKeys;
  readonly window: RateWindow;
  /** The window of calls that only read; the same one if all calls share a budget. */
  readonly lists: RateWindow;
  /** The window of bulk imports. */
  readonly imports: RateWindow;
  readonly traffic: TrafficCounter;
}

interface ServiceOptions {
  readonly tenants: Readonly<Record<Region, Tenant>>;
  readonly management: ManagementKey;
  readonly names: Names;
  readonly behaviour: Behaviour;
  readonly faults: Faults;
  /** Milliseconds that the next call takes. */
  readonly latencyMs: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}
/** The end of a call: an answer, a reset connection, or nothing. */
type Ending = Answer | 'reset' | 'no-answer';

interface Body {
  readonly text: string;
  readonly tooLarge: boolean;
}

const HTML = { 'Content-Type': 'text/html; charset=utf-8' };
const NO_ROUTE = { path: [] as string[], match: undefined };

/** Answers HTTP requests: finds the app, checks the key, counts the call, and has the operation carried out. */
export class Service {
  readonly #options: ServiceOptions;

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  /** @param reset cuts the connection beneath the request */
  async handle(request: IncomingMessage, response: ServerResponse, reset: () => void): Promise<void> {
    const address = this.#options.names.parse(request.headers.host ?? '');
    if (address.kind !== 'app') {
      request.resume();
      send(response, this.#answerOther(request, address.kind));
      return;
    }
    const tenant = this.#options.tenants[address.region];
    tenant.traffic.arrived();
    const ending = await this.#serve(request, tenant, address);
    if (typeof ending !== 'string' && !response.destroyed) {
      // Before sending, so that a client that has the answer finds it counted.
      tenant.traffic.ended(ending.status);
      send(response, ending);
      return;
    }
    if (ending === 'reset') reset();
    if (ending === 'no-answer' && !response.destroyed) await once(response, 'close');
    tenant.traffic.ended(undefined);
  }

  async #serve(request: IncomingMessage, tenant: Tenant, to: { appId: string; calls: boolean }): Promise<Ending> {
    const body = await readBodyText(request, this.#options.behaviour.maxBodyBytes);
    if (body === undefined) return 'reset';
    const route = findRoute(request);
    const { fault, delayMs } = this.#options.faults.strike(tenant.app.region, route.match?.faulty);
    if (delayMs > 0) await this.#options.faults.slowDown(delayMs);
    const latencyMs = this.#options.latencyMs();
    // Without a reference: a call that waits must not keep a process alive that has closed the sandbox.
    if (latencyMs > 0) await delay(latencyMs, undefined, { ref: false });

    let headers: Headers = {};
    try {
      const early = this.#failEarly(fault, tenant);
      if (early !== undefined) return early;
      const scope = this.#authenticate(request, tenant.app, to.appId);
      const now = this.#options.now();
      const taken = windowOf(tenant, request.method, route.path).take(now);
      headers = taken.headers;
      if (taken.limited) {
        tenant.traffic.rateLimited += 1;
        throw tooManyRequests();
      }
      if (body.tooLarge)
        throw badRequest({ body: [`A body has at most ${this.#options.behaviour.maxBodyBytes} bytes.`] });
      if (route.path[0] !== API_VERSION) {
        const message = `There is no version "${route.path[0] ?? ''}", the current version is ${API_VERSION}.`;
        throw new Refusal(404, serviceError('ERR_INVALID_API_VERSION', message));
      }
      // The operations of the calls address are not specified: every path is unknown.
      if (route.match === undefined || to.calls || this.#isOtherBannedAddress(route.path)) throw noSuchAddress(request);
      if (scope !== 'fullAccess' && !route.match.authOnly) throw this.#scopeTooSmall(request);
      const reply = route.match.operation({
        app: tenant.app,
        behaviour: this.#options.behaviour,
        params: route.match.params,
        query: new URLSearchParams(request.url?.split('?', 2)[1]),
        contentType: request.headers['content-type'] ?? '',
        body: body.text,
        onBehalfOf: header(request, HEADERS.onBehalfOf),
        now,
        fault,
      });
      return failLate(fault, {
        status: 200,
        headers,
        body: reply instanceof WrittenReply ? reply.json : JSON.stringify(reply),
      });
    } catch (error) {
      return failLate(fault, { ...refusalAnswer(error), headers });
    }
  }

  #isOtherBannedAddress([, , , list = '']: readonly string[]): boolean {
    return BANNED_ADDRESSES.includes(list) && list !== this.#options.behaviour.bannedAddress;
  }

  #answerOther(request: IncomingMessage, kind: 'management' | 'unknown'): Answer {
    const { tenants, management } = this.#options;
    try {
      if (kind === 'unknown') {
        const host = request.headers.host ?? '';
        const shape = `an app is at <app id>.api-<region>.${this.#options.names.domain}, with region ${REGIONS.join(', ')}`;
        throw new Refusal(404, serviceError('AUTH_ERR_INVALID_APPID', `No app is at "${host}": ${shape}.`));
      }
      const { method = '', url = '' } = request;
      const asked = { method, path: url.split('?', 1)[0] ?? '', header: (name: string) => header(request, name) };
      const apps = Object.values(tenants).map(({ app }) => app);
      return { status: 200, headers: {}, body: JSON.stringify(manage(asked, management, apps)) };
    } catch (error) {
      return refusalAnswer(error);
    }
  }

  /** The result of a call that a fault prevents. */
  #failEarly(fault: FaultKind | undefined, { window }: Tenant): Ending | undefined {
    switch (fault) {
      case 'reset-before':
        return 'reset';
      case 'timeout':
        return 'no-answer';
      case 'too-many': {
        const now = this.#options.now();
        return { ...refusalAnswer(tooManyRequests()), headers: window.refusal(now + 1000, now) };
      }
      case 'firewall':
        return { status: 403, headers: HTML, body: '<html><title>Access denied</title><body>Blocked.</body></html>' };
      case 'redirect':
        return { status: 302, headers: { ...HTML, Location: 'https://login.localhost/' }, body: '' };
      case 'unavailable':
        return { status: 503, headers: HTML, body: '<html><body>503 Service Unavailable</body></html>' };
      case 'error':
        throw new Refusal(500, serviceError('ERR_OPERATION_FAILED', 'The operation failed.'));
      case 'refuse-key':
        throw this.#keyRefused('AUTH_ERR_APIKEY_NOT_FOUND', 'The API key is not known.');
      case 'not-json':
        return { status: 200, headers: HTML, body: '<html><body>Back soon.</body></html>' };
      default:
        return undefined;
    }
  }

  /** The scope of the request's key (docs/chat-service.md, 8 and 9). */
  #authenticate(request: IncomingMessage, app: App, appId: string): KeyScope {
    if (appId === '') throw this.#keyRefused('AUTH_ERR_EMPTY_APPID', 'The address has no app id.');
    if (appId !== app.appId.toLowerCase()) {
      throw this.#keyRefused('AUTH_ERR_INVALID_APPID', `There is no app "${appId}" in this region.`);
    }
    const key = header(request, HEADERS.apiKey);
    if (key === '') throw this.#keyRefused('AUTH_ERR_EMPTY_APIKEY', `The header ${HEADERS.apiKey} must be given.`);
    const known = app.keys.get(key);
    if (known === undefined) throw this.#keyRefused('AUTH_ERR_APIKEY_NOT_FOUND', 'The API key is not known.');
    return known.scope;
  }

  #keyRefused(code: string, message: string): Refusal {
    return new Refusal(this.#options.behaviour.refusedKeyStatus, serviceError(code, message));
  }

  #scopeTooSmall(request: IncomingMessage): Refusal {
    const { echoKey, keyScopeStatus } = this.#options.behaviour;
    const which = echoKey ? `The API key ${header(request, HEADERS.apiKey)}` : 'The API key';
    return new Refusal(keyScopeStatus, serviceError('AUTH_ERR_NO_ACCESS', `${which} has not the scope for this.`));
  }
}

/** The result of a call that was carried out, where a fault damages the answer. */
function failLate(fault: FaultKind | undefined, answer: Answer): Ending {
  if (fault === 'reset-after' || fault === 'reset-midway' || fault === 'reset-created') return 'reset';
  return fault === 'truncated' ? { ...answer, body: answer.body.slice(0, answer.body.length / 2) } : answer;
}

function tooManyRequests(): Refusal {
  return new Refusal(429, serviceError('ERR_TOO_MANY_REQUESTS', 'Too many requests, try again later.'));
}

function noSuchAddress({ method, url }: IncomingMessage): Refusal {
  return new Refusal(404, serviceError('ERR_API_NOT_FOUND', `There is no ${method} ${url?.split('?', 1)[0]}.`));
}

function refusalAnswer(error: unknown): Answer {
  if (!(error instanceof Refusal)) throw error;
  return { status: error.status, headers: {}, body: JSON.stringify({ error: error.error }) };
}

/** Segments of the path, and the operation that they and the method lead to. */
function findRoute({ method = '', url = '' }: IncomingMessage): {
  path: string[];
  match: ReturnType<typeof matchRoute>;
} {
  const raw = url.split('?', 1)[0] ?? '';
  try {
    const path = raw.split('/').slice(1).map(decodeURIComponent);
    return { path, match: matchRoute(method, path.slice(1)) };
  } catch {
    return NO_ROUTE; // a broken percent escape
  }
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}

/** The whole body; undefined when the client left before its end. */
async function readBodyText(request: IncomingMessage, maxBytes: number): Promise<Body | undefined> {
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

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

/** An operation of an app, and the keys that open it (docs/chat-service.md, 9). */
interface Route {
  readonly operation: Operation;
  /** Whether a key of the scope authOnly opens it too. */
  readonly authOnly?: true;
  /** For the faults that hit only such calls. */
  readonly faulty?: FaultyCall;
}

const DATA_IMPORT = 'data_import';

/** The budget that a call counts in (docs/chat-service.md, 39 and 72). */
function windowOf(tenant: Tenant, method: string | undefined, [, resource]: readonly string[]): RateWindow {
  if (method === 'GET') return tenant.lists;
  return resource === DATA_IMPORT ? tenant.imports : tenant.window;
}

/** Addresses of the banned users of a group; documentation has both. */
const BANNED_ADDRESSES: readonly string[] = ['bannedusers', 'banned_members'];

/** The operations, by method and path below the version prefix, in which a segment in braces is a parameter. */
const ROUTES: Readonly<Record<string, Route>> = {
  'POST groups/{guid}/members': { operation: addMembers, faulty: 'add-members' },
  'GET groups/{guid}/members': { operation: listMembers, faulty: 'list' },
  'PUT groups/{guid}/members/{uid}': { operation: changeScope },
  'DELETE groups/{guid}/members/{uid}': { operation: removeMember },
  ...routesOfBanned('bannedusers'),
  ...routesOfBanned('banned_members'),
  'GET groups/{guid}': { operation: getGroup },
  'PUT groups/{guid}': { operation: updateGroup },
  'DELETE groups/{guid}': { operation: deleteGroup },
  'GET groups': { operation: listGroups, faulty: 'list' },
  'POST groups': { operation: createGroup, faulty: 'create' },
  'GET users': { operation: listUsers, faulty: 'list' },
  'PUT users': { operation: reactivateUsers },
  'DELETE users': { operation: deactivateUsers },
  'GET users/{uid}': { operation: getUser },
  'PUT users/{uid}': { operation: updateUser },
  'DELETE users/{uid}': { operation: deleteUser },
  'POST users': { operation: createUser, authOnly: true, faulty: 'create' },
  'POST users/{uid}/auth_tokens': { operation: createAuthToken, authOnly: true },
  [`POST ${DATA_IMPORT}/members`]: { operation: importMembers, faulty: 'add-members' },
  [`POST ${DATA_IMPORT}/users`]: { operation: importUsers, faulty: 'create' },
  [`POST ${DATA_IMPORT}/groups`]: { operation: importGroups, faulty: 'create' },
  'GET apikeys': { operation: listKeys },
  'POST apikeys': { operation: createKey },
  'GET apikeys/{apiKey}': { operation: getKey },
  'PUT apikeys/{apiKey}': { operation: updateKey },
  'DELETE apikeys/{apiKey}': { operation: deleteKey },
  'POST messages': { operation: sendMessage },
};

/** The service has one of these addresses (`bannedAddress`). */
function routesOfBanned(list: string): Record<string, Route> {
  return {
    [`GET groups/{guid}/${list}`]: { operation: listBanned, faulty: 'list' },
    [`POST groups/{guid}/${list}/{uid}`]: { operation: banMember },
    [`DELETE groups/{guid}/${list}/{uid}`]: { operation: unbanMember },
  };
}

const SPLIT_ROUTES = Object.entries(ROUTES).map(([place, route]) => {
  const [method, path = ''] = place.split(' ');
  return { ...route, method, segments: path.split('/') };
});

/** The operation at a method and path (the decoded segments below the version prefix), if there is one. */
function matchRoute(method: string, path: readonly string[]): (Route & { params: readonly string[] }) | undefined {
  const isParam = (segment: string) => segment.startsWith('{');
  const found = SPLIT_ROUTES.find(
    ({ segments, ...route }) =>
      route.method === method &&
      segments.length === path.length &&
      segments.every((segment, at) => (isParam(segment) ? path[at] !== '' : segment === path[at])),
  );
  return found && { ...found, params: path.filter((_, at) => isParam(found.segments[at] ?? '')) };
}
