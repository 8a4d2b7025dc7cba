import { noteHere } from '../../../cli/audit.ts';
import type { Config } from '../../../platform/config.ts';
import { dataDir, emptyPlace } from '../../../platform/data-dir.ts';
import { ScheduleError } from '../schedule-errors.ts';
import { askToRun, changeSchedules } from './schedule-control.ts';
import { failureDocument, runDocument, scheduleDocument, withSchedules } from './schedule-data.ts';
import type { Schedules } from './schedules.ts';

/** The schedules of a data directory, no matter which process runs them. */
export function localSchedules(config: Config): Schedules {
  return {
    get place() {
      return emptyPlace(dataDir(config.dataDir));
    },
    list: async () =>
      withSchedules(config.dataDir, (schedules) =>
        schedules?.list().map((record) => scheduleDocument(record, schedules.runs(record.name, 1)[0])),
      ) ?? [],
    history: async (name, limit) =>
      withSchedules(config.dataDir, (schedules) => {
        const record = schedules?.find(name);
        if (schedules === undefined || record === undefined) throw ScheduleError.unknown(name);
        const runs = schedules.runs(name, limit).map(runDocument);
        return { name, tz: record.tz, runs, failing: schedules.failures(name, limit).map(failureDocument) };
      }),
    change: async (name, verb) => {
      const { record } = await changeSchedules(config, { verb, name });
      return record && scheduleDocument(record, undefined);
    },
    run: async (name) => {
      const begun = await askToRun(config, name);
      if (begun === undefined) return undefined;
      noteHere(dataDir(config.dataDir), 'schedule.run', name);
      return runDocument(begun);
    },
  };
}
