import type { SendingConfig } from '../../imports/send/give-up.ts';
import { mapLookups } from '../../options/lookups.ts';
import { shownFile } from '../../sources/schemes.ts';
import { readProtectFile } from '../sync/plan/protect.ts';
import type { CreateSync } from '../sync/run/runner-port.ts';
import { readSyncOptions } from '../sync/sync-options.ts';
import type { Beside } from './obtain-beside.ts';
import type { ScheduleRecord } from './schedule-catalog.ts';
import { ScheduleError } from './schedule-errors.ts';

/**
 * Starts the sync of a schedule's file, with the UIDs that its protect file names now.
 * @throws ScheduleError, ProtectFileError
 */
export async function syncSettings(
  { name, options }: Pick<ScheduleRecord, 'name' | 'options'>,
  { lookups, protectFile }: Beside,
): Promise<Omit<CreateSync, 'id' | 'file' | 'source' | 'scheduleId' | 'who'>> {
  const { reading, flags, sandbox: _, target: __, ...decided } = readSyncOptions({ options });
  if (reading === null) throw new ScheduleError(`schedule ${name} does not say how its file is read`, 'add it again');
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

/**
 * Returns the time that a run waits for a service that does not answer: the setting, else nearly until its schedule is
 * due again.
 */
export function patienceOf(
  own: Partial<SendingConfig>,
  all: SendingConfig,
  untilDueMs: number,
): Partial<SendingConfig> {
  const set = own.giveUpAfterMs ?? all.giveUpAfterMs;
  if (set !== undefined) return { giveUpAfterMs: set };
  return untilDueMs > 0 ? { giveUpAfterMs: Math.floor(untilDueMs * WINDOW) } : {};
}
