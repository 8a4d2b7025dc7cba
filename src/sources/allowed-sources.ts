import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isIP, type LookupFunction } from 'node:net';
import { dirname, sep } from 'node:path';
import ipaddr from 'ipaddr.js';
import { lookupHost } from '../chat/service-address.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { shown } from '../imports/read/intake-error.ts';
import { isLoopback } from '../platform/hosts.ts';
import { addressName, isAddress, isRemote, sourceName } from '../text/address-text.ts';
import { hasWildcards } from '../text/wildcard.ts';
import type { SourceRequest } from './source.ts';

/** Schedules made over the API read in or below ROLLCALL_SOURCES only; users with a login may name any file. */

/** @param source a whole path, a pattern or an address; a link may not lead out  @throws SOURCE_NOT_ALLOWED */
export async function checkAllowed(source: string, allowed: readonly string[]) {
  if (/^https?:/i.test(source)) return checkAllowedAddress(new URL(source), allowed);
  if (isRemote(source)) return checkAllowedPlace(source, allowed);
  const folders = allowed.filter((one) => !isRemote(one));
  if (!folders.some((folder) => isBelow(source, folder))) throw notAllowed(source, allowed);
  if (isPattern(source)) {
    // Alternatives may hold a way out; a star does not.
    if (/[{}]/.test(source)) throw notPlain(source);
    return;
  }
  if (!(await isReallyBelow(await nearest(source), folders))) throw leadsOut(source, allowed);
}

/** The real path of a file. @throws SOURCE_NOT_ALLOWED where links lead out of the folders */
export async function allowedPath(path: string, allowed: readonly string[]) {
  const folders = allowed.filter((one) => !isRemote(one));
  const real = await realpath(path);
  if (await isReallyBelow(real, folders)) return real;
  throw leadsOut(path, allowed);
}

/** A bucket, a host or a database, and what is in it; a source that the settings name. */
function checkAllowedPlace(source: string, allowed: readonly string[]) {
  // Alternatives may hold a way out, and so may a folder above.
  if (/[{}]/.test(source)) throw notPlain(source);
  const isPlain = !/(?:^|[/:])\.\.(?:\/|$)|%(?:2e|2f|5c|00)/i.test(source);
  const place = placeText(source);
  const isIn = (one: string) => {
    const root = placeText(one);
    return place === root || place.startsWith(/[/:]$/.test(root) ? root : `${root}/`);
  };
  if (!isPlain || !allowed.filter(isRemote).some(isIn)) throw notAllowed(addressName(source), allowed);
}

/** Scheme and host in small letters, as they mean the same; `hr:/out` for `hr:out`. */
function placeText(source: string) {
  if (!isAddress(source)) return source.replace(/^([^:]+:)\/?/, '$1/');
  const parts = /^([^:]+:\/\/)([^@/]*@)?(.*)$/s.exec(source.trim());
  if (parts === null) return source.trim();
  const [, scheme = '', user = '', rest = ''] = parts;
  return `${scheme.toLowerCase()}${user}${rest.replace(/^[^/]*/, (host) => host.toLowerCase())}`;
}

/** @throws SOURCE_NOT_ALLOWED */
export function checkAllowedAddress(url: URL, allowed: readonly string[]) {
  // A server may take an encoded slash for one, and so step out of the folder.
  const isPlain = !/%(2f|5c|00)/i.test(url.pathname);
  const isIn = (one: string) => {
    const { origin, pathname } = new URL(one);
    if (origin !== url.origin) return false;
    const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
    return url.pathname === pathname || (url.pathname.startsWith(folder) && (isPlain || pathname === '/'));
  };
  if (!allowed.filter((one) => /^https?:/i.test(one)).some(isIn)) throw notAllowed(addressName(url.href), allowed);
}

/**
 * Checks an address that the name of a host has. One of this machine or of a private network, such as that of a cloud's
 * metadata, must be named itself: who may change a name on the internet must not reach it.
 * @throws SOURCE_NOT_ALLOWED
 */
export function checkAllowedHost(host: string, address: string, allowed: readonly string[]) {
  if (isPublic(address)) return;
  const named = allowed.filter((one) => isAddress(one) && URL.canParse(one)).map((one) => bare(new URL(one).hostname));
  const isHere = ipaddr.process(address).range() === 'loopback';
  if (named.some((one) => (isHere && isLoopback(one)) || (isIP(one) !== 0 && isSame(one, address)))) return;
  throw refused(
    `${shown(host)} is at ${address}, an address of this machine or a private network, which ROLLCALL_SOURCES does not name`,
    'if it is meant, add an address with it to ROLLCALL_SOURCES, such as https://10.0.0.5/, or name the source in rollcall.config.json and allow it by its name',
  );
}

const isSame = (one: string, other: string) => ipaddr.process(one).toString() === ipaddr.process(other).toString();

/** A path that is there is one, whatever its name looks like. */
export function isPattern(source: string) {
  return hasWildcards(source) && !existsSync(source);
}

function isBelow(path: string, folder: string) {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

async function isReallyBelow(real: string, folders: readonly string[]) {
  for (const folder of folders) {
    // A folder that is not there holds nothing.
    const root = await realpath(folder).catch(() => undefined);
    if (root !== undefined && (real === root || isBelow(real, root))) return true;
  }
  return false;
}

/** Returns the real path of the nearest existing folder, or the path itself. */
async function nearest(path: string) {
  for (let at = path; ; at = dirname(at)) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined || at === dirname(at)) return real ?? at;
  }
}

function refused(what: string, remedy: string) {
  return new RollcallError('SOURCE_NOT_ALLOWED', { what, remedy });
}

function notAllowed(source: string, allowed: readonly string[]) {
  if (allowed.length === 0) {
    return refused(
      'this server lets no schedule that is made over the API read files or addresses: ROLLCALL_SOURCES is not set',
      'set ROLLCALL_SOURCES to folders and addresses, such as /srv/exports,https://hr.example.com/, and start the server again; or add the schedule on its command line',
    );
  }
  // Behind a name that is not known, there may be anything.
  const name = sourceName(source);
  const what = shown(name === undefined ? source : `${name}:…`);
  return refused(
    `${what} may not be read; ROLLCALL_SOURCES allows ${allowed.join(', ')}`,
    'name a file in or below one of these',
  );
}

function leadsOut(source: string, allowed: readonly string[]) {
  return refused(
    `${shown(source)} is not really in ${allowed.join(', ')}: a link leads elsewhere, or the folder is not there`,
    'name a file that is in a folder of ROLLCALL_SOURCES itself',
  );
}

function notPlain(source: string) {
  return refused(`${shown(source)} is a pattern with more than *, ? and [ ]`, 'use only these');
}

/** Whether an address is one of the public internet: neither this machine nor a private or special network. */
export function isPublic(address: string) {
  // An IPv4 address inside an IPv6 address is judged as the IPv4 address.
  const parsed = ipaddr.process(address);
  // Outside of 2000::/3 nothing is assigned to the internet; the old form `::127.0.0.1` is there as well.
  const isAssigned = !(parsed instanceof ipaddr.IPv6) || (parsed.parts[0] ?? 0) >> 13 === 1;
  return isAssigned && parsed.range() === 'unicast';
}

/** Without the brackets of IPv6. */
export const bare = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1');

/** The address of a host to connect to: its name may have another by then. @throws as `mayConnect`, or the look-up */
export async function checkedHost(host: string, mayConnect: SourceRequest['mayConnect']): Promise<string> {
  if (mayConnect === undefined || isIP(host) !== 0) return host;
  return new Promise((resolve, reject) =>
    lookupChecked(mayConnect)(host, {}, (error, address) =>
      error === null ? resolve(address as string) : reject(error),
    ),
  );
}

/** Looks names up for sockets, all of whose addresses are checked: a connection goes to one that was. */
export function lookupChecked(
  check: NonNullable<SourceRequest['mayConnect']>,
  resolve: LookupFunction = lookupHost,
): LookupFunction {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, '', 0);
      const all = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      try {
        check(host, ...all.map(({ address }) => address));
      } catch (refusal) {
        return done(refusal as Error, '', 0);
      }
      const [first] = all;
      if (options.all === true || first === undefined) done(null, all);
      else done(null, first.address, first.family);
    });
  };
}
