import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../errors/message-of.ts';
import { shown } from '../imports/read/intake-error.ts';
import { writeWhole } from '../platform/whole-file.ts';
import { isAddress, isRemote } from '../text/address-text.ts';
import { isAddressOrName, requestOf, type SourceContext } from './named.ts';
import { checkedAddress, settingsFor, settingsToWrite, sourceAt } from './schemes.ts';
import type { Source, SourceSettings } from './source.ts';
import { SourceError } from './source-errors.ts';
import { inTime } from './spool.ts';

/** Writes files where sources are read from: into folders, buckets and SFTP servers. */

/** A place for files. Plain data without secrets, from `placeToWrite`. */
export interface Target {
  /** A whole path of a folder, an address, or one in a named source. */
  readonly place: string;
  /** The settings for writing, as far as the named target has none. */
  readonly settings: SourceSettings;
}

/**
 * Returns `text`, as the user named it in `folder`, in a form that is valid everywhere.
 * @param given what of these settings is for the place is taken
 * @throws SourceError where nothing can ever be written, without asking anyone
 */
export async function placeToWrite(
  text: string,
  folder: string,
  given: SourceSettings,
  named: SourceContext['named'],
): Promise<Target> {
  if (isAddressOrName(text, named)) {
    const place = text.trim();
    const isNamed = !isAddress(text);
    const { address, settings } = requestOf(place, {}, { named, environment: () => undefined, ca: undefined });
    const own = settingsToWrite(address, given);
    checkedAddress(address, settingsToWrite(address, settings));
    if (!isNamed) checkedAddress(address, own);
    return { place, settings: own };
  }
  if (text.trim() === '') throw new SourceError('the place to write to is empty; name a folder or an address');
  const place = resolve(folder, text);
  const found = await stat(place).catch(() => undefined);
  if (found?.isDirectory() === true) return { place, settings: {} };
  throw new SourceError(
    found === undefined ? `there is no folder ${shown(place)}` : `${shown(place)} is not a folder`,
    {
      remedy: found === undefined ? 'make it, or correct the path' : 'name a folder',
    },
  );
}

/** Returns the settings for a place that concern its reading side; all that the place itself takes are left out. */
export function notForTarget(text: string, settings: SourceSettings, named: SourceContext['named']): SourceSettings {
  if (!isAddressOrName(text, named)) return settings;
  const { address } = requestOf(text.trim(), {}, { named, environment: () => undefined, ca: undefined });
  const taken = settingsFor(address, settings);
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !Object.hasOwn(taken, name)));
}

/**
 * Writes a file of this machine, whole or not at all, in place of an earlier one.
 * @param name of the file in that place, with a folder before it that is made; '' for the place itself
 * @param late aborted when it takes too long, however slowly it goes; default: after an hour
 * @throws SourceError with what to do; the signal's reason when aborted
 */
export async function writeTo(
  { place, settings }: Target,
  name: string,
  path: string,
  context: SourceContext,
  signal: AbortSignal,
  late?: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  if (!isRemote(place)) return writeInFolder(place, name, path);
  const source = await sourceIn({ place, settings }, name, context);
  const write = source.write?.bind(source);
  if (write === undefined) throw new Error(`${place} is said to be writable`);
  await inTime(
    { signal, late },
    (either) => write(path, either),
    (minutes, cause) =>
      new SourceError(`${shown(source.name)} has not taken everything within ${minutes} minutes`, {
        remedy: 'see why its server is so slow',
        cause,
      }),
  );
}

/** Finds out whether files may be written there; nothing stays. @throws as writeTo */
export async function tryWriting(target: Target, context: SourceContext, signal: AbortSignal): Promise<void> {
  const name = `.rollcall-${randomUUID()}`;
  const { place } = target;
  if (isRemote(place)) return (await sourceIn(target, name, context)).tryWrite?.(signal);
  const to = join(place, name);
  try {
    await writeFile(to, '');
    await rm(to);
  } catch (cause) {
    throw notWritten(place, to, cause);
  }
}

/** @param name as `writeTo` takes it */
function sourceIn({ place, settings }: Target, name: string, context: SourceContext): Promise<Source> {
  const request = requestOf(place, settings, context);
  const address = name === '' ? request.address : `${request.address.replace(/\/+$/, '')}/${name}`;
  return sourceAt({ ...request, address, settings: settingsToWrite(address, request.settings) });
}

/** The folder itself is not made: it may be where a disk is to be mounted. */
async function writeInFolder(place: string, name: string, path: string): Promise<void> {
  const to = join(place, name);
  try {
    await mkdir(dirname(to), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await writeWhole(to, createReadStream(path));
  } catch (cause) {
    throw notWritten(place, to, cause);
  }
}

function notWritten(place: string, to: string, cause: unknown): SourceError {
  const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
  return new SourceError(
    isMissing ? `there is no folder ${shown(place)}` : `${shown(to)} cannot be written: ${messageOf(cause)}`,
    { cause, ...(isMissing && { remedy: 'make it' }) },
  );
}
