import { sourceContextOf } from '../../app/ca-file.ts';
import { asError } from '../../errors/message-of.ts';
import type { Config } from '../../platform/config.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Logger } from '../../platform/log.ts';
import { newSyncId } from '../sync/kept-sync.ts';
import type { SyncRunner } from '../sync/run/sync-runner.ts';
import { openScheduleCatalog } from './schedule-catalog.ts';
import { openScheduleRuns } from './schedule-runs.ts';

/** The parts that run schedules. */
export interface ScheduleParts {
  readonly syncs: SyncRunner;
  readonly dir: DataDir;
  readonly log: Logger;
  readonly fail: (error: Error) => void;
}

/** Opens the schedules of a process that owns the data directory, their runs and the syncs that these begin. To be stopped before the syncs. */
export function openSchedules(config: Config, { syncs, dir, log, fail }: ScheduleParts) {
  const catalog = openScheduleCatalog(dir.catalog);
  const runs = openScheduleRuns({
    catalog,
    syncs,
    newSyncId: () => newSyncId('sync'),
    dir,
    patience: config,
    ...sourceContextOf(config),
    sources: config.sources,
    clock: Date.now,
    fail: (error) => fail(asError(error)),
  });
  runs.events.on('run', ({ schedule, state, reason, syncId }) =>
    log[state === 'failed' || state === 'missed' ? 'warn' : 'info'](
      { schedule, state, reason, sync: syncId },
      'schedule',
    ),
  );
  const at = { ...config, sendsTo: syncs.sendsTo };
  const stop = async () => {
    await runs.stop();
    catalog.close();
  };
  return { catalog, runs, at, dir, stop };
}
export type Schedules = ReturnType<typeof openSchedules>;
