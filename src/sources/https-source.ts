import { isIP, type LookupFunction } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { option, words } from '../errors/named-options.ts';
import { shown } from '../imports/read/intake-error.ts';
import { connectTimes } from '../platform/hosts.ts';
import { addressName } from '../text/address-text.ts';
import { grouped } from '../text/wording.ts';
import { bare, isPublic, lookupChecked } from './allowed-sources.ts';
import { headersWithValues } from './named.ts';
import {
  type Adapter,
  badSource,
  NOTHING_READ,
  type Opened,
  resumed,
  type SourceRequest,
  sourceRefusal,
  trusted,
  UNKNOWN_AUTHORITY,
} from './source.ts';

const CONNECT_MS = 10_000;
/** Until the answer begins, and between two pieces of it. An export may be made only when it is asked for. */
const QUIET_MS = 60_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers are secrets: in no error, and sent to the origin of the address only. */
export const adapter: Adapter = (request) => {
  const url = new URL(request.address);
  const headers = headersWithValues(request.settings.headers ?? {}, request.environment);
  const name = addressName(request.address);
  return { name, open: (signal, known) => open({ ...request, url, headers, name }, signal, known) };
};

interface Asked extends Pick<SourceRequest, 'ca' | 'mayFollow' | 'mayConnect'> {
  readonly url: URL;
  /** With their values. */
  readonly headers: Readonly<Record<string, string>>;
  readonly name: string;
}

async function open(asked: Asked, stop: AbortSignal, known: string | undefined): Promise<Opened> {
  const { url, ca, name } = asked;
  const outside = keepOutside(url, asked.mayConnect);
  const agent = new Agent({
    connections: 1,
    headersTimeout: QUIET_MS,
    bodyTimeout: QUIET_MS,
    connect: {
      ...connectTimes(url.hostname, CONNECT_MS),
      lookup: outside.lookup,
      // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED in the environment would change the default.
      rejectUnauthorized: true,
      ...(ca !== undefined && { ca: trusted(ca) }),
    },
  });
  const close = () => agent.destroy();
  const failed = (error: unknown) =>
    sourceRefusal(error, { name, signal: stop, remedies: UNKNOWN_AUTHORITY, otherwise: UNANSWERED });
  const check: Check = (to, from) => {
    outside.check(to, from);
    asked.mayFollow?.(to);
  };
  const ask = (wanted: Wanted) => follow(agent, check, asked, wanted, stop);
  try {
    const { statusCode, headers, body } = await ask({ known });
    if (statusCode === 304) {
      await body.dump();
      return { name, version: known, content: undefined, close };
    }
    if (NEXT_LINK.test([headers['link'] ?? ''].flat().join())) {
      throw badSource(
        `${shown(name)} is one page of several: its header Link names the next one`,
        'fetch all pages with curl, and give their rows to rollcall import -',
      );
    }
    const size = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
    // Two answers with the same strong tag have the same bytes.
    const isStrong = headerText(headers['etag']).startsWith('"');
    const more = isStrong ? (at: number) => rest(ask, shown(name), headers, at) : undefined;
    const pieces = resumed(body, more, { failed, signal: stop });
    return { name, version: versionOf(headers), content: { kind: 'bytes', size, pieces }, close };
  } catch (error) {
    await close();
    throw failed(error);
  }
}

/** A link to the next page, in the header `Link`. */
const NEXT_LINK = /;\s*rel\s*=\s*"?(?:[^",;]*\s)?next(?![\w-])/i;

const UNANSWERED = 'check its address, and that its server is up; then try again';

type Check = ReturnType<typeof keepOutside>['check'];

interface Wanted {
  /** The version that need not come again. */
  readonly known?: string | undefined;
  /** The rest of this version, as the server calls it, from a byte on. */
  readonly rest?: { readonly etag: string; readonly from: number };
}

type Headers = Dispatcher.ResponseData['headers'];

const headerText = (value: string | string[] | undefined) => (typeof value === 'string' ? value : '');

/** The rest of what broke off, if it is still the same. */
async function rest(
  ask: (wanted: Wanted) => Promise<Dispatcher.ResponseData>,
  name: string,
  first: Headers,
  from: number,
) {
  const answer = await ask({ rest: { etag: headerText(first['etag']), from } });
  if (answer.statusCode === 206 && goesOn(first, answer.headers, from)) return answer.body;
  await answer.body.dump();
  throw badSource(
    `${name} broke off after ${grouped(from)} bytes, and its server does not go on there: it was changed meanwhile, or cannot be asked for a part`,
    NOTHING_READ,
  );
}

/** Whether a part begins at this byte of the same version: a server may ignore that only this version was asked for. */
function goesOn(first: Headers, part: Headers, from: number) {
  const [, start, length] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headerText(part['content-range'])) ?? [];
  const same = (name: string, value: string | string[] | undefined) =>
    value === undefined || first[name] === undefined || first[name] === value;
  return (
    start === String(from) &&
    same('content-length', length === '*' ? undefined : length) &&
    same('etag', part['etag']) &&
    same('last-modified', part['last-modified'])
  );
}

/** Returns the server's version of the file: `etag`, then `last-modified`, each in a line. */
function versionOf(headers: Headers) {
  const version = `${headerText(headers['etag'])}\n${headerText(headers['last-modified'])}`;
  return version === '\n' ? undefined : version;
}

/** Asks for the file, wherever redirects lead, and gives an answer with it or the rest of it, or that the known version is right. */
async function follow(
  agent: Agent,
  check: Check,
  { url, headers }: Asked,
  { known, rest }: Wanted,
  signal: AbortSignal,
) {
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
        ...(rest !== undefined && { range: `bytes=${rest.from}-`, 'if-range': rest.etag }),
        ...(place.origin === url.origin && headers),
      },
      signal,
    });
    const { statusCode } = answer;
    const isExpected = statusCode === 200 || (rest !== undefined && statusCode === 206);
    if (isExpected || (statusCode === 304 && known !== undefined)) return answer;
    await answer.body.dump();
    const at = shown(addressName(place.href));
    // A server that starts again answers so for a while.
    if (rest !== undefined && statusCode >= 500)
      throw new Error(`it broke off, and its server answered ${statusCode} then`);
    if (!REDIRECTS.has(statusCode)) {
      throw badSource(
        `${at} answered ${statusCode} where the file was expected`,
        words`check the address, and what ${option('header')} gives`,
        { status: statusCode },
      );
    }
    if (redirects === MAX_REDIRECTS)
      throw badSource(`${at} leads on after ${MAX_REDIRECTS} redirects; name the address behind them`);
    place = redirected(place, answer.headers['location'], at);
    check(place, at);
  }
}

/** Returns the target of a redirect. Its address is not shown whole: it may hold a signature. */
function redirected(from: URL, location: string | string[] | undefined, at: string) {
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) {
    throw badSource(`${at} redirects to no address; name the address of the file itself`);
  }
  const to = new URL(location, from.href);
  if (to.protocol === 'https:') return to;
  throw badSource(`${at} redirects to ${shown(to.origin)}, which is refused: redirects lead to https only`);
}

/**
 * Keeps the redirects of a public source out of this machine and of private networks: the server behind a public address
 * must not lead this machine there. A source that is private itself may lead to others. Names are checked when they are
 * looked up for the connection: checked earlier, they could have another address by then.
 * @param mayConnect checks all addresses of a name, of the source itself too
 */
export function keepOutside(source: URL, mayConnect?: SourceRequest['mayConnect'], resolve?: LookupFunction) {
  const home = bare(source.hostname);
  // A name is known to be public when it is looked up for the first time, before any redirect.
  let isPublicHome = isIP(home) === 0 ? undefined : isPublic(home);
  let from = shown(source.origin);
  const refused = (host: string) =>
    badSource(
      `${from} redirects to ${shown(host)}, which is refused: it is an address of this machine or a private network; name it itself if it is meant`,
    );
  return {
    /** Looks names up for the connection, which goes to what was checked. */
    lookup: lookupChecked((host, ...addresses) => {
      mayConnect?.(host, ...addresses);
      const areOutside = addresses.every(isPublic);
      isPublicHome ??= areOutside;
      if (isPublicHome && !areOutside) throw refused(host);
    }, resolve),
    /** Checks where a redirect leads, if that is an address and not a name. @throws BAD_SOURCE */
    check: (to: URL, at: string) => {
      from = at;
      const host = bare(to.hostname);
      if (isPublicHome === true && isIP(host) !== 0 && !isPublic(host)) throw refused(host);
    },
  };
}
