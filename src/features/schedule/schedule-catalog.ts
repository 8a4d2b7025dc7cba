import type { DatabaseSync } from 'node:sqlite';
import type { Words } from '../../errors/named-options.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { CATALOG_SCHEMA } from '../../imports/schemas.ts';
import type { RunState } from '../../membership/sync-state.ts';
import { inTransaction, openForReading, openForWriting, statementsOf } from '../../platform/sqlite.ts';
import type { Kept } from '../../sources/spool.ts';
import { utcTime } from '../../text/wording.ts';
import { type KeptSettings, keptSettings, type ScheduleRunView } from './api.ts';

/** Syncs that begin by themselves, as the catalog keeps them. Times are ms since 1970. */

/** The settings of a schedule, and how far it is with its runs. */
export interface Schedule extends KeptSettings {
  readonly name: string;
  /** Counts up with every edit. */
  readonly version: number;
  /** The time at which its times were set. */
  readonly timedAt: number;
  readonly paused: boolean;
  readonly createdAt: number;
  /** Counts unless it is paused. */
  readonly nextDue: number;
  /** The copy that is kept of what is behind an address; null: none. */
  readonly copy: Kept | null;
  /** SHA-256 of the source that the last run applied completely; null when it did not. */
  readonly placedHash: string | null;
}

export interface ScheduleRun extends Readonly<Omit<ScheduleRunView, 'dueAt' | 'at' | 'sync'>> {
  readonly schedule: string;
  readonly dueAt: number;
  /** The time at which it began, or was noted. */
  readonly at: number;
  readonly syncId: string | null;
}

/** A time in which nothing was due. */
export interface SchedulePause {
  readonly since: number;
  /** Null: it is still paused. */
  readonly until: number | null;
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

type ScheduleCode = 'WRONG_STATE' | 'UNKNOWN_SCHEDULE' | 'BAD_SCHEDULE';

/** The schedule's current state does not allow the request. */
export class ScheduleError extends RollcallError {
  declare readonly code: ScheduleCode;

  constructor(what: string, remedy?: Words, code: ScheduleCode = 'WRONG_STATE', field?: string) {
    super(code, what, { remedy, ...(field !== undefined && { facts: { field } }) });
  }

  /** A setting of a schedule cannot be used. */
  static bad(field: string, what: string, remedy?: Words): ScheduleError {
    return new ScheduleError(what, remedy, 'BAD_SCHEDULE', field);
  }

  static running({ schedule, dueAt, reason, syncId }: ScheduleRun): ScheduleError {
    return new ScheduleError(
      `schedule ${schedule} is not over with its run of ${utcTime(dueAt)}: ${reason}`,
      syncId === null ? undefined : `if no process is running it, continue it: rollcall sync apply ${syncId}`,
    );
  }

  static unknown(name: string): ScheduleError {
    return new ScheduleError(
      `no schedule is named ${JSON.stringify(name)}`,
      '`rollcall schedule list` shows those that there are',
      'UNKNOWN_SCHEDULE',
    );
  }
}

/** Another user has edited the schedule since this user read it. Nothing was changed. */
export class EditedMeanwhile extends RollcallError {
  constructor(name: string, version: number, given: number) {
    super('EDITED_MEANWHILE', `schedule ${name} was edited meanwhile: it has version ${version}, and not ${given}`, {
      remedy: 'look at its settings as they are now, and make your change to them',
      kind: 'usage',
    });
  }
}

type ScheduleVersion = Pick<Schedule, 'name' | 'version'>;

const STATEMENTS = new URL('schedule-catalog.sql', import.meta.url);

/** Opens the schedules of a catalog for the process that owns the data directory. */
export function openScheduleCatalog(path: string) {
  const database = openForWriting(path, CATALOG_SCHEMA);
  const sql = statementsOf(database, STATEMENTS);
  return {
    ...readerOf(database),
    add: (name: string, settings: KeptSettings, at: number, nextDue: number) => {
      sql('add_schedule').run({ name, settings: settingsText(settings), at, next_due: nextDue });
    },
    edit: (
      name: string,
      settings: KeptSettings,
      { timedAt, nextDue, copy }: Pick<Schedule, 'timedAt' | 'nextDue' | 'copy'>,
    ) => {
      const text = settingsText(settings);
      sql('edit_schedule').run({ name, settings: text, timed_at: timedAt, next_due: nextDue, copy: copyText(copy) });
    },
    /** With its runs. */
    remove: (name: string) => {
      sql('remove_schedule').run({ name });
    },
    setPaused: (name: string, paused: boolean, at: number, nextDue: number) =>
      inTransaction(database, () => {
        sql('set_paused').run({ name, paused: Number(paused), next_due: nextDue });
        sql(paused ? 'begin_pause' : 'end_pause').run({ schedule: name, at });
      }),
    setDue: (name: string, nextDue: number) => {
      sql('set_due').run({ name, next_due: nextDue });
    },
    /** Does nothing where the schedule has been edited since this version: it may have another source. */
    setCopy: ({ name, version }: ScheduleVersion, copy: Kept) => {
      sql('set_copy').run({ name, version, copy: copyText(copy) });
    },
    /** Does nothing where the schedule has been edited since this version: the next run looks at the groups. */
    setPlaced: ({ name, version }: ScheduleVersion, hash: string | null) => {
      sql('set_placed').run({ name, version, hash });
    },
    addRun: ({ schedule, dueAt, at, state, reason, who }: Omit<ScheduleRun, 'id' | 'syncId'>) =>
      sql<ScheduleRun>('add_run').get({ schedule, due: dueAt, at, state, reason, who }) as ScheduleRun,
    setRun: (id: number, state: RunState, reason: string) => {
      sql('set_run').run({ id, state, reason });
    },
    setRunSync: (id: number, syncId: string) => {
      sql('set_run_sync').run({ id, sync: syncId });
    },
    /** Runs that are under way, oldest first. */
    openRuns: () => sql<ScheduleRun>('runs_in_state').all({ state: 'running' }),
    /** Runs that wait for a person, oldest first. */
    waitingRuns: () => sql<ScheduleRun>('runs_in_state').all({ state: 'waiting' }),
    /** The run that a sync was made for. */
    runOfSync: (syncId: string) => sql<ScheduleRun>('run_of_sync').get({ sync: syncId }),
  };
}
export type ScheduleCatalog = ReturnType<typeof openScheduleCatalog>;

/** Returns the stored text; it is the same for the same settings. */
export function settingsText(settings: KeptSettings): string {
  return JSON.stringify(keptSettings.strip().parse(settings));
}

function copyText(kept: Kept | null): string | null {
  return kept === null ? null : JSON.stringify(kept);
}

/** Opens the schedules of a catalog that its owner may be writing. */
export function openScheduleCatalogReader(path: string) {
  return readerOf(openForReading(path, CATALOG_SCHEMA));
}
export type ScheduleCatalogReader = ReturnType<typeof openScheduleCatalogReader>;

function readerOf(database: DatabaseSync) {
  const sql = statementsOf(database, STATEMENTS);
  const find = (name: string) => {
    const row = sql<ScheduleRow>('find_schedule').get({ name });
    return row && scheduleOf(row);
  };
  return {
    find,
    /** @throws ScheduleError where there is none */
    get: (name: string) => {
      const record = find(name);
      if (record === undefined) throw ScheduleError.unknown(name);
      return record;
    },
    /** By name. */
    list: () => sql<ScheduleRow>('list_schedules').all().map(scheduleOf),
    /** Newest first. */
    runs: (schedule: string, limit: number) => sql<ScheduleRun>('schedule_runs').all({ schedule, limit }),
    /** Those that were due since then, oldest first. */
    runsSince: (schedule: string, since: number) => sql<ScheduleRun>('schedule_runs_since').all({ schedule, since }),
    findRun: (id: number) => sql<ScheduleRun>('find_run').get({ id }),
    /** Pauses that ended since then, or have not ended, oldest first. */
    pausesSince: (schedule: string, since: number) => sql<SchedulePause>('pauses_since').all({ schedule, since }),
    /** By name. */
    health: (): ScheduleHealth[] =>
      sql<Omit<ScheduleHealth, 'paused'> & { readonly paused: number }>('schedule_health')
        .all()
        .map((row) => ({ ...row, paused: row.paused === 1 })),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

interface ScheduleRow extends Pick<Schedule, 'name' | 'version' | 'timedAt' | 'nextDue' | 'createdAt' | 'placedHash'> {
  readonly settings: string;
  readonly paused: number;
  readonly copy: string | null;
}

function scheduleOf({ settings, paused, copy, ...state }: ScheduleRow): Schedule {
  return {
    ...keptSettings.parse(JSON.parse(settings)),
    ...state,
    paused: paused === 1,
    copy: copy === null ? null : (JSON.parse(copy) as Kept),
  };
}
