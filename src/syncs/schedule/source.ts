import { existsSync } from 'node:fs';
import { glob, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { shown } from '../../imports/read/intake-error.ts';
import { isLoopback } from '../../platform/loopback.ts';
import { hashOf } from '../plan/prepare.ts';
import { type Download, download } from './download.ts';
import type { SourceCopy } from './schedule-catalog.ts';
import { SourceError } from './schedule-errors.ts';

/** Where a schedule takes its file from: a path, the newest of a pattern, or an https address. */

/** What a source gave. */
export interface Obtained {
  /** To be read. */
  readonly path: string;
  /** As people are told of it; of an address nothing that may be a secret. */
  readonly name: string;
  /** SHA-256. */
  readonly hash: string;
  /** Of an address: the copy that is kept now. */
  readonly copy?: SourceCopy;
}

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
const PATTERN = /[*?[{]/;

export function isAddress(source: string): boolean {
  return ADDRESS.test(source);
}

/** A path that is there is one, whatever its name looks like. */
export function isPattern(source: string): boolean {
  return PATTERN.test(source) && !existsSync(source);
}

/**
 * What `file`, as the user named it in `folder`, means from everywhere: a whole path or pattern, or an address.
 * @throws SourceError when it can never give a file
 */
export async function wholeSource(file: string, folder: string): Promise<string> {
  if (isAddress(file)) return checkedAddress(file).href;
  const path = resolve(folder, file);
  if (file.trim() === '')
    throw new SourceError('the path is empty; name a file, a pattern such as exports/*.csv, or an https address');
  if (isPattern(path)) return path;
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) {
    throw new SourceError(
      `${shown(file)} is a directory; name a file in it, or a pattern such as ${shown(`${file}/*.csv`)} for its newest`,
    );
  }
  if (found === undefined && !existsSync(dirname(path))) {
    throw new SourceError(
      `${shown(file)} cannot be there: there is no directory ${shown(dirname(path))}; check the path`,
    );
  }
  return path;
}

/**
 * Plain http could be read and changed by anybody on the way; on this machine nobody is.
 * @throws SourceError
 */
export function checkedAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined)
    throw new SourceError(`${shown(text.replace(/\/\/[^/]*@/, '//…@'))} is not a valid address; allowed is https://…`);
  if (url.username + url.password !== '') {
    throw new SourceError(
      `the address at ${url.host} holds a user name or password; put them into an environment variable and name it: --header 'Authorization=env:NIGHTLY_TOKEN'`,
    );
  }
  const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  if (!isAllowed)
    throw new SourceError(`${shown(addressName(url))} is refused; allowed are https, and plain http on this machine`);
  url.hash = '';
  return url;
}

/** Without its query, which may be as good as a password. */
export function addressName({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

export interface SourceWish {
  /** From `wholeSource`. */
  readonly source: string;
  /** Header → its value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly maxSource: number;
  readonly copy: SourceCopy | null;
}

/**
 * Gets the file. Of an address, which is asked for it only if it has changed, a copy is kept in `folder`.
 * @throws SourceError; the signal's reason when aborted
 */
export async function obtain(
  { source, headers, maxSource, copy }: SourceWish,
  { folder, ca, signal }: Pick<Download, 'folder' | 'ca' | 'signal'>,
): Promise<Obtained> {
  if (isAddress(source)) {
    const url = checkedAddress(source);
    const kept = await download({ url, headers, maxBytes: maxSource, copy, folder, ca, signal });
    return { path: kept.path, name: addressName(url), hash: kept.copy.hash, copy: kept.copy };
  }
  const path = isPattern(source) ? await newest(source) : source;
  const found = await stat(path).catch((cause: unknown) => {
    throw new SourceError(`${shown(path)} cannot be read: ${why(cause)}`, { cause });
  });
  if (!found.isFile()) throw new SourceError(`${shown(path)} is not a file`);
  if (found.size > maxSource) throw SourceError.tooLarge(shown(path), maxSource);
  const hash = await hashOf(path).catch((cause: unknown) => {
    throw new SourceError(`${shown(path)} cannot be read: ${why(cause)}`, { cause });
  });
  signal.throwIfAborted();
  return { path, name: path, hash };
}

/** The file that was changed last, of those that fit; of two of the same time, the last by name. */
async function newest(pattern: string): Promise<string> {
  let best: { readonly path: string; readonly at: number } | undefined;
  for await (const path of glob(pattern)) {
    // It may be gone by now: exports come and go.
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() !== true) continue;
    const at = found.mtimeMs;
    if (best === undefined || at > best.at || (at === best.at && path > best.path)) best = { path, at };
  }
  if (best !== undefined) return best.path;
  throw new SourceError(
    `no file fits ${shown(basename(pattern))} in ${shown(dirname(pattern))}; check the pattern, and whether the export has run`,
  );
}

function why(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
