import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { API_VERSION, HEADERS, type KeyScope } from '../chat/contract.ts';
import { isRegion, REGIONS, type Region } from '../chat/service/regions.ts';
import type { Behaviour } from './behaviour.ts';
import { badRequest, jsonOf, Refusal, refusal, seconds } from './call.ts';
import type { FaultKind, Faults } from './injected-faults.ts';
import { routerWith } from './routes.ts';
import type { App } from './sandbox-app.ts';
import type { Headers, Tenant } from './tenant.ts';

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
export function hostNames(domain: string): string[] {
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
/** Pages that come in place of an answer. */
const PAGES: Readonly<Partial<Record<FaultKind, Answer>>> = {
  firewall: { status: 403, headers: HTML, body: '<html><title>Access denied</title><body>Blocked.</body></html>' },
  redirect: { status: 302, headers: { ...HTML, Location: 'https://login.localhost/' }, body: '' },
  unavailable: { status: 503, headers: HTML, body: '<html><body>503 Service Unavailable</body></html>' },
  'not-json': { status: 200, headers: HTML, body: '<html><body>Back soon.</body></html>' },
};
const APP_LABELS = /^(?:([^.]+)\.)?(api|call)-([a-z]+)$/;

/** Answers HTTP requests: finds the app, checks the key, counts the call, and has the operation carried out. */
export class Service {
  readonly #options: ServiceOptions;
  readonly #routeOf: ReturnType<typeof routerWith>;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#routeOf = routerWith(options.behaviour.bannedAddress);
  }

  /** @param reset cuts the connection beneath the request */
  async handle(request: IncomingMessage, response: ServerResponse, reset: () => void): Promise<void> {
    const { domain, tenants } = this.#options;
    const host = request.headers.host ?? '';
    const name = host.toLowerCase().replace(/:\d+$/, '');
    const labels = name.endsWith(`.${domain.toLowerCase()}`) ? name.slice(0, -domain.length - 1) : '';
    const [, appId = '', address, region = ''] = APP_LABELS.exec(labels) ?? [];
    if (!isRegion(region)) {
      request.resume();
      send(response, labels === 'apimgmt' ? this.#manage(request) : this.#noApp(host));
      return;
    }
    const tenant = tenants[region];
    tenant.traffic.arrived();
    const ending = await this.#serve(request, tenant, appId, address === 'api');
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

  /** @param isApi the operations of the calls address are not specified: every path is unknown */
  async #serve(request: IncomingMessage, tenant: Tenant, appId: string, isApi: boolean): Promise<Ending> {
    const { behaviour, faults } = this.#options;
    const body = await readBodyText(request, behaviour.maxBodyBytes);
    if (body === undefined) return 'reset';
    const { method = '', url = '' } = request;
    const [path = '', query] = url.split('?', 2);
    const [, version = '', place = ''] = /^\/([^/]*)\/?(.*)$/.exec(path) ?? [];
    const route = isApi ? this.#routeOf(`${method} ${place}`) : undefined;
    const { fault, delayMs } = faults.strike(tenant.app.region, route?.faulty);
    if (delayMs > 0) await faults.slowDown(delayMs);
    const latencyMs = this.#options.latencyMs();
    // Without a reference: a call that waits must not keep a process alive that has closed the sandbox.
    if (latencyMs > 0) await delay(latencyMs, undefined, { ref: false });

    let headers: Headers = {};
    try {
      const early = this.#failEarly(fault, tenant);
      if (early !== undefined) return early;
      const scope = this.#authenticate(request, tenant.app, appId);
      const now = this.#options.now();
      // The budget that a call counts in (docs/chat-service.md, 39 and 72).
      const other = place.startsWith('data_import/') ? tenant.imports : tenant.window;
      const taken = (method === 'GET' ? tenant.lists : other).take(now);
      headers = taken.headers;
      if (taken.limited) {
        tenant.traffic.rateLimited += 1;
        throw tooManyRequests();
      }
      if (body.tooLarge) throw badRequest({ body: [`A body has at most ${behaviour.maxBodyBytes} bytes.`] });
      if (version !== API_VERSION) {
        const message = `There is no version "${version}", the current version is ${API_VERSION}.`;
        throw refusal(404, 'ERR_INVALID_API_VERSION', message);
      }
      if (route === undefined) throw noSuchAddress(method, path);
      if (scope !== 'fullAccess' && !route.authOnly) throw this.#scopeTooSmall(request);
      const reply = route.operation({
        app: tenant.app,
        behaviour,
        params: route.params,
        query: new URLSearchParams(query),
        contentType: header(request, 'Content-Type'),
        body: body.text,
        onBehalfOf: header(request, HEADERS.onBehalfOf),
        now,
        fault,
      });
      return failLate(fault, { status: 200, headers, body: jsonOf(reply) });
    } catch (error) {
      return failLate(fault, { ...refusalAnswer(error), headers });
    }
  }

  #noApp(host: string): Answer {
    const shape = `an app is at <app id>.api-<region>.${this.#options.domain}, with region ${REGIONS.join(', ')}`;
    return refusalAnswer(refusal(404, 'AUTH_ERR_INVALID_APPID', `No app is at "${host}": ${shape}.`));
  }

  /** Answers a request to the management address: GET /apps lists the apps. Keys of apps are not shown. */
  #manage(request: IncomingMessage): Answer {
    const { tenants, management } = this.#options;
    const key = header(request, HEADERS.managementKey);
    const secret = header(request, HEADERS.managementSecret);
    if (key === '' || secret === '') {
      return refusalAnswer(refusal(401, 'AUTH_ERR_EMPTY_AUTH_HEADER', 'The headers key and secret must be given.'));
    }
    if (key !== management.key || secret !== management.secret) {
      return refusalAnswer(refusal(401, 'AUTH_ERR_NO_ACCESS', 'The key and secret are not valid together.'));
    }
    const { method = '', url = '' } = request;
    const [path = ''] = url.split('?', 1);
    if (method !== 'GET' || path !== '/apps') return refusalAnswer(noSuchAddress(method, path));
    const data = Object.values(tenants).map(({ app: { appId, region, createdAt } }) => {
      return { id: appId, name: appId, region, createdAt: seconds(createdAt) };
    });
    const pagination = { total: data.length, count: data.length, per_page: 100, current_page: 1, total_pages: 1 };
    return { status: 200, headers: {}, body: jsonOf({ data, meta: { pagination } }) };
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
      case 'error':
        throw refusal(500, 'ERR_OPERATION_FAILED', 'The operation failed.');
      case 'refuse-key':
        throw this.#keyRefused('AUTH_ERR_APIKEY_NOT_FOUND', 'The API key is not known.');
      default:
        return fault && PAGES[fault];
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
    return refusal(this.#options.behaviour.refusedKeyStatus, code, message);
  }

  #scopeTooSmall(request: IncomingMessage): Refusal {
    const { echoKey, keyScopeStatus } = this.#options.behaviour;
    const which = echoKey ? `The API key ${header(request, HEADERS.apiKey)}` : 'The API key';
    return refusal(keyScopeStatus, 'AUTH_ERR_NO_ACCESS', `${which} has not the scope for this.`);
  }
}

/** The result of a call that was carried out, where a fault damages the answer. */
function failLate(fault: FaultKind | undefined, answer: Answer): Ending {
  if (fault === 'reset-after' || fault === 'reset-midway' || fault === 'reset-created') return 'reset';
  return fault === 'truncated' ? { ...answer, body: answer.body.slice(0, answer.body.length / 2) } : answer;
}

function tooManyRequests(): Refusal {
  return refusal(429, 'ERR_TOO_MANY_REQUESTS', 'Too many requests, try again later.');
}

function noSuchAddress(method: string, path: string): Refusal {
  return refusal(404, 'ERR_API_NOT_FOUND', `There is no ${method} ${path}.`);
}

function refusalAnswer(error: unknown): Answer {
  if (!(error instanceof Refusal)) throw error;
  return { status: error.status, headers: {}, body: jsonOf({ error: error.error }) };
}

function header(request: IncomingMessage, name: string): string {
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

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}
