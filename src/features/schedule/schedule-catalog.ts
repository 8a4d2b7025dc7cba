import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { CATALOG_SCHEMA } from '../../imports/schemas.ts';
import { RUN_STATES, type RunState } from '../../membership/sync-state.ts';
import { TEXT_SETTINGS } from '../../platform/named-sources.ts';
import { inTransaction, openForReading, openForWriting, statementsOf } from '../../platform/sqlite.ts';
import type { SourceSettings } from '../../sources/source.ts';
import type { Kept } from '../../sources/spool.ts';
import { scheduleChanges } from './api.ts';

/** Syncs that begin by themselves, as the catalog keeps them, and as processes send them to each other. Times are ms since 1970. */

const headers = z.record(z.string(), z.string());

const sourceSettings: z.ZodType<SourceSettings> = z.strictObject({
  secrets: headers.exactOptional(),
  ...Object.fromEntries(TEXT_SETTINGS.map((name) => [name, z.string().exactOptional()])),
});

export const scheduleRecord = z.strictObject({
  name: z.string(),
  cron: z.string(),
  tz: z.string(),
  /** Path, glob or https URL, as the user named it. */
  file: z.string(),
  /** The same as it is read: paths are whole. */
  source: z.string(),
  /** Header of the request → environment variable that has its value. */
  headers,
  /** The settings for reading it, without headers. */
  settings: sourceSettings,
  /** Most bytes that are fetched. */
  maxSource: z.number(),
  protectFile: z.string().nullable(),
  /** JSON of how it is read and decided. */
  options: z.string(),
  repair: z.boolean(),
  catchUp: z.boolean(),
  /** Made over the API: it reads only what the settings allow when it runs. */
  restricted: z.boolean(),
  /** Counts up with every edit. */
  version: z.int(),
  paused: z.boolean(),
  createdAt: z.number(),
  /** Counts unless it is paused. */
  nextDue: z.number(),
  /** The copy that is kept of what is behind an address; null: none. */
  copy: z.strictObject({ hash: z.string(), version: z.string().nullable() }).nullable(),
  /** SHA-256 of the source that the last run applied completely; null when it did not. */
  placedHash: z.string().nullable(),
});
export type ScheduleRecord = Readonly<z.infer<typeof scheduleRecord>>;

/** A schedule as a user asks for it; plain data, so that it can be sent to the process that keeps it. */
export const scheduleRequest = scheduleRecord
  .omit({ version: true, paused: true, createdAt: true, nextDue: true, copy: true, placedHash: true })
  .extend({
    /** Default: none. */
    settings: sourceSettings.exactOptional(),
    /** Default: no. */
    restricted: z.boolean().exactOptional(),
  });
export type ScheduleRequest = Readonly<z.infer<typeof scheduleRequest>>;

type NewSchedule = ScheduleRequest & Pick<ScheduleRecord, 'nextDue' | 'restricted'>;

export const scheduleRun = z.strictObject({
  id: z.int(),
  schedule: z.string(),
  dueAt: z.number(),
  /** The time at which it began, or was noted. */
  at: z.number(),
  state: z.enum(RUN_STATES),
  /** The reason for the state, in a sentence. */
  reason: z.string(),
  /** The person who asked for it; empty: the schedule. */
  who: z.string(),
  syncId: z.string().nullable(),
});
export type ScheduleRun = Readonly<z.infer<typeof scheduleRun>>;

/** The change of one setting by an edit, in the form for people. */
export type SettingChange = z.infer<typeof scheduleChanges>[number];

/** A time in which nothing was due. */
export interface SchedulePause {
  readonly since: number;
  /** Null: it is still paused. */
  readonly until: number | null;
}

export interface ScheduleEdit {
  /** The version of the schedule after the edit. */
  readonly version: number;
  readonly at: number;
  readonly who: string;
  readonly changes: readonly SettingChange[];
}

/** Facts for a user who watches a schedule. Times in ms since 1970. */
export interface ScheduleHealth {
  readonly name: string;
  readonly paused: boolean;
  readonly nextDue: number;
  /** The end of the last run that put everyone in place; null when there is none. */
  readonly success: number | null;
  /** Runs since then that ended otherwise, were missed, or wait for a person. */
  readonly unsuccessful: number;
}

export interface ScheduleCatalogReader {
  find(name: string): ScheduleRecord | undefined;
  /** By name. */
  list(): ScheduleRecord[];
  /** Newest first. */
  runs(schedule: string, limit: number): ScheduleRun[];
  /** Those that were due since then, oldest first. */
  runsSince(schedule: string, since: number): ScheduleRun[];
  findRun(id: number): ScheduleRun | undefined;
  /** Edits after a version, newest first. */
  edits(schedule: string, after: number): ScheduleEdit[];
  /** Pauses that ended since then, or have not ended, oldest first. */
  pausesSince(schedule: string, since: number): SchedulePause[];
  /** By name. */
  health(): ScheduleHealth[];
  close(): void;
}

type ScheduleVersion = Pick<ScheduleRecord, 'name' | 'version'>;

/** The schedules of the catalog, open for the process that owns the data directory. */
export interface ScheduleCatalog extends ScheduleCatalogReader {
  add(schedule: NewSchedule, at: number): void;
  /** Replaces the settings; false where it has another version by now. */
  edit(schedule: NewSchedule, edit: Omit<ScheduleEdit, 'version'> & { readonly before: number }): boolean;
  /** With its runs. */
  remove(name: string): void;
  setPaused(name: string, paused: boolean, times: { readonly at: number; readonly nextDue: number }): void;
  setDue(name: string, nextDue: number): void;
  /** Does nothing where the schedule has been edited since this version: it may have another source. */
  setCopy(schedule: ScheduleVersion, copy: Kept): void;
  /** Does nothing where the schedule has been edited since this version: the next run looks at the groups. */
  setPlaced(schedule: ScheduleVersion, hash: string | null): void;
  addRun(run: Omit<ScheduleRun, 'id' | 'syncId'>): ScheduleRun;
  setRun(id: number, state: RunState, reason: string): void;
  setRunSync(id: number, syncId: string): void;
  /** Runs that are under way, oldest first. */
  openRuns(): ScheduleRun[];
  /** Runs that wait for a person, oldest first. */
  waitingRuns(): ScheduleRun[];
  /** The run that a sync was made for. */
  runOfSync(syncId: string): ScheduleRun | undefined;
}

const STATEMENTS = new URL('schedule-catalog.sql', import.meta.url);

export function openScheduleCatalog(path: string): ScheduleCatalog {
  const database = openForWriting(path, CATALOG_SCHEMA);
  const sql = statementsOf(database, STATEMENTS);
  return {
    ...readerOf(database),
    add: (schedule, at) => {
      sql('add_schedule').run({ ...columnsOf(schedule), at });
    },
    edit: (schedule, { before, at, who, changes }) =>
      inTransaction(database, () => {
        if (sql('edit_schedule').run({ ...columnsOf(schedule), version: before }).changes === 0) return false;
        const noted = { schedule: schedule.name, version: before + 1, at, who, changes: JSON.stringify(changes) };
        sql('note_edit').run(noted);
        return true;
      }),
    remove: (name) => {
      sql('remove_schedule').run({ name });
    },
    setPaused: (name, paused, { at, nextDue }) =>
      inTransaction(database, () => {
        sql('set_paused').run({ name, paused: Number(paused), next_due: nextDue });
        sql(paused ? 'begin_pause' : 'end_pause').run({ schedule: name, at });
      }),
    setDue: (name, nextDue) => {
      sql('set_due').run({ name, next_due: nextDue });
    },
    setCopy: ({ name, version }, copy) => {
      sql('set_copy').run({ name, version, hash: copy.hash, etag: copy.version, modified: null });
    },
    setPlaced: ({ name, version }, hash) => {
      sql('set_placed').run({ name, version, hash });
    },
    addRun: ({ schedule, dueAt, at, state, reason, who }) =>
      runOf(sql<RunRow>('add_run').get({ schedule, due: dueAt, at, state, reason, who }) as RunRow),
    setRun: (id, state, reason) => {
      sql('set_run').run({ id, state, reason });
    },
    setRunSync: (id, syncId) => {
      sql('set_run_sync').run({ id, sync: syncId });
    },
    openRuns: () => sql<RunRow>('runs_in_state').all({ state: 'running' }).map(runOf),
    waitingRuns: () => sql<RunRow>('runs_in_state').all({ state: 'waiting' }).map(runOf),
    runOfSync: (syncId) => {
      const row = sql<RunRow>('run_of_sync').get({ sync: syncId });
      return row && runOf(row);
    },
  };
}

function columnsOf(schedule: NewSchedule) {
  const { name, cron, tz, file, source, headers, maxSource, protectFile, options, settings = {} } = schedule;
  return {
    name,
    cron,
    tz,
    file,
    source,
    options,
    headers: JSON.stringify(headers),
    source_settings: JSON.stringify(settings),
    max_source: maxSource,
    protect_file: protectFile,
    repair: Number(schedule.repair),
    catch_up: Number(schedule.catchUp),
    restricted: Number(schedule.restricted),
    next_due: schedule.nextDue,
  };
}

/** Opens the schedules of a catalog that its owner may be writing. */
export function openScheduleCatalogReader(path: string): ScheduleCatalogReader {
  return readerOf(openForReading(path, CATALOG_SCHEMA));
}

function readerOf(database: DatabaseSync): ScheduleCatalogReader {
  const sql = statementsOf(database, STATEMENTS);
  return {
    find: (name) => {
      const row = sql<ScheduleRow>('find_schedule').get({ name });
      return row && recordOf(row);
    },
    list: () => sql<ScheduleRow>('list_schedules').all().map(recordOf),
    runs: (schedule, limit) => sql<RunRow>('schedule_runs').all({ schedule, limit }).map(runOf),
    runsSince: (schedule, since) => sql<RunRow>('schedule_runs_since').all({ schedule, since }).map(runOf),
    findRun: (id) => {
      const row = sql<RunRow>('find_run').get({ id });
      return row && runOf(row);
    },
    edits: (schedule, after) =>
      sql<Omit<ScheduleEdit, 'changes'> & { readonly changes: string }>('schedule_edits')
        .all({ schedule, after })
        .map(({ changes, ...edit }) => ({ ...edit, changes: scheduleChanges.parse(JSON.parse(changes)) })),
    pausesSince: (schedule, since) => sql<SchedulePause>('pauses_since').all({ schedule, since }),
    health: () =>
      sql<HealthRow>('schedule_health')
        .all()
        .map(({ paused, next_due: nextDue, ...row }) => ({
          ...row,
          paused: paused === 1,
          nextDue,
        })),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

interface HealthRow extends Pick<ScheduleHealth, 'name' | 'success' | 'unsuccessful'> {
  readonly paused: number;
  readonly next_due: number;
}

interface ScheduleRow {
  readonly name: string;
  readonly cron: string;
  readonly tz: string;
  readonly file: string;
  readonly source: string;
  readonly headers: string;
  readonly source_settings: string;
  readonly max_source: number;
  readonly protect_file: string | null;
  readonly options: string;
  readonly repair: number;
  readonly catch_up: number;
  readonly version: number;
  readonly restricted: number;
  readonly paused: number;
  readonly created_at: number;
  readonly next_due: number;
  readonly copy_hash: string | null;
  readonly copy_etag: string | null;
  readonly copy_modified: string | null;
  readonly placed_hash: string | null;
}

function recordOf(row: ScheduleRow): ScheduleRecord {
  const { name, cron, tz, file, source, options, copy_hash: hash } = row;
  return {
    name,
    cron,
    tz,
    file,
    source,
    options,
    headers: headers.parse(JSON.parse(row.headers)),
    settings: sourceSettings.parse(JSON.parse(row.source_settings)),
    maxSource: row.max_source,
    protectFile: row.protect_file,
    repair: row.repair === 1,
    catchUp: row.catch_up === 1,
    version: row.version,
    restricted: row.restricted === 1,
    paused: row.paused === 1,
    createdAt: row.created_at,
    nextDue: row.next_due,
    copy: hash === null ? null : { hash, version: versionOf(row) },
    placedHash: row.placed_hash,
  };
}

/** It was in two columns once: what an https server calls a file, by ETag and by time. */
function versionOf({ copy_etag: etag, copy_modified: modified }: ScheduleRow): string | null {
  return modified === null ? etag : `${etag ?? ''}\n${modified}`;
}

interface RunRow extends Pick<ScheduleRun, 'id' | 'schedule' | 'at' | 'state' | 'reason' | 'who'> {
  readonly due_at: number;
  readonly sync_id: string | null;
}

function runOf({ due_at, sync_id, ...run }: RunRow): ScheduleRun {
  return { ...run, dueAt: due_at, syncId: sync_id };
}
