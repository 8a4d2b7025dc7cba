import type { DatabaseSync } from 'node:sqlite';
import { RollcallError } from '../errors/rollcall-error.ts';
import { type ImportState, isFinal, isUnderWay, transition } from '../membership/import-state.ts';
import { inTransaction, openForReading, openForWriting, statementsOf } from '../platform/sqlite.ts';
import type { Words } from '../text/named-options.ts';
import type { ReasonCode } from './reason-codes.ts';
import { CATALOG_MIGRATIONS } from './schemas.ts';

/** An import as the catalog lists it. Times are ms since 1970. */
export interface ImportRecord {
  readonly id: string;
  readonly state: ImportState;
  /** Why it is in this state, in a sentence. */
  readonly reason: string;
  /** The same for programs; null where the state says all. */
  readonly code: ReasonCode | null;
  /** JSON of the `Words` that say what to do about it; null where the state says it. */
  readonly remedy: string | null;
  /** The input as the user named it. */
  readonly file: string;
  /** The path that staging reads. */
  readonly source: string;
  /** JSON of how to read and run it. */
  readonly options: string;
  readonly retryOf: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
}

/** A move of an import; `at` in ms since 1970. */
export type Transition = Pick<ImportRecord, 'state' | 'reason'> & { readonly at: number };

export interface CatalogPage {
  readonly imports: ImportRecord[];
  /** Where the next page begins (`before`); absent at the end. It holds while imports come and go. */
  readonly next?: string;
}

export interface CatalogReader {
  find(id: string): ImportRecord | undefined;
  /** Newest first. */
  list(limit: number): ImportRecord[];
  /** A page of the list, of imports in any state or in one of `states`. @throws BadCursor when `before` is no `next` */
  page(wish: {
    readonly states?: readonly ImportState[];
    readonly before?: string;
    readonly limit: number;
  }): CatalogPage;
  /** Moves of an import at `since` (ms since 1970) or later, in their order. */
  transitions(id: string, since?: number): Transition[];
  /** Imports that retry rows of this one, oldest first. */
  retries(id: string): ImportRecord[];
  close(): void;
}

/** The catalog, open for the coordinator, its only writer. */
export interface Catalog extends CatalogReader {
  /** Who this data directory is to workers elsewhere. */
  coordinatorId(): string;
  add(record: Pick<ImportRecord, 'id' | 'file' | 'source' | 'options' | 'retryOf'>): void;
  /** Moves an import to another state, or throws a TransitionError. The one function that changes a state. */
  move(id: string, to: ImportState, detail?: string, code?: ReasonCode, remedy?: Words): ImportRecord;
  /** Keeps other options (JSON) with an import. */
  setOptions(id: string, options: string): void;
  /** This process is at work on an import from now on. Should it die before `leaveAll`, the next `countDeaths` counts that. */
  attend(id: string): void;
  /** The import got on: deaths before this count no more. So does every move. */
  progressed(id: string): void;
  /** This process ends as it should. */
  leaveAll(): void;
  /** To be called at the start of a process, before anything is attended. */
  countDeaths(): void;
  /** How often processes died in the middle of it, without progress in between. */
  deaths(id: string): number;
  /** Imports that are not over, oldest first. */
  unfinished(): ImportRecord[];
  /** Ids of imports that were over before `before` (ms since 1970), oldest first. */
  finishedBefore(before: number): string[];
  /** Forgets an import and its transitions; retries of it stay. */
  remove(id: string): void;
}

/** How the parts of an import's life move it: as `Catalog.move` does. */
export type MoveImport = (...how: Parameters<Catalog['move']>) => void;

const STATEMENTS = new URL('catalog.sql', import.meta.url);

export function openCatalog(path: string): Catalog {
  const database = openForWriting(path, CATALOG_MIGRATIONS);
  const sql = statementsOf(database, STATEMENTS);
  const reader = readerOf(database);
  return {
    ...reader,
    coordinatorId: () => String(sql('coordinator').get()?.['id']),
    add: ({ id, file, source, options, retryOf }) =>
      inTransaction(database, () => {
        const at = Date.now();
        sql('add').run({ id, file, source, options, retry_of: retryOf, at });
        sql('journal').run({ id, at, state: 'staging', reason: 'created' });
      }),
    move: (id, to, detail, code, remedy) =>
      inTransaction(database, () => {
        const record = reader.find(id);
        if (record === undefined) throw new Error(`no import has the id ${id}`);
        const reason = detail ?? transition(record.state, to);
        transition(record.state, to);
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
        return reader.find(id) ?? record;
      }),
    setOptions: (id, options) => {
      sql('set_options').run({ id, options });
    },
    attend: (id) => {
      sql('attend').run({ id });
    },
    progressed: (id) => {
      sql('progressed').run({ id });
    },
    leaveAll: () => {
      sql('leave_all').run();
    },
    countDeaths: () => {
      sql('count_deaths').run();
    },
    deaths: (id) => Number(sql('deaths').get({ id })?.['deaths'] ?? 0),
    unfinished: () => sql('unfinished').all() as unknown as ImportRecord[],
    finishedBefore: (before) =>
      sql('finished_before')
        .all({ before })
        .map((row) => String(row['id'])),
    remove: (id) =>
      inTransaction(database, () => {
        sql('forget_origin').run({ id });
        sql('remove').run({ id });
      }),
  };
}

/** Opens a catalog that the coordinator may be writing. */
export function openCatalogReader(path: string): CatalogReader {
  return readerOf(openForReading(path));
}

function readerOf(database: DatabaseSync): CatalogReader {
  const sql = statementsOf(database, STATEMENTS);
  return {
    find: (id) => sql('find').get({ id }) as unknown as ImportRecord | undefined,
    list: (limit) => sql('list').all({ limit }) as unknown as ImportRecord[],
    page: ({ states, before, limit }) => {
      const place = placeOf(before);
      const chosen = states === undefined ? null : JSON.stringify(states);
      // One more than asked for tells whether there is a next page.
      const found = sql('page').all({ ...place, states: chosen, limit: limit + 1 }) as unknown as ImportRecord[];
      const imports = found.slice(0, limit);
      const last = imports.at(-1);
      return found.length > limit && last !== undefined ? { imports, next: cursorOf(last) } : { imports };
    },
    retries: (id) => sql('retries').all({ id }) as unknown as ImportRecord[],
    transitions: (id, since = 0) => sql('transitions').all({ id, since }) as unknown as Transition[],
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** A cursor that no page has given. */
export class BadCursor extends RollcallError {
  constructor(cursor: string) {
    super(
      'BAD_CURSOR',
      `${JSON.stringify(cursor)} is not a valid place in this list: take it from the page before, or start without one`,
    );
  }
}

/** The place of an entry in a list that is sorted by time, newest first. */
export function cursorOf({ createdAt, id }: Pick<ImportRecord, 'createdAt' | 'id'>): string {
  return `${createdAt}.${id}`;
}

/** Reads what `cursorOf` wrote; without a cursor, the place before all. @throws BadCursor */
export function placeOf(cursor: string | undefined): { created_at: number; id: string } {
  if (cursor === undefined) return { created_at: Number.MAX_SAFE_INTEGER, id: '' };
  const [, createdAt, id] = /^(\d{1,15})\.(.+)$/.exec(cursor) ?? [];
  if (createdAt === undefined || id === undefined) throw new BadCursor(cursor);
  return { created_at: Number(createdAt), id };
}
