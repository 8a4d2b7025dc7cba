import { join } from 'node:path';
import { type ByLookup, mapLookupsInTurn } from '../../options/lookups.ts';
import type { SourceReader } from '../../sources/source-reader.ts';
import { isRemote } from '../../text/address-text.ts';
import { readSyncOptions } from '../sync/sync-options.ts';
import type { ScheduleRecord } from './schedule-catalog.ts';

/** Files beside that of a schedule, where they can be read: those in which ids are looked up, and that of protected UIDs. */
export interface Beside {
  readonly lookups: ByLookup<{ readonly path: string; readonly name: string }>;
  readonly protectFile: { readonly path: string; readonly name: string } | undefined;
}

/**
 * Gets the files beside that of a schedule. A file from an address is kept in a folder of `place` for each.
 * @throws as SourceReader
 */
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
