import { isoTime } from '../../api/fields.ts';
import { createSettingsOf } from '../../options/create-options.ts';
import { defined } from '../../platform/defined.ts';
import { nextRuns } from '../../queue/cron.ts';
import { shownFile } from '../../sources/schemes.ts';
import { readTotals } from '../sync/plan/plan-totals.ts';
import type { SyncCatalogReader } from '../sync/sync-catalog.ts';
import { type SyncInput, shownCreate } from '../sync/sync-options.ts';
import type { ScheduleReading, ScheduleRunView, ScheduleView } from './api.ts';
import type { ScheduleCatalogReader, ScheduleRecord, ScheduleRun } from './schedule-catalog.ts';

const SHOWN_TIMES = 3;

/** Schedules as the API and the command line show them. */
export type ScheduleViews = ReturnType<typeof scheduleViews>;

/** @param fileOf its file as these people may see it */
export function scheduleViews(
  catalog: ScheduleCatalogReader,
  syncs: Pick<SyncCatalogReader, 'find'>,
  fileOf: (record: ScheduleRecord) => string = shownFile,
) {
  /** Null for one that is begun, and not written down yet; or never. */
  const syncOf = (id: string): ScheduleRunView['sync'] => {
    const record = syncs.find(id);
    return record === undefined ? null : { id, state: record.state, totals: readTotals(record) };
  };
  const runView = ({ schedule: _, dueAt, at, syncId, ...run }: ScheduleRun): ScheduleRunView => ({
    ...run,
    dueAt: isoTime(dueAt),
    at: isoTime(at),
    sync: syncId === null ? null : syncOf(syncId),
  });
  const view = (record: ScheduleRecord): ScheduleView => {
    const { name, cron, tz, headers, protectFile, maxSource, repair, catchUp, restricted, version } = record;
    const { paused, createdAt, nextDue, options } = record;
    const { reading, flags, create, limits, giveUpAfterMs, apply, sandbox, target } = options;
    const shown = shownCreate(options);
    const [lastRun] = catalog.runs(name, 1);
    return {
      name,
      cron,
      tz,
      file: fileOf(record),
      headers,
      maxSource,
      reading: readingView(reading),
      identities: reading.identities?.name ?? null,
      groups: reading.groups?.name ?? null,
      protectFile: protectFile && shownFile({ file: protectFile }),
      restricted,
      version,
      flags,
      create: shown && create ? { ...shown, settings: createSettingsOf(create) } : null,
      limits,
      ...defined({ giveUpAfterMs, target }),
      apply,
      sandbox,
      repair,
      catchUp,
      paused,
      createdAt: isoTime(createdAt),
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

/** Returns the options for reading the file, as they are shown and edited. */
function readingView({ identities: _, groups: __, edits: ___, ...reading }: SyncInput): ScheduleReading {
  const { map, format, delimiter } = reading;
  return defined({
    ...reading,
    map: Object.keys(map).length === 0 ? undefined : map,
    format: format === 'auto' ? undefined : format,
    delimiter: delimiter === '\t' ? 'tab' : delimiter,
  });
}
