import { readProtectFile } from '../sync/plan/protect.ts';
import type { CreateSync } from '../sync/run/requests.ts';
import { readSyncOptions } from '../sync/sync-options.ts';
import type { ScheduleRecord } from './schedule-catalog.ts';
import { ScheduleError } from './schedule-errors.ts';

/**
 * How a schedule has its file synced, with the UIDs that its protect file names now.
 * @throws ScheduleError, ProtectFileError
 */
export async function syncSettings({
  name,
  options,
  protectFile,
}: Pick<ScheduleRecord, 'name' | 'options' | 'protectFile'>): Promise<
  Pick<CreateSync, 'reading' | 'flags' | 'create' | 'limits' | 'giveUpAfterMs' | 'apply'>
> {
  const { reading, flags, create, limits, giveUpAfterMs, apply } = readSyncOptions({ options });
  if (reading === null) throw new ScheduleError(`schedule ${name} does not say how its file is read`, 'add it again');
  const protect = protectFile === null ? flags.protect : flags.protect.union(await readProtectFile(protectFile));
  return { reading, flags: { ...flags, protect }, create, limits, giveUpAfterMs, apply };
}
