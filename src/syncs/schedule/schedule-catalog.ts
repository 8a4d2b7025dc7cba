import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { CATALOG_MIGRATIONS } from '../../imports/schemas.ts';
import type { RunState } from '../../membership/sync-state.ts';
import { inTransaction, openForReading, openForWriting, statementsOf } from '../../platform/sqlite.ts';

/** Syncs that begin by themselves, as the catalog keeps them. Times are ms since 1970. */

export interface ScheduleRecord {
  readonly name: string;
  readonly cron: string;
  readonly tz: string;
  /** Path, glob or https URL, as the user named it. */
  readonly file: string;
  /** The same as it is read: paths are whole. */
  readonly source: string;
  /** Header of the request → environment variable that has its value. */
  readonly headers: Readonly<Record<string, string>>;
  /** Most bytes that are fetched. */
  readonly maxSource: number;
  readonly protectFile: string | null;
  /** JSON of how it is read and decided. */
  readonly options: string;
  readonly repair: boolean;
  readonly catchUp: boolean;
  readonly paused: boolean;
  readonly createdAt: number;
  /** Counts unless it is paused. */
  readonly nextDue: number;
  /** The copy of an https source that is kept, and how its server calls it; null: none. */
  readonly copy: SourceCopy | null;
  /** SHA-256 of the source that the last run has put in place as a whole; null when it has not. */
  readonly placedHash: string | null;
}

export interface SourceCopy {
  /** SHA-256. */
  readonly hash: string;
  readonly etag: string | null;
  readonly modified: string | null;
}

export type NewSchedule = Omit<ScheduleRecord, 'paused' | 'createdAt' | 'copy' | 'placedHash'>;

export interface ScheduleRun {
  readonly id: number;
  readonly schedule: string;
  readonly dueAt: number;
  /** When it began, or was noted. */
  readonly at: number;
  readonly state: RunState;
  /** Why it is in this state, in a sentence. */
  readonly reason: string;
  /** Who asked for it; empty: the schedule. */
  readonly who: string;
  readonly syncId: string | null;
}

/** A row that the last run could not put in place, and since when that is so. */
export interface ScheduleFailure {
  readonly region: string;
  readonly guid: string;
  readonly uid: string;
  readonly code: string;
  readonly since: number;
}

export interface FailureCount {
  readonly rows: number;
  /** Of those, rows that failed in an earlier run in the same way. */
  readonly earlier: number;
  /** Since when the oldest of them fails; null where none does. */
  readonly since: number | null;
}

/** What a user who watches a schedule wants to know. Times in ms since 1970. */
export interface ScheduleHealth {
  readonly name: string;
  readonly paused: boolean;
  readonly nextDue: number;
  /** When the last run that put everybody in place ended; null when none has. */
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
  findRun(id: number): ScheduleRun | undefined;
  /** By name. */
  health(): ScheduleHealth[];
  /** The oldest first. */
  failures(schedule: string, limit: number): ScheduleFailure[];
  close(): void;
}

/** The schedules of the catalog, open for the process that owns the data directory. */
export interface ScheduleCatalog extends ScheduleCatalogReader {
  /** Who this data directory is to others that share its queue. */
  owner(): string;
  add(schedule: NewSchedule, at: number): void;
  /** With its runs. */
  remove(name: string): void;
  setPaused(name: string, paused: boolean, nextDue: number): void;
  setDue(name: string, nextDue: number): void;
  setCopy(name: string, copy: SourceCopy): void;
  setPlaced(name: string, hash: string | null): void;
  addRun(run: Omit<ScheduleRun, 'id' | 'syncId'>): ScheduleRun;
  setRun(id: number, state: RunState, reason: string): void;
  setRunSync(id: number, syncId: string): void;
  /** Runs that are under way, oldest first. */
  openRuns(): ScheduleRun[];
  /** Runs that wait for a person, oldest first. */
  waitingRuns(): ScheduleRun[];
  /** The run that a sync was made for. */
  runOfSync(syncId: string): ScheduleRun | undefined;
  /** Puts the rows that failed in a run in place of those of the run before, a piece at a time. Repeating it is harmless. */
  setFailures(run: ScheduleRun, rows: Iterable<Omit<ScheduleFailure, 'since'>>): Promise<FailureCount>;
}

/** Rows that are noted in one transaction: some ten milliseconds. */
const FAILURES_AT_ONCE = 1_000;

const STATEMENTS = new URL('schedule-catalog.sql', import.meta.url);

export function openScheduleCatalog(path: string): ScheduleCatalog {
  const database = openForWriting(path, CATALOG_MIGRATIONS);
  const sql = statementsOf(database, STATEMENTS);
  return {
    ...readerOf(database),
    owner: () => String(sql('schedules_owner').get()?.['id']),
    add: ({ name, cron, tz, file, source, headers, maxSource, protectFile, options, repair, catchUp, nextDue }, at) => {
      sql('add_schedule').run({
        ...{ name, cron, tz, file, source, options, at },
        headers: JSON.stringify(headers),
        max_source: maxSource,
        protect_file: protectFile,
        repair: Number(repair),
        catch_up: Number(catchUp),
        next_due: nextDue,
      });
    },
    remove: (name) => {
      sql('remove_schedule').run({ name });
    },
    setPaused: (name, paused, nextDue) => {
      sql('pause_schedule').run({ name, paused: Number(paused), next_due: nextDue });
    },
    setDue: (name, nextDue) => {
      sql('set_due').run({ name, next_due: nextDue });
    },
    setCopy: (name, { hash, etag, modified }) => {
      sql('set_copy').run({ name, hash, etag, modified });
    },
    setPlaced: (name, hash) => {
      sql('set_placed').run({ name, hash });
    },
    addRun: ({ schedule, dueAt, at, state, reason, who }) =>
      runOf(sql('add_run').get({ schedule, due: dueAt, at, state, reason, who }) as unknown as RunRow),
    setRun: (id, state, reason) => {
      sql('set_run').run({ id, state, reason });
    },
    setRunSync: (id, syncId) => {
      sql('set_run_sync').run({ id, sync: syncId });
    },
    openRuns: () => (sql('runs_in_state').all({ state: 'running' }) as unknown as RunRow[]).map(runOf),
    waitingRuns: () => (sql('runs_in_state').all({ state: 'waiting' }) as unknown as RunRow[]).map(runOf),
    runOfSync: (syncId) => {
      const row = sql('run_of_sync').get({ sync: syncId }) as unknown as RunRow | undefined;
      return row && runOf(row);
    },
    setFailures: async ({ id, schedule, at }, rows) => {
      const note = (piece: readonly Omit<ScheduleFailure, 'since'>[]) =>
        inTransaction(database, () => {
          for (const { region, guid, uid, code } of piece) {
            sql('note_failure').run({ schedule, region, guid, uid, code, at, run: id });
          }
        });
      // Others wait for this thread and for the catalog.
      for (const piece of inPieces(rows, FAILURES_AT_ONCE)) {
        note(piece);
        await setImmediate();
      }
      const wish = { schedule, run: id, limit: FAILURES_AT_ONCE };
      while (Number(sql('forget_failures').run(wish).changes) === FAILURES_AT_ONCE) await setImmediate();
      return sql('count_failures').get({ schedule, at }) as unknown as FailureCount;
    },
  };
}

function* inPieces<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let piece: Item[] = [];
  for (const item of items) {
    if (piece.push(item) < size) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

/** Opens the schedules of a catalog that its owner may be writing. */
export function openScheduleCatalogReader(path: string): ScheduleCatalogReader {
  return readerOf(openForReading(path));
}

function readerOf(database: DatabaseSync): ScheduleCatalogReader {
  const sql = statementsOf(database, STATEMENTS);
  return {
    find: (name) => {
      const row = sql('find_schedule').get({ name }) as unknown as ScheduleRow | undefined;
      return row && recordOf(row);
    },
    list: () => (sql('list_schedules').all() as unknown as ScheduleRow[]).map(recordOf),
    runs: (schedule, limit) => (sql('schedule_runs').all({ schedule, limit }) as unknown as RunRow[]).map(runOf),
    findRun: (id) => {
      const row = sql('find_run').get({ id }) as unknown as RunRow | undefined;
      return row && runOf(row);
    },
    health: () =>
      (sql('schedule_health').all() as unknown as HealthRow[]).map(({ paused, next_due: nextDue, ...row }) => ({
        ...row,
        paused: paused === 1,
        nextDue,
      })),
    failures: (schedule, limit) => sql('failures').all({ schedule, limit }) as unknown as ScheduleFailure[],
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
  readonly max_source: number;
  readonly protect_file: string | null;
  readonly options: string;
  readonly repair: number;
  readonly catch_up: number;
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
    ...{ name, cron, tz, file, source, options },
    headers: JSON.parse(row.headers),
    maxSource: row.max_source,
    protectFile: row.protect_file,
    repair: row.repair === 1,
    catchUp: row.catch_up === 1,
    paused: row.paused === 1,
    createdAt: row.created_at,
    nextDue: row.next_due,
    copy: hash === null ? null : { hash, etag: row.copy_etag, modified: row.copy_modified },
    placedHash: row.placed_hash,
  };
}

interface RunRow extends Pick<ScheduleRun, 'id' | 'schedule' | 'at' | 'state' | 'reason' | 'who'> {
  readonly due_at: number;
  readonly sync_id: string | null;
}

function runOf({ due_at, sync_id, ...run }: RunRow): ScheduleRun {
  return { ...run, dueAt: due_at, syncId: sync_id };
}
