import { isIP, type LookupFunction } from 'node:net';
import { getCACertificates } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { Agent, type Dispatcher } from 'undici';
import { lookupHost } from '../chat/address.ts';
import { option, words } from '../errors/named-options.ts';
import { shown } from '../imports/read/intake-error.ts';
import { addressName } from '../text/address.ts';
import { headersWithValues } from './headers.ts';
import type { Adapter, Opened, SourceRequest } from './source.ts';
import { SourceError, SourceNotAllowed } from './source-errors.ts';

/** Files at https addresses. */

/** All in ms. */
const CONNECT_MS = 10_000;
/** Until the answer begins, and between two pieces of it. An export may be made only when it is asked for. */
const QUIET_MS = 60_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers are secrets: in no error, and sent to the origin of the address only. */
export const httpsSource: Adapter = (request) => {
  const url = new URL(request.address);
  const headers = headersWithValues(request.settings.headers ?? {}, request.environment);
  const name = addressName(request.address);
  return { name, open: (signal, known) => open({ ...request, url, headers, name }, signal, known) };
};

interface Asked extends Pick<SourceRequest, 'ca' | 'mayFollow'> {
  readonly url: URL;
  /** With their values. */
  readonly headers: Readonly<Record<string, string>>;
  readonly name: string;
}

async function open(asked: Asked, stop: AbortSignal, known: string | undefined): Promise<Opened> {
  const { url, ca, name } = asked;
  const outside = keepOutside(url);
  const agent = new Agent({
    connections: 1,
    headersTimeout: QUIET_MS,
    bodyTimeout: QUIET_MS,
    connect: {
      timeout: CONNECT_MS,
      lookup: outside.lookup,
      // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED in the environment would change the default.
      rejectUnauthorized: true,
      ...(ca !== undefined && { ca: [...getCACertificates('default'), ca] }),
    },
  });
  const close = () => agent.destroy();
  const failed = (error: unknown): never => {
    stop.throwIfAborted();
    if (error instanceof SourceError || error instanceof SourceNotAllowed) throw error;
    throw new SourceError(`${shown(name)} cannot be fetched: ${reasonOf(error)}`, {
      cause: error,
    });
  };
  const check: Outside['check'] = (to, from) => {
    outside.check(to, from);
    asked.mayFollow?.(to);
  };
  try {
    const { statusCode, headers, body } = await follow(agent, check, asked, known, stop);
    if (statusCode === 304) {
      await body.dump();
      return { name, version: known, content: undefined, close };
    }
    const size = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
    const pieces = async function* () {
      try {
        for await (const piece of body) yield piece as Buffer;
      } catch (error) {
        failed(error);
      }
    };
    return { name, version: versionOf(headers), content: { kind: 'bytes', size, pieces: pieces() }, close };
  } catch (error) {
    await close();
    return failed(error);
  }
}

/** What the server calls this version of the file: `etag`, then `last-modified`, each in a line. */
function versionOf(headers: Dispatcher.ResponseData['headers']): string | undefined {
  const text = (value: string | string[] | undefined) => (typeof value === 'string' ? value : '');
  const version = `${text(headers['etag'])}\n${text(headers['last-modified'])}`;
  return version === '\n' ? undefined : version;
}

/** Asks for the file, wherever redirects lead, and gives an answer with the file, or that the known version is right. */
async function follow(
  agent: Agent,
  check: Outside['check'],
  { url, headers }: Pick<Asked, 'url' | 'headers'>,
  known: string | undefined,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const [etag = '', modified = ''] = known?.split('\n') ?? [];
  let place = url;
  for (let redirects = 0; ; redirects++) {
    const answer = await agent.request({
      origin: place.origin,
      path: `${place.pathname}${place.search}`,
      method: 'GET',
      headers: {
        'user-agent': 'rollcall',
        // Compressed on the way, its size would not say how much is to come.
        'accept-encoding': 'identity',
        ...(etag !== '' && { 'if-none-match': etag }),
        ...(modified !== '' && { 'if-modified-since': modified }),
        ...(place.origin === url.origin && headers),
      },
      signal,
    });
    const { statusCode } = answer;
    if (statusCode === 200 || (statusCode === 304 && known !== undefined)) return answer;
    await answer.body.dump();
    const at = shown(addressName(place.href));
    if (!REDIRECTS.has(statusCode)) {
      throw new SourceError(`${at} answered ${statusCode} where the file was expected`, {
        remedy: words`check the address, and what ${option('header')} gives`,
      });
    }
    if (redirects === MAX_REDIRECTS)
      throw new SourceError(`${at} leads on after ${MAX_REDIRECTS} redirects; name the address behind them`);
    place = redirected(place, answer.headers['location'], at);
    check(place, at);
  }
}

/** Where a redirect leads. Its address is not shown whole: it may hold a signature. */
function redirected(from: URL, location: string | string[] | undefined, at: string): URL {
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) {
    throw new SourceError(`${at} redirects to no address; name the address of the file itself`);
  }
  const to = new URL(location, from.href);
  if (to.protocol === 'https:') return to;
  throw new SourceError(`${at} redirects to ${shown(to.origin)}, which is refused: redirects lead to https only`);
}

export interface Outside {
  /** Looks names up for the connection, which goes to what was checked. */
  readonly lookup: LookupFunction;
  /**
   * Checks where a redirect leads, if that is an address and not a name.
   * @throws SourceError
   */
  check(to: URL, at: string): void;
}

/**
 * Keeps the redirects of a public source out of this machine and of private networks: the server behind a public address
 * must not lead this machine there. A source that is private itself may lead to others. Names are checked when they are
 * looked up for the connection: checked earlier, they could have another address by then.
 */
export function keepOutside(source: URL, resolve: LookupFunction = lookupHost): Outside {
  const home = bare(source.hostname);
  // A name is known to be public when it is looked up for the first time, before any redirect.
  let isPublic = isIP(home) === 0 ? undefined : isOutside(home);
  let from = shown(source.origin);
  const refused = (host: string) =>
    new SourceError(
      `${from} redirects to ${shown(host)}, which is refused: it is an address of this machine or a private network; name it itself if it is meant`,
    );
  return {
    lookup: (hostname, options, done) => {
      resolve(hostname, { ...options, all: true }, (error, found) => {
        if (error !== null) return done(error, '', 0);
        const addresses = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
        const areOutside = addresses.every(({ address }) => isOutside(address));
        isPublic ??= areOutside;
        if (isPublic && !areOutside) return done(refused(hostname), '', 0);
        const [first] = addresses;
        if (options.all === true || first === undefined) return done(null, addresses);
        done(null, first.address, first.family);
      });
    },
    check: (to, at) => {
      from = at;
      const host = bare(to.hostname);
      if (isPublic === true && isIP(host) !== 0 && !isOutside(host)) throw refused(host);
    },
  };
}

/** Without the brackets of IPv6. */
const bare = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1');

/** Whether an address is one of the public internet. */
const isOutside = (address: string) => ipaddr.process(address).range() === 'unicast';

/** What the network says; never what was sent. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first.message : error.message;
}
