import { dataDir, hasCatalog } from '../../../platform/data-dir.ts';
import { nextRuns } from '../../../queue/cron.ts';
import { readSyncOptions, shownCreate } from '../../sync/sync-options.ts';
import type { ScheduleFailure } from '../note-failures.ts';
import {
  openScheduleCatalogReader,
  type ScheduleCatalogReader,
  type ScheduleRecord,
  type ScheduleRun,
} from '../schedule-catalog.ts';
import type { FailureDocument, RunDocument, ScheduleDocument } from './schedules.ts';

/** What commands read of the schedules in a data directory, even while another process writes to it, and how they show it. */

export function withSchedules<Result>(
  path: string,
  read: (schedules: ScheduleCatalogReader | undefined) => Result,
): Result {
  const dir = dataDir(path);
  const schedules = hasCatalog(dir) ? openScheduleCatalogReader(dir.catalog) : undefined;
  try {
    return read(schedules);
  } finally {
    schedules?.close();
  }
}

const SHOWN_RUNS = 3;

/** When it is due next, in ms since 1970; empty while it is paused. */
function dueNext({ cron, tz, paused, nextDue }: ScheduleRecord): number[] {
  return paused ? [] : [nextDue, ...nextRuns(cron, tz, nextDue, SHOWN_RUNS - 1)];
}

/** As `--json` shows a schedule. Times are ISO 8601; of headers it has the variables that hold their values. */
export function scheduleDocument(record: ScheduleRecord, lastRun: ScheduleRun | undefined): ScheduleDocument {
  const { name, cron, tz, file, headers, maxSource, protectFile, repair, catchUp, paused, createdAt } = record;
  const options = readSyncOptions(record);
  const { flags, limits, apply, sandbox } = options;
  const { removeByName, protect: _, ...decided } = flags;
  return {
    ...{ name, cron, tz, file, headers, maxSource, protectFile, repair, catchUp, paused, apply, sandbox, limits },
    flags: { ...decided, removeNamed: removeByName },
    create: shownCreate(options),
    createdAt: iso(createdAt),
    next: dueNext(record).map(iso),
    lastRun: lastRun === undefined ? null : runDocument(lastRun),
  };
}

export function runDocument({ schedule, dueAt, at, state, reason, who, syncId }: ScheduleRun): RunDocument {
  return { schedule, dueAt: iso(dueAt), at: iso(at), state, reason, who, syncId };
}

export function failureDocument({ region, guid, uid, code, since }: ScheduleFailure): FailureDocument {
  return { region, guid, uid, code, since: iso(since) };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
