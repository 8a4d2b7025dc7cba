import { X509Certificate } from 'node:crypto';
import { createRequire } from 'node:module';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type Undici from 'undici';
import type { Dispatcher, Pool as Pooled } from 'undici';
import { badSetting } from '../errors/rollcall-error.ts';
import { isLocalhost } from '../platform/hosts.ts';

/** A proxy between this machine and the internet, as `HTTPS_PROXY` and `NO_PROXY` name it. */
export interface ProxySettings {
  /** Address of the proxy, such as `http://proxy.example:3128`; it may contain user and password. */
  readonly url: string;
  /** Hosts that are reached without it, by commas; empty for none. */
  readonly except: string;
}

/** Dispatcher of calls: our own sockets if no proxy is in the way, which is the fastest. */
interface Sockets extends Pick<Dispatcher, 'dispatch'> {
  destroy(): Promise<void>;
}

/** @throws BAD_SETTING when the proxy's address is not usable */
export function openPool(origin: string, proxy: ProxySettings | undefined, options: Pooled.Options): Sockets {
  if (proxy === undefined || isLocalhost(new URL(origin).hostname)) return new Pool(origin, options);
  const { connect } = options;
  if (!isProxyAddress(proxy.url)) {
    // Its value is not repeated: a password may be part of it.
    throw badSetting(
      "the proxy's address in HTTPS_PROXY is not usable: write it as http://host:port or https://host:port, with user:password@ before the host if it asks for them",
    );
  }
  const tls = { ...(typeof connect === 'object' && connect), allowH2: false };
  const EnvHttpProxyAgent = proxyAgent();
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

function isProxyAddress(url: string) {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** Kept for the next client: reading some hundred root certificates takes 20 ms and more, which nothing else of a client does. */
let latest: { readonly ca: string; readonly context: SecureContext } | undefined;

export function trusting(ca: string) {
  if (latest?.ca === ca) return latest.context;
  try {
    new X509Certificate(ca);
  } catch {
    throw badSetting(
      'the additional certificate authority cannot be read: its file must hold a certificate in PEM form, starting with "-----BEGIN CERTIFICATE-----"',
    );
  }
  const context = createSecureContext({ ca: [...getCACertificates('default'), ca] });
  latest = { ca, context };
  return context;
}

const load = createRequire(import.meta.url);

/** The parts of undici that calls need, each by its own path: loading all of it takes twice the time, for fetch, caches and mocks. */
const Pool: typeof Undici.Pool = part('Pool', 'dispatcher/pool.js');
export const errors: typeof Undici.errors = part('errors', 'core/errors.js');

/** Loaded where there is a proxy, with all of undici: it needs methods that the whole adds to its parts. */
function proxyAgent(): typeof Undici.EnvHttpProxyAgent {
  return (load('undici') as typeof Undici).EnvHttpProxyAgent;
}

/** The paths are undici's own affair, and a later version may have others. */
function part<Name extends keyof typeof Undici>(name: Name, path: string): (typeof Undici)[Name] {
  try {
    return load(`undici/lib/${path}`);
  } catch {
    return load('undici')[name];
  }
}
