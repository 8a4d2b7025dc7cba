import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Words } from '../../errors/named-options.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { CATALOG_SCHEMA } from '../../imports/schemas.ts';
import type { RunState } from '../../membership/sync-state.ts';
import { idsOf, openForReading, openForWriting, statementsOf } from '../../platform/sqlite.ts';
import type { Kept } from '../../sources/spool.ts';
import { machineSettings, type ScheduleRunView, schedule } from './operations.ts';

/** A schedule as the catalog keeps it: its settings, and how far it is with its runs. Times are ms since 1970. */
const keptSchedule = z.strictObject({
  ...schedule.omit({ create: true, next: true, lastRun: true }).shape,
  sourceSettings: machineSettings.shape.sourceSettings,
  /** The time at which its times were set. */
  timedAt: z.int(),
  /** Counts unless it is paused. */
  nextDue: z.int(),
  /** The copy that is kept of what is behind an address; null: none. */
  copy: z.custom<Kept>().nullable(),
  /** SHA-256 of the source that the last run applied completely; null when it did not. */
  placedHash: z.string().nullable(),
  /** Times in which nothing was due, oldest first; `until` is null while it is paused. */
  pauses: z.array(z.strictObject({ since: z.int(), until: z.int().nullable() })),
});
export type Schedule = Readonly<z.output<typeof keptSchedule>>;
export type SchedulePause = Schedule['pauses'][number];

export interface ScheduleRun extends Readonly<Omit<ScheduleRunView, 'dueAt' | 'at'>> {
  readonly schedule: string;
  readonly dueAt: number;
  /** The time at which it began, or was noted. */
  readonly at: number;
  /** The sync that it began, also before that is written down. */
  readonly syncId: string | null;
}

/** Facts for a user who watches a schedule. Times in ms since 1970. */
export interface ScheduleHealth {
  readonly name: string;
  /** Null while it is paused. */
  readonly nextDue: number | null;
  /** The end of the last run that put everyone in place; null when there is none. */
  readonly success: number | null;
  /** Runs since then that ended otherwise, were missed, or wait for a person. */
  readonly unsuccessful: number;
}

/** A setting of a schedule cannot be used. */
export function badSetting(field: string, what: string, remedy?: Words): RollcallError {
  return new RollcallError('BAD_OPTION', { field, what, remedy });
}

const STATEMENTS = new URL('schedule-catalog.sql', import.meta.url);

/** Opens the schedules of a catalog for the process that owns the data directory. */
export function openScheduleCatalog(path: string) {
  const database = openForWriting(path, CATALOG_SCHEMA);
  const sql = statementsOf(database, STATEMENTS);
  const reader = readerOf(database);
  const save = (schedule: Schedule): Schedule => {
    sql('save_schedule').run({ name: schedule.name, schedule: JSON.stringify(schedule) });
    return schedule;
  };
  return {
    ...reader,
    /** Adds a schedule, or writes it as it is now. */
    save,
    /** Notes what its runs found. Does nothing where it has been edited since this version: it may have another source. */
    note: (
      { name, version }: Pick<Schedule, 'name' | 'version'>,
      found: Partial<Pick<Schedule, 'nextDue' | 'copy' | 'placedHash'>>,
    ) => {
      const now = reader.find(name);
      if (now?.version === version) save({ ...now, ...found });
    },
    /** With its runs. */
    remove: (name: string) => void sql('remove_schedule').run({ name }),
    addRun: (run: Omit<ScheduleRun, 'id' | 'syncId' | 'sync'>): ScheduleRun => {
      const [id] = idsOf(sql('add_run').all({ ...run }));
      return { ...run, id: Number(id), syncId: null, sync: null };
    },
    setRun: (id: number, state: RunState, reason: string) => void sql('set_run').run({ id, state, reason }),
    setRunSync: (id: number, syncId: string) => void sql('set_run_sync').run({ id, sync: syncId }),
    /** Oldest first. */
    runsIn: (state: RunState) => runsOf(sql('runs_in_state').all({ state })),
    /** The run that a sync was made for. */
    runOfSync: (syncId: string) => runsOf(sql('run_of_sync').all({ sync: syncId }))[0],
  };
}
export type ScheduleCatalog = ReturnType<typeof openScheduleCatalog>;

/** Opens the schedules of a catalog that its owner may be writing. */
export function openScheduleCatalogReader(path: string) {
  return readerOf(openForReading(path, CATALOG_SCHEMA));
}
export type ScheduleCatalogReader = ReturnType<typeof openScheduleCatalogReader>;

function readerOf(database: DatabaseSync) {
  const sql = statementsOf(database, STATEMENTS);
  const schedules = (name: string, values = {}) =>
    sql<{ readonly schedule: string }>(name)
      .all(values)
      .map((row): Schedule => keptSchedule.parse(JSON.parse(row.schedule)));
  const find = (name: string) => schedules('find_schedule', { name })[0];
  const close = () => database[Symbol.dispose]();
  return {
    find,
    /** @throws RollcallError where there is none */
    get: (name: string) => {
      const found = find(name);
      if (found === undefined) throw new RollcallError('UNKNOWN_SCHEDULE', { name: name });
      return found;
    },
    /** By name. */
    list: () => schedules('list_schedules'),
    /** Newest first. */
    runs: (schedule: string, limit: number) => runsOf(sql('schedule_runs').all({ schedule, limit })),
    /** Those that were due since then, oldest first. */
    runsSince: (schedule: string, since: number) => runsOf(sql('schedule_runs_since').all({ schedule, since })),
    findRun: (id: number) => runsOf(sql('find_run').all({ id }))[0],
    /** By name. */
    health: () => sql<ScheduleHealth>('schedule_health').all(),
    close,
    [Symbol.dispose]: close,
  };
}

function runsOf(rows: readonly object[]): ScheduleRun[] {
  return (rows as readonly (Omit<ScheduleRun, 'sync'> & { readonly sync: string | null })[]).map((row) => ({
    ...row,
    sync: row.sync === null ? null : JSON.parse(row.sync),
  }));
}
