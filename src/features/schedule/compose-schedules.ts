import { sourceContextOf } from '../../app/ca-file.ts';
import { asError } from '../../errors/message-of.ts';
import type { Aimed } from '../../imports/target.ts';
import type { Config } from '../../platform/config.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Logger } from '../../platform/log.ts';
import { newSyncId } from '../sync/compose-syncs.ts';
import type { SyncRunner } from '../sync/run/sync-runner.ts';
import { scheduleChanges } from './change-schedule.ts';
import { openScheduleCatalog } from './schedule-catalog.ts';
import { ScheduleRuns, type ScheduleRunsOptions } from './schedule-runs.ts';

/** The parts that run schedules. */
export interface ScheduleParts {
  readonly syncs: SyncRunner;
  readonly sendsTo: Aimed;
  readonly dir: DataDir;
  readonly log: Logger;
  readonly fail: (error: Error) => void;
}

/** Wires which schedules there are, their alarms and their runs, and these to the syncs that they begin. To be stopped before the syncs. */
export function composeSchedules(config: Config, parts: ScheduleParts) {
  const { log } = parts;
  const options = scheduleRunsOptions(config, parts);
  const { catalog } = options;
  const runs = new ScheduleRuns(options);
  let alarms: ReturnType<typeof startScheduleAlarms> | undefined;
  runs.events.on('run', ({ schedule, state, reason, syncId }) =>
    log[state === 'failed' || state === 'missed' ? 'warn' : 'info'](
      { schedule, state, reason, sync: syncId },
      'schedule',
    ),
  );
  const changed = () => {
    alarms?.set();
    runs.events.emit('changed');
  };
  return {
    catalog,
    changes: scheduleChanges({ ...options, isUnderWay: (name) => runs.isUnderWay(name), changed }),
    runs,
    at: { ...config, sendsTo: parts.sendsTo },
    /** Continues interrupted runs, handles missed ones, and sets alarms for the rest. */
    start: () => {
      // Before an alarm that rings late can begin what was missed.
      runs.continueAll();
      alarms = startScheduleAlarms(options, runs);
    },
    stop: async () => {
      alarms?.close();
      await runs.stop();
      catalog.close();
    },
  };
}

/** The schedules of a process that owns the data directory and stays. */
export type Schedules = ReturnType<typeof composeSchedules>;

/** The person who gives settings, and the process that takes them. */
export interface GivenAt extends Pick<Config, 'sources' | 'namedSources' | 'defaultRegion'> {
  /** The person can log in on the machine of the data directory. */
  readonly isHere: boolean;
  readonly sendsTo: Aimed;
}

/** The catalog in it is open, and the caller's to close. */
export function scheduleRunsOptions(
  config: Config,
  { syncs, sendsTo, dir, fail }: Omit<ScheduleParts, 'log'>,
): ScheduleRunsOptions {
  return {
    catalog: openScheduleCatalog(dir.catalog),
    syncs,
    newSyncId: () => newSyncId('sync'),
    ledger: dir.ledger,
    folder: dir.schedule,
    ...sendsTo,
    patience: config,
    ...sourceContextOf(config),
    sources: config.sources,
    clock: Date.now,
    fail: (error) => fail(asError(error)),
  };
}

/** Longest sleep, in ms: a clock may be put right, and a machine that sleeps stops its timers. */
const MAX_SLEEP_MS = 30_000;

/**
 * Rings when a schedule is due. The catalog says when that is, and one process owns it: a timer is all it takes.
 * @returns `set`, for a catalog that has changed, and `close`
 */
export function startScheduleAlarms(
  { catalog, clock, fail }: Pick<ScheduleRunsOptions, 'catalog' | 'clock' | 'fail'>,
  runs: Pick<ScheduleRuns, 'due' | 'planAgain'>,
) {
  let timer: NodeJS.Timeout | undefined;
  let seenAt = clock();
  const times = () => catalog.list().filter(({ paused }) => !paused);
  const sleep = (): void => {
    clearTimeout(timer);
    const next = Math.min(...times().map(({ nextDue }) => nextDue));
    timer = setTimeout(ring, Math.min(Math.max(0, next - clock()), MAX_SLEEP_MS));
  };
  const ring = (): void => {
    try {
      if (clock() < seenAt) runs.planAgain();
      seenAt = clock();
      for (const { name, nextDue } of times()) if (nextDue <= clock()) runs.due(name);
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
