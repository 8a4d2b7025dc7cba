import { isoTime } from '../../api/fields.ts';
import { mapLookups } from '../../options/lookups.ts';
import { nextRuns } from '../../queue/cron.ts';
import { shownFile } from '../../sources/schemes.ts';
import { shownCreate } from '../sync/kept-sync.ts';
import type { SyncCatalogReader } from '../sync/sync-catalog.ts';
import type { ScheduleRunView, ScheduleView } from './api.ts';
import type { Schedule, ScheduleCatalogReader, ScheduleRun } from './schedule-catalog.ts';
import { creationOf } from './schedule-sync.ts';

const SHOWN_TIMES = 3;

/** Schedules as the API and the command line show them. */
export function scheduleViews(catalog: ScheduleCatalogReader, syncs: Pick<SyncCatalogReader, 'find'>) {
  /** Null for one that is begun, and not written down yet; or never. */
  const syncOf = (id: string): ScheduleRunView['sync'] => {
    const record = syncs.find(id);
    return record === undefined ? null : { id, state: record.state, totals: record.totals };
  };
  const runView = ({ schedule: _, dueAt, at, syncId, ...run }: ScheduleRun): ScheduleRunView => ({
    ...run,
    dueAt: isoTime(dueAt),
    at: isoTime(at),
    sync: syncId === null ? null : syncOf(syncId),
  });
  const view = (schedule: Schedule): ScheduleView => {
    const { timedAt: _, nextDue, copy: __, placedHash: ___, sourceSettings: ____, name, ...settings } = schedule;
    const { cron, tz, paused } = settings;
    const [lastRun] = catalog.runs(name, 1);
    return {
      name,
      ...settings,
      file: shownFile(schedule),
      ...mapLookups(schedule, (file) => shownFile({ file })),
      protectFile: shownSetting(schedule.protectFile),
      create: shownCreate({ create: creationOf(schedule) }),
      createdAt: isoTime(settings.createdAt),
      next: paused ? [] : [nextDue, ...nextRuns(cron, tz, nextDue, SHOWN_TIMES - 1)].map((at) => isoTime(at)),
      lastRun: lastRun === undefined ? null : runView(lastRun),
    };
  };
  return {
    view,
    runView,
    list: () => ({ schedules: catalog.list().map(view) }),
    /** @throws ScheduleError */
    one: (name: string) => view(catalog.get(name)),
    /** @throws ScheduleError */
    history: (name: string, limit: number) => {
      catalog.get(name);
      return { runs: catalog.runs(name, limit).map(runView) };
    },
  };
}

/** The query of an address may be a secret. */
export function shownSetting<Value>(value: Value): Value | string {
  return typeof value === 'string' ? shownFile({ file: value }) : value;
}
