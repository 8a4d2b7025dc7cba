import { join } from 'node:path';
import { chosenOptions, type ImportOptions } from '../../imports/import-options.ts';
import { type Patience, patienceOf } from '../../imports/send/give-up.ts';
import { CREATION, type CreateOptions, createOptionsOf } from '../../options/create-options.ts';
import { mapLookupsInTurn } from '../../options/lookups.ts';
import { keptOf, valuesOf } from '../../options/option.ts';
import { GIVING_UP } from '../../options/sending-options.ts';
import type { SourceReader } from '../../sources/obtain.ts';
import { shownFile } from '../../sources/schemes.ts';
import { isRemote } from '../../text/address-text.ts';
import { decisionOf, type NewSync, syncReadingOf } from '../sync/kept-sync.ts';
import { readProtectFile } from '../sync/plan/protect.ts';
import { type KeptSettings, READ, RUNS } from './operations.ts';

/** The files that the runs of a schedule read beside its own. */
type Beside = Awaited<ReturnType<typeof obtainBeside>>;

/** Returns the settings of a sync of a schedule's file, with the UIDs that its protect file names now. @throws BAD_PROTECT_FILE */
export async function syncNow(settings: KeptSettings, { lookups, protectFile }: Beside): Promise<SyncSettings> {
  const named = protectFile === undefined ? [] : await readProtectFile(protectFile.path, protectFile.name);
  const sync = syncSettings(settings, lookups);
  return { ...sync, protect: [...new Set([...(sync.protect ?? []), ...named])] };
}

type SyncSettings = Omit<NewSync, 'id' | 'file' | 'source' | 'schedule' | 'who'>;

/** Returns the settings without a protect file. @throws BAD_OPTION */
export function syncSettings(settings: KeptSettings, lookups: Beside['lookups'] = {}): SyncSettings {
  const chosen = valuesOf(RUNS, settings);
  return {
    reading: syncReadingOf(readingOptions(settings), lookups),
    // The name of a schedule is that of its runs.
    ...decisionOf({ ...chosen, syncName: 'schedule' }),
    create: createOptionsOf(chosen),
    ...keptOf(GIVING_UP, chosen),
  };
}

/** The options of an import that would read the file as the schedule does. */
export function readingOptions(settings: KeptSettings): ImportOptions {
  const { region, exportOf, sandbox } = settings;
  return chosenOptions(valuesOf(READ, settings), { region, sandbox, exportOf });
}

/** The users and groups that the runs may create; undefined: none. */
export function creationOf(settings: KeptSettings): CreateOptions | undefined {
  return createOptionsOf(valuesOf(CREATION, settings));
}

/** Part of the time until a schedule is due again that a run waits for the service: the next run must find this one over. */
const WINDOW = 0.95;

/**
 * Returns the time that a run waits for a service that does not answer: the setting, else nearly until its schedule is
 * due again.
 */
export function patienceOfRun(own: Partial<Patience>, all: Patience, untilDueMs: number): Patience {
  return patienceOf(own, all, untilDueMs > 0 ? Math.floor(untilDueMs * WINDOW) : undefined);
}

/** Returns the place of a schedule's file, for a SourceReader. */
export function sourceOf({ file, headers, sourceSettings = {}, maxSource, restricted }: KeptSettings) {
  return { source: file, given: { ...sourceSettings, headers }, maxBytes: maxSource, restricted };
}

/**
 * Gets the files beside that of a schedule. A file from an address is kept in a folder of `place` for each.
 * @throws as SourceReader
 */
export async function obtainBeside(
  get: SourceReader,
  settings: KeptSettings,
  { folder, signal }: Parameters<SourceReader>[1],
) {
  const obtained = async (source: string, what: string) => {
    if (!isRemote(source)) return { path: source, name: shownFile({ file: source }) };
    const wanted = { ...sourceOf(settings), source, given: {}, copy: null };
    const { path, name } = await get(wanted, { folder: join(folder, `beside-${what}`), signal });
    return { path, name };
  };
  const { protectFile } = settings;
  return {
    lookups: await mapLookupsInTurn(settings, obtained),
    protectFile: protectFile === undefined ? undefined : await obtained(protectFile, 'protect'),
  };
}
