import { sourceContextOf } from '../../app/ca-file.ts';
import { asError } from '../../errors/message-of.ts';
import type { Aimed } from '../../imports/target.ts';
import type { Config } from '../../platform/config.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Logger } from '../../platform/log.ts';
import { newSyncId } from '../sync/kept-sync.ts';
import type { SyncRunner } from '../sync/run/sync-runner.ts';
import { scheduleChanges } from './change-schedule.ts';
import { openScheduleCatalog } from './schedule-catalog.ts';
import { ScheduleRuns, type ScheduleRunsOptions } from './schedule-runs.ts';

/** The parts that run schedules. */
interface ScheduleParts {
  readonly syncs: SyncRunner;
  readonly sendsTo: Aimed;
  readonly dir: DataDir;
  readonly log: Logger;
  readonly fail: (error: Error) => void;
}

/** Opens the schedules of a process that owns the data directory, their runs and the syncs that these begin. To be stopped before the syncs. */
export function openSchedules(config: Config, { syncs, sendsTo, dir, log, fail }: ScheduleParts) {
  const catalog = openScheduleCatalog(dir.catalog);
  const failed = (error: unknown) => fail(asError(error));
  const runs = new ScheduleRuns({
    catalog,
    syncs,
    newSyncId: () => newSyncId('sync'),
    dir,
    ...sendsTo,
    patience: config,
    ...sourceContextOf(config),
    sources: config.sources,
    clock: Date.now,
    fail: failed,
  });
  let alarms: ReturnType<typeof startScheduleAlarms> | undefined;
  runs.events.on('run', ({ schedule, state, reason, syncId }) =>
    log[state === 'failed' || state === 'missed' ? 'warn' : 'info'](
      { schedule, state, reason, sync: syncId },
      'schedule',
    ),
  );
  const at: Config & Pick<ScheduleParts, 'sendsTo'> = { ...config, sendsTo };
  const changed = () => {
    alarms?.set();
    runs.events.emit('changed');
  };
  return {
    catalog,
    changes: scheduleChanges({ catalog, dir, isUnderWay: (name) => runs.isUnderWay(name), changed }),
    runs,
    at,
    /** Continues interrupted runs, handles missed ones, and sets alarms for the rest. */
    start: () => {
      // Before an alarm that rings late can begin what was missed.
      runs.continueAll();
      alarms = startScheduleAlarms({ catalog, runs, fail: failed });
    },
    stop: async () => {
      alarms?.close();
      await runs.stop();
      catalog.close();
    },
  };
}
export type Schedules = ReturnType<typeof openSchedules>;

/** Longest sleep, in ms: a clock may be put right, and a machine that sleeps stops its timers. */
const MAX_SLEEP_MS = 30_000;

interface AlarmParts extends Pick<ScheduleRunsOptions, 'catalog' | 'fail'> {
  readonly runs: Pick<ScheduleRuns, 'due' | 'planAgain'>;
}

/**
 * Rings when a schedule is due. The catalog says when that is, and one process owns it: a timer is all it takes.
 * @returns `set`, for a catalog that has changed, and `close`
 */
export function startScheduleAlarms({ catalog, runs, fail }: AlarmParts) {
  let timer: NodeJS.Timeout | undefined;
  let seenAt = Date.now();
  const times = () => catalog.list().filter(({ paused }) => !paused);
  const sleep = (): void => {
    clearTimeout(timer);
    const next = Math.min(...times().map(({ nextDue }) => nextDue));
    timer = setTimeout(ring, Math.min(Math.max(0, next - Date.now()), MAX_SLEEP_MS));
  };
  const ring = (): void => {
    try {
      if (Date.now() < seenAt) runs.planAgain();
      seenAt = Date.now();
      for (const { name, nextDue } of times()) if (nextDue <= Date.now()) runs.due(name);
      sleep();
    } catch (error) {
      fail(error);
      // It may be a full disk, which ends nothing.
      clearTimeout(timer);
      timer = setTimeout(ring, MAX_SLEEP_MS);
    }
  };
  sleep();
  return { set: sleep, close: () => clearTimeout(timer) };
}
