import { asError } from '../errors/message-of.ts';
import { type Config, environmentVariable } from '../platform/config.ts';
import type { DataDir } from '../platform/data-dir.ts';
import type { Logger } from '../platform/log.ts';
import type { SyncRunner } from '../syncs/run/sync-runner.ts';
import { openScheduleCatalog } from '../syncs/schedule/schedule-catalog.ts';
import type { ScheduleRunsOptions } from '../syncs/schedule/schedule-runs.ts';
import { createSchedules, type Schedules } from '../syncs/schedule/schedules.ts';
import { caOf } from './ca-file.ts';
import type { Service } from './compose.ts';
import { newSyncId } from './compose-syncs.ts';

/** What schedules are run with. */
export interface ScheduleParts {
  readonly syncs: SyncRunner;
  readonly service: Pick<Service, 'sandbox'>;
  readonly dir: DataDir;
  readonly log: Logger;
  readonly fail: (error: Error) => void;
}

/** Wires schedules to the syncs that they begin. To be stopped before the syncs. */
export function composeSchedules(config: Config, parts: ScheduleParts): Schedules {
  const { log } = parts;
  const options = scheduleRunsOptions(config, parts);
  const schedules = createSchedules(options);
  schedules.events.on('run', ({ schedule, state, reason, syncId }) =>
    log[state === 'failed' || state === 'missed' ? 'warn' : 'info'](
      { schedule, state, reason, sync: syncId },
      'schedule',
    ),
  );
  return {
    ...schedules,
    stop: async () => {
      await schedules.stop();
      options.catalog.close();
    },
  };
}

/** The catalog in it is open, and the caller's to close. */
export function scheduleRunsOptions(
  config: Config,
  { syncs, service, dir, fail }: Omit<ScheduleParts, 'log'>,
): ScheduleRunsOptions {
  const ca = caOf(config);
  return {
    catalog: openScheduleCatalog(dir.catalog),
    syncs,
    newSyncId: () => newSyncId('sync'),
    ledger: dir.ledger,
    folder: dir.schedule,
    sandbox: service.sandbox,
    ca,
    sources: config.sources,
    environment: environmentVariable,
    clock: Date.now,
    fail: (error) => fail(asError(error)),
  };
}
