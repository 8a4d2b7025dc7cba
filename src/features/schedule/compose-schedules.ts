import type { EventEmitter } from 'node:events';
import { sourceContextOf } from '../../app/ca-file.ts';
import { asError } from '../../errors/message-of.ts';
import type { Aimed } from '../../imports/target.ts';
import type { Config } from '../../platform/config.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Logger } from '../../platform/log.ts';
import { type SourceReader, sourceReader } from '../../sources/source-reader.ts';
import { newSyncId } from '../sync/compose-syncs.ts';
import type { SyncRunner } from '../sync/run/runner-port.ts';
import { type ScheduleAlarms, startScheduleAlarms } from './schedule-alarms.ts';
import { type ScheduleBook, scheduleBook } from './schedule-book.ts';
import { openScheduleCatalog, type ScheduleRun } from './schedule-catalog.ts';
import { type ScheduleRunEvents, ScheduleRuns, type ScheduleRunsOptions } from './schedule-runs.ts';

/** The parts that run schedules. */
export interface ScheduleParts {
  readonly syncs: SyncRunner;
  readonly sendsTo: Aimed;
  readonly dir: DataDir;
  readonly log: Logger;
  readonly fail: (error: Error) => void;
}

/** The schedules of a process that owns the data directory and stays. */
export interface Schedules extends ScheduleBook {
  readonly events: EventEmitter<ScheduleRunEvents>;
  /** Begins a run that a user asks for. @throws ScheduleError when one is under way */
  run(name: string, who: string): ScheduleRun;
  /** Gets the file of a source. @throws SourceError, SourceNotAllowed */
  readonly obtain: SourceReader;
  /** Resolves when a run has finished, or this process stops. */
  over(id: number): Promise<ScheduleRun>;
  /** Continues interrupted runs, handles missed ones, and sets alarms for the rest. */
  start(): void;
  stop(): Promise<void>;
}

/** Wires which schedules there are, their alarms and their runs, and these to the syncs that they begin. To be stopped before the syncs. */
export function composeSchedules(config: Config, parts: ScheduleParts): Schedules {
  const { log } = parts;
  const options = scheduleRunsOptions(config, parts);
  const runs = new ScheduleRuns(options);
  let alarms: ScheduleAlarms | undefined;
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
    ...scheduleBook({ ...options, isUnderWay: (name) => runs.isUnderWay(name), changed }),
    events: runs.events,
    run: (name, who) => runs.begin(name, who),
    over: (id) => runs.over(id),
    obtain: sourceReader(options),
    start: () => {
      // Before an alarm that rings late can begin what was missed.
      runs.continueAll();
      alarms = startScheduleAlarms({ ...options, due: (name) => runs.due(name) });
    },
    stop: async () => {
      alarms?.close();
      await runs.stop();
      options.catalog.close();
    },
  };
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
