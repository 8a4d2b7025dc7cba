import { join } from 'node:path';
import { chosenOptions } from '../../imports/import-options.ts';
import { createOptionsOf } from '../../options/create-options.ts';
import { mapLookupsInTurn } from '../../options/lookups.ts';
import { keptOf, valuesOf } from '../../options/option.ts';
import { GIVING_UP } from '../../options/sending-options.ts';
import type { SourceReader, Wanted } from '../../sources/obtain.ts';
import { shownFile } from '../../sources/schemes.ts';
import { isRemote } from '../../text/address-text.ts';
import { decisionOf, syncReadingOf } from '../sync/kept-sync.ts';
import { readProtectFile } from '../sync/plan/protect.ts';
import { type KeptSettings, READ, RUNS } from './operations.ts';
import type { Schedule } from './schedule-catalog.ts';

type Files = Awaited<ReturnType<typeof obtainFiles>>;
type Place = Parameters<SourceReader>[1];

/** Returns the settings of a sync of a schedule's file, with the UIDs that its protect file names now. @throws BAD_PROTECT_FILE */
export async function syncNow(settings: KeptSettings, { lookups, protectFile }: Files) {
  const named = protectFile === undefined ? [] : await readProtectFile(protectFile.path, protectFile.name);
  const sync = syncSettings(settings, lookups);
  return { ...sync, protect: [...new Set([...(sync.protect ?? []), ...named])] };
}

/** Returns the settings without a protect file. @throws BAD_OPTION */
export function syncSettings(settings: KeptSettings, lookups: Files['lookups'] = {}) {
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
export function readingOptions(settings: KeptSettings) {
  const { region, exportOf, sandbox } = settings;
  return chosenOptions(valuesOf(READ, settings), { region, sandbox, exportOf });
}

/** Returns the place of a schedule's file, for a SourceReader. */
export function sourceOf(settings: KeptSettings): Omit<Wanted, 'copy'> {
  const { file, headers, sourceSettings = {}, maxSource, restricted } = settings;
  return { source: file, given: { ...sourceSettings, headers }, maxBytes: maxSource, restricted };
}

/** Gets the file of a schedule and those beside it: each from an address in a folder of its own. @throws as SourceReader */
export async function obtainFiles(get: SourceReader, settings: KeptSettings | Schedule, place: Place) {
  const copy = 'copy' in settings ? settings.copy : null;
  const found = await get({ ...sourceOf(settings), copy }, place);
  const obtained = async (source: string, what: string) => {
    if (!isRemote(source)) return { path: source, name: shownFile({ file: source }) };
    const wanted = { ...sourceOf(settings), source, given: {}, copy: null };
    const { path, name } = await get(wanted, { ...place, folder: join(place.folder, `beside-${what}`) });
    return { path, name };
  };
  const { protectFile } = settings;
  return {
    found,
    lookups: await mapLookupsInTurn(settings, obtained),
    protectFile: protectFile === undefined ? undefined : await obtained(protectFile, 'protect'),
  };
}
