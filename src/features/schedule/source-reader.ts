import { join } from 'node:path';
import { type ByLookup, mapLookupsInTurn } from '../../options/lookups.ts';
import { allowedPath, checkAllowed, checkAllowedAddress, checkAllowedHost } from '../../sources/allowed-sources.ts';
import type { SourceContext } from '../../sources/named.ts';
import { type Obtained, obtain } from '../../sources/obtain.ts';
import { isRemote } from '../../text/address.ts';
import { readSyncOptions } from '../sync/sync-options.ts';
import type { ScheduleRecord } from './schedule-catalog.ts';

/** What a process knows that gets files: secrets of its environment, whom it trusts, what may be read. */
export interface SourceReaderOptions extends SourceContext {
  /** What schedules made over the API may read (ROLLCALL_SOURCES). */
  readonly sources: readonly string[];
}

/**
 * Gets the file of a schedule. What is fetched is kept in `folder`.
 * @throws SourceError, SourceNotAllowed; the signal's reason when aborted
 */
export type SourceReader = (
  wanted: Pick<ScheduleRecord, 'source' | 'headers' | 'settings' | 'maxSource' | 'copy' | 'restricted'>,
  place: { readonly folder: string; readonly signal: AbortSignal },
) => Promise<Obtained>;

/** Files beside that of a schedule, where they can be read: those in which ids are looked up, and that of protected UIDs. */
export interface Beside {
  readonly lookups: ByLookup<{ readonly path: string; readonly name: string }>;
  readonly protectFile: { readonly path: string; readonly name: string } | undefined;
}

/** Gets the files beside that of a schedule. What is at an address is kept in a folder of `place` for each. @throws as SourceReader */
export async function obtainBeside(
  get: SourceReader,
  {
    options,
    protectFile,
    maxSource,
    restricted = false,
  }: Pick<ScheduleRecord, 'options' | 'protectFile' | 'maxSource'> & Partial<Pick<ScheduleRecord, 'restricted'>>,
  { folder, signal }: Parameters<SourceReader>[1],
): Promise<Beside> {
  const obtained = async (source: string, name: string, what: string) => {
    if (!isRemote(source)) return { path: source, name };
    const wanted = { source, headers: {}, settings: {}, maxSource, restricted, copy: null };
    return get(wanted, { folder: join(folder, `beside-${what}`), signal });
  };
  const { reading } = readSyncOptions({ options });
  return {
    lookups: await mapLookupsInTurn(reading ?? {}, ({ path, name }, what) => obtained(path, name, what)),
    protectFile: protectFile === null ? undefined : await obtained(protectFile, protectFile, 'protect'),
  };
}

export function sourceReader({ sources, ...context }: SourceReaderOptions): SourceReader {
  return async ({ source, headers, settings, maxSource, copy, restricted }, place) => {
    // The settings may allow less than when it was made, and links may lead elsewhere.
    if (restricted) await checkAllowed(source, sources);
    const within = restricted && {
      real: (path: string) => allowedPath(path, sources),
      check: (to: URL) => checkAllowedAddress(to, sources),
      connect: (host: string, address: string) => checkAllowedHost(host, address, sources),
    };
    const given = { ...settings, headers };
    return obtain({ source, given, context, maxSource, copy, ...(within && { within }) }, place);
  };
}
