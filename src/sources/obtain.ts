import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { setImmediate as otherWork } from 'node:timers/promises';
import { isError, messageOf } from '../errors/rollcall-error.ts';
import { shown } from '../imports/read/intake-error.ts';
import { hashOf } from '../platform/files.ts';
import { isAddress, isRemote } from '../text/address-text.ts';
import { alternatives, hasWildcards, pathPattern } from '../text/wildcard.ts';
import { allowedPath, checkAllowed, checkAllowedAddress, checkAllowedHost, isPattern } from './allowed-sources.ts';
import { isAddressOrName, requestOf, type SourceContext } from './named.ts';
import { checkedAddress, sourceAt } from './schemes.ts';
import { badSource, newestOf, type SourceSettings, sourceTooLarge } from './source.ts';
import { type Kept, type Spooled, spool } from './spool.ts';

/** The file that a source gives: one at a path, the newest of a pattern, or a copy of what is behind an address. */

export interface Obtained extends Pick<Spooled, 'path' | 'name' | 'hash'> {
  /** The present copy of an address. */
  readonly copy?: Kept;
}

/** Names that are compared with a pattern before other work gets a turn. */
const NAMES_AT_ONCE = 1_000;

/**
 * Returns `file`, as the user named it in `folder`, as a whole path or pattern or an address, which is valid everywhere.
 * @param given how it is read, where it is no path  @throws BAD_SOURCE when it can never give a file
 */
export async function wholeSource(
  file: string,
  folder: string,
  { named = {}, given = {} }: { readonly named?: SourceContext['named']; readonly given?: SourceSettings } = {},
) {
  const [, database] = /^\s*sqlite:(?:\/\/)?(.+)$/is.exec(file) ?? [];
  if (database !== undefined) return checkedAddress(`sqlite:${resolve(folder, database)}`, given);
  if (isAddress(file)) return checkedAddress(file, given);
  if (isAddressOrName(file, named)) {
    const { address, settings } = requestOf(file, given, { named, environment: () => undefined, ca: undefined });
    checkedAddress(address, settings);
    return file.trim();
  }
  const path = resolve(folder, file);
  if (file.trim() === '')
    throw badSource('the path is empty; name a file, a pattern such as exports/*.csv, or an address');
  if (isPattern(path)) return path;
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) {
    throw badSource(
      `${shown(file)} is a directory; name a file in it, or a pattern such as ${shown(`${file}/*.csv`)} for its newest`,
    );
  }
  if (found === undefined && !existsSync(dirname(path))) {
    throw badSource(`${shown(file)} cannot be there: there is no directory ${shown(dirname(path))}; check the path`);
  }
  return path;
}

/** A source as it was named and checked: `wholeSource`, `allowedSource`. */
export interface Wanted {
  readonly source: string;
  /** The settings for reading it, as far as the named source has none. */
  readonly given: SourceSettings;
  readonly maxBytes: number;
  readonly copy: Kept | null;
  /** It was named over the API: only the allowed sources are read. */
  readonly restricted: boolean;
}

/** The options for fetching files: secrets of the environment, trusted certificates, allowed sources. */
export interface SourceReaderOptions extends SourceContext {
  /** The sources that users of the API may read (ROLLCALL_SOURCES). */
  readonly sources: readonly string[];
}

export type SourceReader = ReturnType<typeof sourceReader>;

/**
 * Gets files of sources. One from an address is fetched only if it has changed; its copy is kept in `folder`.
 * @throws BAD_SOURCE, SOURCE_NOT_ALLOWED, DISK_FULL; the signal's reason when aborted
 */
export function sourceReader({ sources, ...context }: SourceReaderOptions) {
  return async (
    { source, given, maxBytes, copy, restricted }: Wanted,
    { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
  ): Promise<Obtained> => {
    // The settings may allow less than when it was made, and links may lead elsewhere.
    if (restricted) await checkAllowed(source, sources);
    if (isRemote(source)) {
      const mayFollow = restricted ? (to: URL) => checkAllowedAddress(to, sources) : undefined;
      const mayConnect = (host: string, ...addresses: readonly string[]) => {
        for (const address of addresses) checkAllowedHost(host, address, sources);
      };
      const request = { ...requestOf(source, given, context), mayFollow };
      // The settings, not the user, decide the place of a named source.
      const found = await sourceAt(restricted && isAddress(source) ? { ...request, mayConnect } : request);
      const path = join(folder, 'source');
      const { name, hash, version } = await spool(found, { path, maxBytes, signal, kept: copy });
      return { path, name, hash, copy: { hash, version } };
    }
    const real = restricted ? (path: string) => allowedPath(path, sources) : undefined;
    const name = isPattern(source) ? await newest(source, real) : source;
    const path = real === undefined ? name : await real(name).catch(unreadable(name));
    const found = await stat(path).catch(unreadable(name));
    if (!found.isFile()) throw badSource(`${shown(name)} is not a file`);
    if (found.size > maxBytes) throw sourceTooLarge(shown(name), maxBytes);
    const hash = await hashOf(path).catch(unreadable(name));
    signal.throwIfAborted();
    return { path, name, hash };
  };
}

function unreadable(name: string): (cause: unknown) => never {
  return (cause) => {
    if (isError(cause, 'SOURCE_NOT_ALLOWED')) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      throw badSource(`there is no file ${shown(name)}; check the path, and whether the export has run`, undefined, {
        cause,
      });
    }
    throw badSource(`${shown(name)} cannot be read: ${messageOf(cause)}`, undefined, { cause });
  };
}

/** The newest file of those that fit. @param real rejects for files that may not be read */
async function newest(pattern: string, real?: (path: string) => Promise<string>) {
  async function* files() {
    for (const one of alternatives(pattern)) {
      for await (const path of fitting(one)) {
        // It may be deleted by now: exports come and go.
        const found = await stat(path).catch(() => undefined);
        if (found?.isFile() !== true) continue;
        // A link to a file elsewhere is not one of them.
        const isIn = real === undefined || (await real(path).catch(() => undefined)) !== undefined;
        if (isIn) yield { path, at: found.mtimeMs };
      }
    }
  }
  return (await newestOf(files(), pattern)).path;
}

/** The paths that fit. Only as many folders deep as the pattern is; with `**` all, but then no link is followed. */
async function* fitting(pattern: string) {
  const names = pattern.split(sep);
  const first = names.findIndex((name) => hasWildcards(name));
  const fixed = first === -1 ? names.length - 1 : first;
  const fits = pathPattern(names.slice(fixed).join('/'));
  const isDeep = names.includes('**');
  let compared = 0;

  async function* below(folder: string, above: readonly string[]): AsyncGenerator<string> {
    // A folder may be gone by now, or not be this process's to read.
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const inside = [...above, entry.name];
      const path = join(folder, entry.name);
      compared += 1;
      if (compared % NAMES_AT_ONCE === 0) await otherWork();
      if (fits(inside.join('/'))) yield path;
      const mayHold = isDeep || fixed + inside.length < names.length;
      if (mayHold && (entry.isDirectory() || (!isDeep && entry.isSymbolicLink()))) yield* below(path, inside);
    }
  }
  yield* below(names.slice(0, fixed).join(sep) || sep, []);
}

/**
 * A source that someone names over the API, valid everywhere. It is not opened: an answer must not reveal what is elsewhere.
 * @throws SOURCE_NOT_ALLOWED, BAD_SOURCE, IntakeError
 */
export async function allowedSource(text: string, sources: readonly string[]) {
  if (isRemote(text)) {
    const whole = isAddress(text) ? checkedAddress(text) : text;
    await checkAllowed(whole, sources);
    return whole;
  }
  await checkAllowed(resolve(text), sources);
  return wholeSource(text, '/');
}
