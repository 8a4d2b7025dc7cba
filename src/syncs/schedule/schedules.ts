import type { EventEmitter } from 'node:events';
import { type ScheduleAlarms, startScheduleAlarms } from './schedule-alarms.ts';
import { type ScheduleBook, scheduleBook } from './schedule-book.ts';
import type { ScheduleRun } from './schedule-catalog.ts';
import { ScheduleError } from './schedule-errors.ts';
import { createScheduleRuns, type ScheduleRunEvents, type ScheduleRunsOptions } from './schedule-runs.ts';
import { type SourceReader, sourceReader } from './source-reader.ts';

/** The schedules of the process that owns a data directory and stays. */
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

/** To be stopped before the syncs. */
export function createSchedules(options: ScheduleRunsOptions): Schedules {
  const { catalog, clock, fail } = options;
  const book = scheduleBook(catalog, options.folder, clock);
  const runs = createScheduleRuns(options);
  let alarms: ScheduleAlarms | undefined;
  return {
    ...book,
    obtain: sourceReader(options),
    events: runs.events,
    run: runs.begin,
    over: runs.over,
    start: () => {
      // Before an alarm that rings late can begin what was missed.
      runs.continueAll();
      alarms = startScheduleAlarms({ catalog, due: runs.due, clock, fail });
    },
    add: async (request) => {
      const record = await book.add(request);
      alarms?.set();
      return record;
    },
    edit: async (request, version, who) => {
      if (runs.isUnderWay(request.name)) {
        throw new ScheduleError(`schedule ${request.name} is running`, 'edit it when the run has finished');
      }
      const record = await book.edit(request, version, who);
      alarms?.set();
      return record;
    },
    pause: (name) => {
      const record = book.pause(name);
      alarms?.set();
      return record;
    },
    resume: (name) => {
      const record = book.resume(name);
      alarms?.set();
      return record;
    },
    remove: async (name) => {
      if (runs.isUnderWay(name)) {
        throw new ScheduleError(`schedule ${name} is running`, 'pause it, and remove it when the run has finished');
      }
      await book.remove(name);
      alarms?.set();
    },
    stop: async () => {
      alarms?.close();
      await runs.stop();
    },
  };
}
