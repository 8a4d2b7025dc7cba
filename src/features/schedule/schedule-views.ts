import { isoTime } from '../../api/fields.ts';
import { createSettingsOf } from '../../options/create-options.ts';
import { defined } from '../../platform/defined.ts';
import { nextRuns } from '../../queue/cron.ts';
import { shownFile } from '../../sources/schemes.ts';
import { readTotals } from '../sync/plan/plan-totals.ts';
import type { SyncCatalogReader } from '../sync/sync-catalog.ts';
import { readSyncOptions, type SyncInput, shownCreate } from '../sync/sync-options.ts';
import type { ScheduleHistory, ScheduleReading, ScheduleRunView, ScheduleView } from './api.ts';
import type { ScheduleCatalogReader, ScheduleRecord, ScheduleRun } from './schedule-catalog.ts';
import { foundSchedule } from './schedule-errors.ts';

const SHOWN_TIMES = 3;

/** Schedules as the API and the command line show them. */
export interface ScheduleViews {
  readonly catalog: ScheduleCatalogReader;
  /** @throws ScheduleError */
  find(name: string): ScheduleRecord;
  of(record: ScheduleRecord): ScheduleView;
  run(run: ScheduleRun): ScheduleRunView;
  /** @throws ScheduleError */
  history(name: string, limit: number): ScheduleHistory;
}

/** @param fileOf its file as these people may see it */
export function scheduleViews(
  catalog: ScheduleCatalogReader,
  syncs: Pick<SyncCatalogReader, 'find'>,
  fileOf: (record: ScheduleRecord) => string = shownFile,
): ScheduleViews {
  const find = (name: string) => foundSchedule(catalog, name);
  /** Null for one that is begun, and not written down yet; or never. */
  const syncOf = (id: string): ScheduleRunView['sync'] => {
    const record = syncs.find(id);
    return record === undefined ? null : { id, state: record.state, totals: readTotals(record) };
  };
  const runViewOf = ({ id, dueAt, at, state, reason, who, syncId }: ScheduleRun): ScheduleRunView => ({
    id,
    dueAt: isoTime(dueAt),
    at: isoTime(at),
    state,
    reason,
    who,
    sync: syncId === null ? null : syncOf(syncId),
  });
  const viewOf = (record: ScheduleRecord): ScheduleView => {
    const { name, cron, tz, headers, protectFile, repair, catchUp, paused, createdAt, nextDue } = record;
    const { maxSource, restricted, version } = record;
    const options = readSyncOptions(record);
    const { reading, flags, create, limits, giveUpAfterMs, apply, sandbox, target } = options;
    const shown = shownCreate(options);
    const [lastRun] = catalog.runs(name, 1);
    return {
      name,
      cron,
      tz,
      apply,
      sandbox,
      repair,
      catchUp,
      paused,
      maxSource,
      restricted,
      version,
      ...(target !== undefined && { target }),
      file: fileOf(record),
      protectFile: protectFile && shownFile({ file: protectFile }),
      reading: reading === null ? {} : readingView(reading),
      identities: reading?.identities?.name ?? null,
      groups: reading?.groups?.name ?? null,
      headers: { ...headers },
      flags,
      create: shown && create ? { ...shown, settings: createSettingsOf(create) } : null,
      limits: { ...limits },
      ...(giveUpAfterMs !== undefined && { giveUpAfterMs }),
      createdAt: isoTime(createdAt),
      next: paused ? [] : [nextDue, ...nextRuns(cron, tz, nextDue, SHOWN_TIMES - 1)].map((at) => isoTime(at)),
      lastRun: lastRun === undefined ? null : runViewOf(lastRun),
    };
  };
  return {
    catalog,
    find,
    of: viewOf,
    run: runViewOf,
    history: (name, limit) => {
      find(name);
      const edits = catalog
        .edits(name, 0)
        .map(({ at, changes, ...edit }) => ({ ...edit, at: isoTime(at), changes: [...changes] }));
      return { runs: catalog.runs(name, limit).map(runViewOf), edits };
    },
  };
}

/** Returns the options for reading the file, as they are shown and edited. */
function readingView({
  identities: _,
  groups: ___,
  edits: __,
  map,
  format,
  delimiter,
  ...reading
}: SyncInput): ScheduleReading {
  return defined({
    ...reading,
    map: Object.keys(map).length === 0 ? undefined : map,
    format: format === 'auto' ? undefined : format,
    delimiter: delimiter === '\t' ? 'tab' : delimiter,
  });
}
