import { sourceContextOf } from '../../app/ca-file.ts';
import { asError } from '../../errors/rollcall-error.ts';
import type { Config } from '../../platform/config.ts';
import type { SyncProcess } from '../sync/compose-syncs.ts';
import type { SyncRunner } from '../sync/run/sync-runner.ts';
import { openScheduleCatalog } from './schedule-catalog.ts';
import { openScheduleRuns } from './schedule-runs.ts';

/** The process that runs schedules: they stop before its syncs. */
type ScheduleProcess = Pick<SyncProcess, 'dir' | 'log' | 'events' | 'onStop' | 'fail'> & { readonly syncs: SyncRunner };

/** Opens the schedules of a process that owns the data directory, their runs and the syncs that these begin. */
export function openSchedules(config: Config, { syncs, dir, log, events, onStop, fail }: ScheduleProcess) {
  const catalog = openScheduleCatalog(dir.catalog);
  const runs = openScheduleRuns({
    catalog,
    syncs,
    dir,
    patience: config,
    ...sourceContextOf(config),
    sources: config.sources,
    clock: Date.now,
    fail: (error) => fail(asError(error)),
  });
  runs.events.on('run', ({ schedule, state, reason, syncId: sync }) => {
    const level = state === 'failed' || state === 'missed' ? 'warn' : 'info';
    log[level]({ schedule, state, reason, sync }, 'schedule');
    events.tell('schedules', { id: schedule });
  });
  runs.events.on('changed', () => events.tell('schedules', {}));
  onStop(async () => {
    await runs.stop();
    catalog.close();
  });
  return { catalog, runs, at: { ...config, sendsTo: syncs.sendsTo }, dir };
}
export type Schedules = ReturnType<typeof openSchedules>;
