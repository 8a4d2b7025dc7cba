import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { isIP, type LookupFunction } from 'node:net';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { Agent, type Dispatcher } from 'undici';
import { lookupHost } from '../../chat/address.ts';
import { option, words } from '../../errors/named-options.ts';
import { shown } from '../../imports/read/intake-error.ts';
import { writeWhole } from '../../platform/whole-file.ts';
import { hashOf } from '../sync/plan/prepare.ts';
import type { SourceCopy } from './schedule-catalog.ts';
import { SourceError, SourceNotAllowed } from './schedule-errors.ts';

export interface Download {
  readonly url: URL;
  /** Header → its value, a secret: in no error, and sent to this origin only. */
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  /** What is kept of it already: it is only fetched if it has changed. */
  readonly copy: SourceCopy | null;
  /** Where the copy is kept, as `source`. */
  readonly folder: string;
  /** PEM of an additional certificate authority to trust. */
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
  /** Told at each piece how many bytes have come, and of how many, where that is known. */
  readonly onPiece?: ((bytes: number, of: number | undefined) => void) | undefined;
  /** Checks where a redirect leads; throws SourceNotAllowed. */
  readonly mayFollow?: ((to: URL) => void) | undefined;
}

export interface Kept {
  readonly path: string;
  readonly copy: SourceCopy;
}

/** All in ms. */
const CONNECT_MS = 10_000;
/** Until the answer begins, and between two pieces of it. An export may be made only when it is asked for. */
const QUIET_MS = 60_000;
const WHOLE_MS = 30 * 60_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches the file behind an address, piece by piece, to disk. The earlier copy is replaced only by a complete file.
 * @throws SourceError; the signal's reason when aborted
 */
export async function download(options: Download): Promise<Kept> {
  const { url, ca, folder } = options;
  const path = join(folder, 'source');
  await mkdir(folder, { recursive: true, mode: 0o700 });
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
  const limit = AbortSignal.timeout(WHOLE_MS);
  const signal = AbortSignal.any([options.signal, limit]);
  const at = shown(`${url.origin}${url.pathname}`);
  const check: Outside['check'] = (to, from) => {
    outside.check(to, from);
    options.mayFollow?.(to);
  };
  try {
    // A copy that was damaged, or replaced by a process that died before it noted that, does not count.
    const copy =
      options.copy !== null && existsSync(path) && (await hashOf(path)) === options.copy.hash ? options.copy : null;
    const answer = await follow(agent, check, { ...options, copy }, signal);
    if (answer.statusCode === 304 && copy !== null) {
      await answer.body.dump();
      return { path, copy };
    }
    return { path, copy: await keep(answer, path, options, at) };
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof SourceError || error instanceof SourceNotAllowed) throw error;
    const why = limit.aborted ? `it takes longer than ${WHOLE_MS / 60_000} minutes` : reasonOf(error);
    throw new SourceError(`${at} cannot be fetched: ${why}`, { cause: error });
  } finally {
    await agent.destroy();
  }
}

/** Asks for the file, wherever redirects lead, and gives an answer with the file, or that the copy is right. */
async function follow(
  agent: Agent,
  check: Outside['check'],
  { url, headers, copy }: Pick<Download, 'url' | 'headers' | 'copy'>,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
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
        ...(copy?.etag != null && { 'if-none-match': copy.etag }),
        ...(copy?.modified != null && { 'if-modified-since': copy.modified }),
        ...(place.origin === url.origin && headers),
      },
      signal,
    });
    const { statusCode } = answer;
    if (statusCode === 200 || (statusCode === 304 && copy !== null)) return answer;
    await answer.body.dump();
    const at = shown(`${place.origin}${place.pathname}`);
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

/** Writes the file, within its bound, and puts it in the place of the copy when it is whole. */
async function keep(
  { headers, body }: Dispatcher.ResponseData,
  path: string,
  { maxBytes, onPiece }: Pick<Download, 'maxBytes' | 'onPiece'>,
  at: string,
): Promise<SourceCopy> {
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  const hash = createHash('sha256');
  async function* pieces(): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > maxBytes) throw SourceError.tooLarge(at, maxBytes);
      hash.update(piece);
      onPiece?.(bytes, length);
      yield piece;
    }
  }
  try {
    if ((length ?? 0) > maxBytes) throw SourceError.tooLarge(at, maxBytes);
    await writeWhole(path, pieces());
  } catch (error) {
    body.destroy();
    throw error;
  }
  const text = (value: string | string[] | undefined) => (typeof value === 'string' ? value : null);
  return { hash: hash.digest('hex'), etag: text(headers['etag']), modified: text(headers['last-modified']) };
}

/** What the network says; never what was sent. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first.message : error.message;
}
