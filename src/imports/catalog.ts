import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { ImportTotals } from '../api/import-summary.ts';
import type { ImportFilter } from '../api/imports.ts';
import type { Words } from '../errors/named-options.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import { type ImportState, isFinal, isUnderWay, transition } from '../membership/import-state.ts';
import type { SyncState } from '../membership/sync-state.ts';
import { isLedgerError } from '../platform/database-errors.ts';
import {
  idsOf,
  inTransaction,
  openForReading,
  openForWriting,
  type Statements,
  statementsOf,
} from '../platform/sqlite.ts';
import { isObject, isTexts, storedJson } from '../platform/stored-json.ts';
import { withoutAddress } from '../text/address-text.ts';
import type { ImportRecord } from './import-record.ts';
import type { ReasonCode } from './reason-codes.ts';
import { CATALOG_SCHEMA } from './schemas.ts';

export type { ImportRecord };

/** A state change of an import; `at` in ms since 1970. */
export type Transition = Pick<ImportRecord, 'state' | 'reason'> & { readonly at: number };

export type CatalogReader = ReturnType<typeof catalogReader>;

/** The catalog, open for the coordinator, its only writer. */
export type Catalog = ReturnType<typeof openCatalog>;

const STATEMENTS = new URL('catalog.sql', import.meta.url);

export function openCatalog(path: string) {
  const database = openForWriting(path, CATALOG_SCHEMA);
  const sql = statementsOf(database, STATEMENTS);
  const reader = catalogReader(database);
  const keep = (id: string) => {
    const record = reader.get(id);
    keepRecord(path, record);
    return record;
  };
  const set = (statement: string) => (id: string, value: string) => {
    sql(statement).run({ id, value });
    keep(id);
  };
  return {
    ...reader,
    ...attendanceIn(sql),
    /** The id of this data directory for workers of other processes. */
    coordinatorId: () => String(sql('coordinator').get()?.['id']),
    workIn: (file: string, root: string) => {
      sql('work_in').run(file, root);
    },
    add: (
      made: Pick<ImportRecord, 'id' | 'file' | 'source' | 'options' | 'retryOf'> &
        Partial<Pick<ImportRecord, 'createdBy' | 'tags'>>,
    ) => {
      const createdAt = Date.now();
      inTransaction(database, () => add(sql, { ...NEW_IMPORT, ...made, createdAt }, createdAt));
      keep(made.id);
    },
    /** Changes the state of an import, or throws WRONG_STATE. The only function that changes a state. */
    move: (id: string, to: ImportState, detail?: string, code?: ReasonCode, remedy?: Words) => {
      inTransaction(database, () => {
        const record = reader.get(id);
        const usual = transition(record.state, to);
        const reason = detail ?? usual;
        const at = Date.now();
        sql('move').run({
          id,
          state: to,
          reason,
          code: code ?? null,
          remedy: remedy === undefined ? null : JSON.stringify(remedy),
          under_way: Number(isUnderWay(to)),
          started: to === 'running' ? at : null,
          finished: isFinal(to) ? at : null,
        });
        sql('journal').run({ id, at, state: to, reason });
      });
      return keep(id);
    },
    setOptions: set('set_options'),
    setTags: set('set_tags'),
    /** Keeps the totals of an import that has ended, or is about to. */
    setTotals: (id: string, totals: ImportTotals) => set('set_totals')(id, JSON.stringify(totals)),
    /** The rows of an import that need attention are left as they are; more of them need attention again. */
    dismiss: (id: string) => {
      sql('dismiss').run({ id });
    },
    /** Replaces the numbers of rows that need a person, by code. */
    setProblems: (id: string, problems: readonly { readonly code: string; readonly rows: number }[]) =>
      inTransaction(database, () => {
        sql('forget_problems').run({ id });
        for (const { code, rows } of problems) sql('note_problems').run({ id, code, rows });
      }),
    /** Imports that have not finished, oldest first. */
    unfinished: () => sql<ImportRecord>('unfinished').all(),
    /** Ids of imports that had finished before `before` (ms since 1970), oldest first. */
    finishedBefore: (before: number) => idsOf(sql('finished_before').all({ before })),
    /** Deletes an import and its transitions; retries of it stay. */
    remove: (id: string) =>
      inTransaction(database, () => {
        sql('forget_origin').run({ id });
        sql('remove').run({ id });
      }),
    /** For a new catalog (rebuild-catalog.ts). */
    restore: (records: readonly ImportRecord[]) => inTransaction(database, () => restore(sql, records)),
  };
}

/** The imports that this process works on, and how often one died with them. */
function attendanceIn(sql: Statements) {
  return {
    /** This process works on an import from now on. If it dies before `leaveAll`, the next `countDeaths` counts that. */
    attend: (id: string) => {
      sql('attend').run({ id });
    },
    /** The import made progress: earlier deaths no longer count. Every state change does the same. */
    progressed: (id: string) => {
      sql('progressed').run({ id });
    },
    leaveAll: () => {
      sql('leave_all').run();
    },
    /** Call it at the start of a process, before `attend`. */
    countDeaths: () => {
      sql('count_deaths').run();
    },
    /** Returns how often a process died while it worked on the import, without progress in between. */
    deaths: (id: string) => Number(sql('deaths').get({ id })?.['deaths'] ?? 0),
  };
}

const NEW_IMPORT = {
  state: 'staging',
  reason: 'created',
  code: null,
  remedy: null,
  createdBy: '',
  tags: '[]',
  totals: null,
  startedAt: null,
  finishedAt: null,
} as const;

function add(sql: Statements, record: ImportRecord, at: number, reason = record.reason) {
  sql('add').run(record);
  sql('journal').run({ id: record.id, at, state: record.state, reason });
}

function restore(sql: Statements, records: readonly ImportRecord[]) {
  const ids = new Set(records.map(({ id }) => id));
  // An import before those that retry it.
  for (const record of records.toSorted((one, other) => one.createdAt - other.createdAt)) {
    const retryOf = record.retryOf !== null && ids.has(record.retryOf) ? record.retryOf : null;
    add(sql, { ...record, retryOf }, Date.now(), 'the catalog was rebuilt');
  }
}

/** There is a catalog of which every page can be read. */
export function isIntact(path: string) {
  if (!existsSync(path)) return false;
  try {
    using database = openForReading(path, CATALOG_SCHEMA);
    return database.prepare('pragma quick_check').get()?.['quick_check'] === 'ok';
  } catch (error) {
    if (isLedgerError(error) && error.code === 'DAMAGED_LEDGER') return false;
    throw error;
  }
}

export function openCatalogReader(path: string) {
  return catalogReader(openForReading(path, CATALOG_SCHEMA));
}

function catalogReader(database: DatabaseSync) {
  const sql = statementsOf(database, STATEMENTS);
  const find = (id: string) => sql<ImportRecord>('find').get({ id });
  const close = () => database[Symbol.dispose]();
  return {
    find,
    /** @throws UNKNOWN_IMPORT */
    get: (id: string) => {
      const record = find(id);
      if (record === undefined) throw new RollcallError('UNKNOWN_IMPORT', { id: withoutAddress(id) });
      return record;
    },
    /** Newest first. */
    list: (limit: number) => sql<ImportRecord>('list').all({ limit }),
    /**
     * A page of the list. `next` is the start of the next one (`before`), absent on the last one; it stays valid while imports
     * are added and removed. @throws BAD_CURSOR when `before` is not a `next`
     */
    page: ({
      before,
      limit,
      state,
      kind,
      tags,
      ...filter
    }: ImportFilter & { readonly before?: string; readonly limit: number }): {
      readonly imports: ImportRecord[];
      readonly next?: string;
    } => {
      const listed = (values: readonly string[] | undefined) => (values === undefined ? null : JSON.stringify(values));
      // One more than asked for shows whether there is a next page.
      const found = sql<ImportRecord>('page').all({
        ...placeOfCursor(before),
        limit: limit + 1,
        states: listed(state),
        kinds: listed(kind),
        tags: listed(tags),
        search: filter.search ?? null,
        since: filter.from ?? 0,
        until: filter.to ?? Number.MAX_SAFE_INTEGER,
        // Empty: anyone.
        created_by: filter.createdBy || null,
        problems: Number(filter.problems === true),
      });
      const imports = found.slice(0, limit);
      const last = imports.at(-1);
      return found.length > limit && last !== undefined ? { imports, next: cursorOf(last) } : { imports };
    },
    counts: () =>
      new Map(
        sql<{ state: ImportState; imports: number }>('count_imports')
          .all()
          .map(({ state, imports }) => [state, imports]),
      ),
    /** Imports that are over with rows that need attention, and that nobody has dismissed or cancelled, those with most rows first. */
    attention: (limit: number) => sql<ImportRecord>('attention').all({ limit }),
    /** Ids of imports that an undo has reversed. */
    undone: () => new Set(idsOf(sql('undone').all())),
    /** Ids of the last imports of the same source that were completed before this one, newest first. */
    sameSourceBefore: (id: string) => idsOf(sql('same_source_before').all({ id })),
    /** Imports that retry rows of this one, oldest first. */
    retries: (id: string) => sql<ImportRecord>('retries').all({ id }),
    /** Syncs that undo this import, oldest first, each with the import that carries it out. */
    undos: (id: string) => sql<{ id: string; state: SyncState; importId: string | null }>('undos').all({ id }),
    /** The file of the catalog (platform/files.ts; null: none yet) and the data directory in which it was last worked with. */
    workedIn: () => sql<{ file: string | null; root: string }>('worked_in').get() ?? { file: null, root: '' },
    /** Whether there is work that is not over, or begins by itself. */
    goesOn: () => sql('goes_on').get()?.['yes'] === 1,
    /** State changes of an import at `since` (ms since 1970) or later, in order. */
    transitions: (id: string, since = 0) => sql<Transition>('transitions').all({ id, since }),
    close,
    [Symbol.dispose]: close,
  };
}

/** The place of an entry in a list that is sorted by time, newest first. */
export function cursorOf({ createdAt, id }: Pick<ImportRecord, 'createdAt' | 'id'>) {
  return `${createdAt}.${id}`;
}

/** Reads what `cursorOf` wrote; without a cursor, the place before all. @throws BAD_CURSOR */
export function placeOfCursor(cursor: string | undefined): { created_at: number; id: string } {
  if (cursor === undefined) return { created_at: Number.MAX_SAFE_INTEGER, id: '' };
  const [, createdAt, id] = /^(\d{1,15})\.(.+)$/.exec(cursor) ?? [];
  if (createdAt === undefined || id === undefined) throw new RollcallError('BAD_CURSOR', { cursor: cursor });
  return { created_at: Number(createdAt), id };
}

/** The options of an import as the catalog keeps them: checking them all costs more than a reader of few has to do. */
export function uncheckedOptions({ options }: Pick<ImportRecord, 'options'>): Readonly<Record<string, unknown>> {
  return storedJson(options, 'the options of an import', isObject);
}

export function tagsOf({ tags }: Pick<ImportRecord, 'tags'>) {
  return storedJson(tags, 'tags', isTexts);
}

/** The file in an import's folder that has what the catalog says of it, so that a lost catalog can be made again. */
export function recordFile(folder: string) {
  return join(folder, 'import.json');
}

/** Writes it, whole or not at all. */
function keepRecord(catalog: string, record: { readonly id: string }) {
  const folder = join(dirname(catalog), 'imports', record.id);
  if (!existsSync(folder)) return;
  const path = recordFile(folder);
  try {
    writeFileSync(`${path}.part`, JSON.stringify(record), { mode: 0o600 });
    renameSync(`${path}.part`, path);
  } catch {
    // A full disk, for one: the catalog itself has it, and an older copy is better than an end of the process.
  }
}
