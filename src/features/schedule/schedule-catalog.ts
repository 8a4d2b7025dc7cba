import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Words } from '../../errors/named-options.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { CATALOG_SCHEMA } from '../../imports/schemas.ts';
import type { RunState } from '../../membership/sync-state.ts';
import { NAME, NAME_FORM } from '../../options/deciding-options.ts';
import { documentsOf, idsOf, openForReading, openForWriting, statementsOf } from '../../platform/sqlite.ts';
import { nextRun } from '../../queue/cron.ts';
import type { Kept } from '../../sources/spool.ts';
import { isoTime } from '../../text/wording.ts';
import { type KeptSettings, keptSettings, type ScheduleRun, schedule, scheduleRun } from './operations.ts';

/** A schedule as the catalog keeps it: its settings, and how far it is with its runs. Times are ms since 1970. */
const keptSchedule = z.strictObject({
  ...schedule.omit({ create: true, next: true, lastRun: true }).shape,
  sourceSettings: keptSettings.shape.sourceSettings,
  /** The time at which its times were set. */
  timedAt: z.int(),
  /** Counts unless it is paused. */
  nextDue: z.int(),
  /** The copy that is kept of what is behind an address; null: none. */
  copy: z.custom<Kept>().nullable(),
  /** SHA-256 of the source and of the files beside it that the last run applied completely; null when it did not. */
  placedHash: z.string().nullable(),
  /** Times in which nothing was due, oldest first; `until` is null while it is paused. */
  pauses: z.array(z.strictObject({ since: z.int(), until: z.int().nullable() })),
});
export type Schedule = Readonly<z.output<typeof keptSchedule>>;

/** Facts for a user who watches a schedule: `schedule_health` says what each is. */
export type ScheduleHealth = Readonly<
  Record<'name', string> & Record<'nextDue' | 'success', number | null> & Record<'unsuccessful', number>
>;

/** A setting of a schedule cannot be used. */
export function badSetting(field: string, what: string, remedy?: Words) {
  return new RollcallError('BAD_OPTION', { field, what, remedy });
}

/** Addresses of the API beside those of schedules: `/v1/schedules/next`. */
const TAKEN_NAMES: readonly string[] = ['next', 'look', 'try'];

/** Pauses that ended longer ago are forgotten, in ms. */
const PAUSES_MS = 40 * 86_400_000;

/** The same for the same settings. */
const textOf = (settings: KeptSettings) => JSON.stringify(keptSettings.strip().parse(settings));

const STATEMENTS = new URL('schedule-catalog.sql', import.meta.url);

/** Opens the schedules of a catalog for the process that owns the data directory. @param clock in ms since 1970 */
export function openScheduleCatalog(path: string, clock = Date.now) {
  const database = openForWriting(path, CATALOG_SCHEMA);
  const sql = statementsOf(database, STATEMENTS);
  const reader = readerOf(database);
  const save = (schedule: Schedule) => {
    sql('save_schedule').run({ name: schedule.name, schedule: JSON.stringify(schedule) });
    return schedule;
  };
  /** Nothing that runs of earlier settings found counts: the next run looks at the groups in any case. */
  const write = (name: string, settings: KeptSettings, before?: Schedule) => {
    const at = clock();
    const { cron, tz } = settings;
    const { version = 0, paused = false, createdAt = isoTime(at), pauses = [] } = before ?? {};
    const isSameTime = before?.cron === cron && before.tz === tz;
    const { timedAt = at, nextDue = nextRun(cron, tz, at) } = isSameTime ? before : {};
    const { copy = null } = before?.file === settings.file ? before : {};
    const progress = { timedAt, nextDue, copy, placedHash: null };
    return save({ ...settings, name, version: version + 1, paused, createdAt, pauses, ...progress });
  };
  return {
    ...reader,
    /** @throws BAD_OPTION where the name is taken, or cannot be one */
    add: (name: string, settings: KeptSettings) => {
      const shown = JSON.stringify(name);
      if (!NAME.test(name) || TAKEN_NAMES.includes(name)) {
        throw badSetting(
          'name',
          `${shown} cannot be the name of a schedule`,
          `allowed are ${NAME_FORM}, but not ${TAKEN_NAMES.join(', ')}`,
        );
      }
      if (reader.find(name) !== undefined)
        throw badSetting('name', `there is a schedule ${shown} already`, 'take another name, or edit that schedule');
      return write(name, settings);
    },
    /** Replaces all settings. @param version the one that the user has seen @throws UNKNOWN_SCHEDULE, EDITED_MEANWHILE */
    edit: (name: string, settings: KeptSettings, version: number) => {
      const before = reader.get(name);
      if (before.version !== version)
        throw new RollcallError('EDITED_MEANWHILE', { name, version: before.version, given: version });
      return textOf(before) === textOf(settings) ? before : write(name, settings, before);
    },
    /** Nothing is due while it is paused, nor missed. @throws UNKNOWN_SCHEDULE */
    setPaused: (name: string, paused: boolean) => {
      const before = reader.get(name);
      if (before.paused === paused) return before;
      const at = clock();
      const ended = before.pauses
        .map(({ since, until }) => ({ since, until: until ?? at }))
        .filter(({ until }) => until > at - PAUSES_MS);
      const pauses = paused ? [...ended, { since: at, until: null }] : ended;
      return save({ ...before, paused, pauses, nextDue: nextRun(before.cron, before.tz, at) });
    },
    /** Notes what its runs found. Does nothing where it has been edited since this version: it may have another source. */
    note: ({ name, version }: Schedule, found: Partial<Pick<Schedule, 'nextDue' | 'copy' | 'placedHash'>>) => {
      const now = reader.find(name);
      if (now?.version === version) save({ ...now, ...found });
    },
    /** With its runs. */
    remove: (name: string) => void sql('remove_schedule').run({ name }),
    addRun: ({ schedule, ...begun }: Omit<ScheduleRun, 'id' | 'syncId' | 'sync'>) => {
      const run = { ...begun, syncId: null };
      const [id] = idsOf(sql('add_run').all({ schedule, run: JSON.stringify(run) }));
      return { ...run, schedule, id: Number(id), sync: null };
    },
    changeRun: (id: number, changes: Partial<Pick<ScheduleRun, 'state' | 'reason' | 'syncId'>>) =>
      void sql('change_run').run({ id, changes: JSON.stringify(changes) }),
  };
}
export type ScheduleCatalog = ReturnType<typeof openScheduleCatalog>;

export function openScheduleCatalogReader(path: string) {
  return readerOf(openForReading(path, CATALOG_SCHEMA));
}
export type ScheduleCatalogReader = ReturnType<typeof openScheduleCatalogReader>;

function readerOf(database: DatabaseSync) {
  const sql = statementsOf(database, STATEMENTS);
  const schedules = documentsOf(sql, keptSchedule);
  const runs = documentsOf(sql, scheduleRun);
  const find = (name: string) => schedules('find_schedule', { name })[0];
  const close = () => database[Symbol.dispose]();
  return {
    find,
    /** @throws UNKNOWN_SCHEDULE */
    get: (name: string) => {
      const found = find(name);
      if (found === undefined) throw new RollcallError('UNKNOWN_SCHEDULE', { name });
      return found;
    },
    list: () => schedules('list_schedules'),
    /** Newest first. */
    runs: (schedule: string, limit: number) => runs('schedule_runs', { schedule, limit }),
    /** Those that were due since then (ms since 1970), oldest first. */
    runsSince: (schedule: string, since: number) => runs('schedule_runs_since', { schedule, since: isoTime(since) }),
    /** Oldest first. */
    runsIn: (state: RunState) => runs('runs_in_state', { state }),
    findRun: (id: number) => runs('find_run', { id })[0],
    /** The run that a sync was made for. */
    runOfSync: (syncId: string) => runs('run_of_sync', { sync: syncId })[0],
    health: () => sql<ScheduleHealth>('schedule_health').all(),
    close,
    [Symbol.dispose]: close,
  };
}
