import { join } from 'node:path';
import type { ImportOptions } from '../../imports/import-options.ts';
import type { Patience } from '../../imports/send/give-up.ts';
import type { ImportState } from '../../membership/import-state.ts';
import { isSyncUnderWay } from '../../membership/sync-state.ts';
import { type ByLookup, mapLookups, mapLookupsInTurn } from '../../options/lookups.ts';
import { shownFile } from '../../sources/schemes.ts';
import type { SourceReader } from '../../sources/source-reader.ts';
import { isRemote } from '../../text/address-text.ts';
import { readProtectFile } from '../sync/plan/protect.ts';
import type { SyncRunner } from '../sync/run/sync-runner.ts';
import type { SyncRecord } from '../sync/sync-catalog.ts';
import type { CreateSync } from '../sync/sync-options.ts';
import type { ScheduleRequest } from './schedule-catalog.ts';

/**
 * Returns the settings of a sync of a schedule's file, with the UIDs that its protect file names now.
 * @throws ProtectFileError
 */
export async function syncSettings(
  { options }: Pick<ScheduleRequest, 'options'>,
  { lookups, protectFile }: Beside,
): Promise<Omit<CreateSync, 'id' | 'file' | 'source' | 'scheduleId' | 'who'>> {
  const { reading, flags, sandbox: _, target: __, ...decided } = options;
  const named =
    protectFile === undefined ? [] : await readProtectFile(protectFile.path, shownFile({ file: protectFile.name }));
  const known = mapLookups(lookups, ({ path, name }) => ({ path, name }));
  return {
    ...decided,
    reading: { ...reading, ...known },
    flags: { ...flags, protect: [...new Set([...flags.protect, ...named])] },
  };
}

/** Part of the time until a schedule is due again that a run waits for the service: the next run must find this one over. */
const WINDOW = 0.95;

type Waiting = Pick<ImportOptions, 'giveUpAfterMs'>;

/**
 * Returns the time that a run waits for a service that does not answer: the setting, else nearly until its schedule is
 * due again.
 */
export function patienceOf(own: Waiting, all: Patience, untilDueMs: number): Waiting {
  const set = own.giveUpAfterMs ?? all.giveUpAfter;
  if (set !== undefined) return { giveUpAfterMs: set };
  return untilDueMs > 0 ? { giveUpAfterMs: Math.floor(untilDueMs * WINDOW) } : {};
}

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
  { options, protectFile, maxSource, restricted }: ScheduleRequest,
  { folder, signal }: Parameters<SourceReader>[1],
): Promise<Beside> {
  const obtained = async (source: string, name: string, what: string) => {
    if (!isRemote(source)) return { path: source, name };
    const wanted = { source, headers: {}, settings: {}, maxSource, restricted, copy: null };
    return get(wanted, { folder: join(folder, `beside-${what}`), signal });
  };
  return {
    lookups: await mapLookupsInTurn(options.reading, ({ path, name }, what) => obtained(path, name, what)),
    protectFile: protectFile === null ? undefined : await obtained(protectFile, protectFile, 'protect'),
  };
}

/**
 * Resolves when a sync is no longer under way; with undefined when `signal` comes first.
 * @param onImport gets the state of the import that carries it out, now and at each move
 */
export function syncEnded(
  syncs: Pick<SyncRunner, 'events' | 'find' | 'importState'>,
  id: string,
  signal: AbortSignal,
  onImport: (state: ImportState) => void,
): Promise<SyncRecord | undefined> {
  return new Promise((resolve) => {
    const leave = (record: SyncRecord | undefined) => {
      syncs.events.off('state', look);
      syncs.events.off('import', moved);
      signal.removeEventListener('abort', stop);
      resolve(record);
    };
    const stop = () => leave(undefined);
    // Checked after the move: `planned` is only a step on the way to `applying`.
    const look = () =>
      queueMicrotask(() => {
        const record = syncs.find(id);
        if (!isSyncUnderWay(record.state)) leave(record);
      });
    const moved = (movedId: string, state: ImportState) => {
      if (movedId === id) onImport(state);
    };
    syncs.events.on('state', look);
    syncs.events.on('import', moved);
    signal.addEventListener('abort', stop);
    const carrying = syncs.importState(id);
    if (carrying !== undefined) onImport(carrying);
    if (signal.aborted) stop();
    else look();
  });
}
