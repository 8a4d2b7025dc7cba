import { X509Certificate } from 'node:crypto';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { isLocalhost } from '../platform/loopback.ts';
import { lookupHost } from './address.ts';
import { CallAborted, SettingError } from './errors.ts';
import { Exchange, type Reply, type Request } from './exchange.ts';

/** All in milliseconds. Above one second they are kept to within about half a second. */
export interface Timeouts {
  /** Until a connection is open, TLS included. Default 10,000. */
  readonly connectMs: number;
  /** From the request to the first line of the reply; a call adds its members one after another. Default 30,000. */
  readonly headersMs: number;
  /** Between two pieces of the reply's body. Default 15,000. */
  readonly bodyMs: number;
}

/** A proxy between this machine and the internet, as `HTTPS_PROXY` and `NO_PROXY` name it. */
interface Proxy {
  /** Address of the proxy, such as `http://proxy.example:3128`; it may contain user and password. */
  readonly url: string;
  /** Hosts that are reached without it, by commas; empty for none. */
  readonly except: string;
}

export interface ConnectionOptions {
  /** Names under `.localhost` are never asked for through it. */
  readonly proxy?: Proxy | undefined;
  /** PEM of a certificate authority to trust in addition to the default ones. */
  readonly ca?: string | undefined;
  /** Most connections at a time, and so most calls in flight; further calls wait for one. Default 64. */
  readonly connections?: number | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** Longest reply body that is read, in bytes, unless a request allows more. Default 1 MiB. */
  readonly maxReplyBytes?: number | undefined;
}

/** Kept-alive HTTPS connections to one origin. */
export interface Connection {
  /**
   * Returns what `read` makes of the reply, of any status.
   * @throws TransportFailure, MalformedReply (not HTTP), InvalidCall, CallAborted, and what `read` throws
   */
  exchange<Read>(request: Request, signal: AbortSignal | undefined, read: (reply: Reply) => Read): Promise<Read>;
  /** Lets the calls in flight finish, then closes the sockets. Calling it again waits for the same end. */
  close(): Promise<void>;
}

const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, headersMs: 30_000, bodyMs: 15_000 };
const DEFAULT_CONNECTIONS = 64;
const DEFAULT_MAX_REPLY_BYTES = 1024 * 1024;

/** @param origin `https://<host>[:<port>]` as address.ts builds it, which is where plain http is refused */
export function openConnection(origin: string, options: ConnectionOptions): Connection {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const maxReplyBytes = options.maxReplyBytes ?? DEFAULT_MAX_REPLY_BYTES;
  /** Ends the sockets that are still connecting; the pool knows only open ones. */
  const ending = new AbortController();
  const connect = {
    timeout: timeouts.connectMs,
    lookup: lookupHost,
    signal: ending.signal,
    // Given here, because NODE_TLS_REJECT_UNAUTHORIZED in the environment would change the default.
    rejectUnauthorized: true,
    ...(options.ca !== undefined && { secureContext: trusting(options.ca) }),
  };
  const pool = openPool(origin, options.proxy, {
    connections: options.connections ?? DEFAULT_CONNECTIONS,
    pipelining: 1,
    // One call per connection at a time, so that a lost connection makes only one call uncertain; HTTP/2 would share it.
    allowH2: false,
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyMs,
    connect,
  });
  const underWay = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;

  async function closeAfterCalls(): Promise<void> {
    await Promise.allSettled(underWay);
    // Not pool.close(): it would wait for connections that no call uses any more.
    await pool.destroy();
    ending.abort();
  }

  return {
    async exchange<Read>(request: Request, signal: AbortSignal | undefined, read: (reply: Reply) => Read) {
      if (closed) throw new CallAborted(false, new Error('the client is closed'));
      const reply = new Promise<Read>((resolve, reject) => {
        const maxBytes = Math.max(maxReplyBytes, request.maxReplyBytes ?? 0);
        new Exchange(origin, maxBytes, read, resolve, reject).start(pool, request, signal);
      });
      underWay.add(reply);
      try {
        return await reply;
      } finally {
        underWay.delete(reply);
      }
    },
    close() {
      closed ??= closeAfterCalls();
      return closed;
    },
  };
}

/** What calls are dispatched to: sockets of our own where no proxy is in the way, which is the fastest. */
interface Sockets extends Pick<Dispatcher, 'dispatch'> {
  destroy(): Promise<void>;
}

/** @throws SettingError when the proxy's address is not usable */
function openPool(origin: string, proxy: Proxy | undefined, options: Pool.Options): Sockets {
  if (proxy === undefined || isLocalhost(new URL(origin).hostname)) return new Pool(origin, options);
  const { connect } = options;
  if (!isProxyAddress(proxy.url)) {
    // Its value is not repeated: a password may be part of it.
    throw new SettingError(
      "the proxy's address in HTTPS_PROXY is not usable: write it as http://host:port or https://host:port, with user:password@ before the host if it asks for them",
    );
  }
  const tls = { ...(typeof connect === 'object' && connect), allowH2: false };
  const agent = new EnvHttpProxyAgent({
    ...options,
    httpsProxy: proxy.url,
    noProxy: proxy.except,
    requestTls: tls,
    proxyTls: tls,
  });
  return {
    dispatch: (request, handler) => agent.dispatch({ ...request, origin }, handler),
    destroy: () => agent.destroy(),
  };
}

function isProxyAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** Kept for the next client: reading some hundred root certificates takes 20 ms and more, which nothing else of a client does. */
let latest: { readonly ca: string; readonly context: SecureContext } | undefined;

function trusting(ca: string): SecureContext {
  if (latest?.ca === ca) return latest.context;
  try {
    new X509Certificate(ca);
  } catch (cause) {
    throw new SettingError(
      'the additional certificate authority cannot be read: its file must hold a certificate in PEM form, starting with "-----BEGIN CERTIFICATE-----"',
      { cause },
    );
  }
  const context = createSecureContext({ ca: [...getCACertificates('default'), ca] });
  latest = { ca, context };
  return context;
}
