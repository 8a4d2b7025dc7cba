import type { DatabaseSync } from 'node:sqlite';
import { cursorOf, placeOfCursor } from '../../imports/catalog.ts';
import { CATALOG_SCHEMA } from '../../imports/schemas.ts';
import { isFinalSync, type SyncState, syncTransition } from '../../membership/sync-state.ts';
import { idsOf, inTransaction, openForReading, openForWriting, statementsOf } from '../../platform/sqlite.ts';

/** A sync as the catalog lists it. Times are ms since 1970. */
export interface SyncRecord {
  readonly id: string;
  readonly state: SyncState;
  /** The reason for the state, in a sentence. */
  readonly reason: string;
  /** The same for programs, as docs/errors.md lists them; null where the state says all. */
  readonly code: string | null;
  /** The input as the user named it; of an undo: of the import. */
  readonly file: string;
  /** The path that it is read from; empty where it is an undo. */
  readonly source: string;
  /** JSON of how it is read and decided. */
  readonly options: string;
  /** JSON of the plan in numbers; null until it is made. */
  readonly totals: string | null;
  /** The import that it undoes. */
  readonly undoOf: string | null;
  /** The import that carries it out; null until there is one. */
  readonly importId: string | null;
  readonly scheduleId: string | null;
  /** The person who let it through although a guard objects; null if no one did. */
  readonly approvedBy: string | null;
  readonly approvedAt: number | null;
  readonly approval: string | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

/** A move of a sync; `at` in ms since 1970, `who` is empty where the sync moved by itself. */
export type SyncTransition = Pick<SyncRecord, 'state' | 'reason'> & { readonly at: number; readonly who: string };

interface SyncPageRequest {
  readonly states?: readonly SyncState[];
  readonly before?: string;
  readonly limit: number;
}

interface SyncPage {
  readonly syncs: SyncRecord[];
  /** The start of the next page (`before`); absent on the last one. It holds while syncs come and go. */
  readonly next?: string;
}

export interface SyncMove {
  readonly reason?: string | undefined;
  readonly code?: string | null | undefined;
  readonly who?: string | undefined;
  /** Records that it was approved by `who` although a guard objects, for `reason`. */
  readonly approval?: boolean | undefined;
}

const STATEMENTS = new URL('sync-catalog.sql', import.meta.url);

/** Opens the syncs of a catalog for the process that owns the data directory. */
export function openSyncCatalog(path: string) {
  const database = openForWriting(path, CATALOG_SCHEMA);
  const sql = statementsOf(database, STATEMENTS);
  const reader = readerOf(database);
  const known = (id: string): SyncRecord => {
    const record = reader.find(id);
    if (record === undefined) throw new Error(`no sync has the id ${id}`);
    return record;
  };
  return {
    ...reader,
    add: (record: Pick<SyncRecord, 'id' | 'file' | 'source' | 'options' | 'undoOf' | 'scheduleId'>, who: string) =>
      inTransaction(database, () => {
        const { id, file, source, options, undoOf, scheduleId } = record;
        const at = Date.now();
        sql('add_sync').run({ id, file, source, options, undo_of: undoOf, schedule: scheduleId, at });
        sql('journal_sync').run({ id, at, state: 'planning', reason: 'created', who });
      }),
    /** Moves a sync to another state, or throws a TransitionError. The one function that changes a state. */
    move: (id: string, to: SyncState, move: SyncMove = {}) =>
      inTransaction(database, () => {
        const { reason: given, code = null, who = '', approval = false } = move;
        const usual = syncTransition(known(id).state, to);
        const reason = given ?? usual;
        const at = Date.now();
        sql('move_sync').run({ id, state: to, reason, code, finished: isFinalSync(to) ? at : null });
        if (approval) sql('approve').run({ id, who, at, reason });
        sql('journal_sync').run({ id, at, state: to, reason, who });
        return known(id);
      }),
    /** Notes why a sync that is under way does not go on, and with null that it does. */
    noteObstacle: (id: string, obstacle: { readonly reason: string; readonly code: string } | null) => {
      const { state, finishedAt } = known(id);
      const { reason, code } = obstacle ?? { reason: 'continued', code: null };
      sql('move_sync').run({ id, state, reason, code, finished: finishedAt });
      return known(id);
    },
    /** Adds to its history what is no move. */
    note: (id: string, reason: string) => {
      sql('journal_sync').run({ id, at: Date.now(), state: known(id).state, reason, who: '' });
    },
    setTotals: (id: string, totals: string) => {
      sql('set_totals').run({ id, totals });
    },
    /** Notes which import is to carry it out. */
    setImport: (id: string, importId: string) => {
      sql('set_import').run({ id, import: importId });
      return known(id);
    },
    /** Those that are under way, oldest first. */
    underWay: () => sql<SyncRecord>('syncs_under_way').all(),
    /** Earlier runs of the same sync that were carried out or had nothing to do, newest first; a few of them. */
    runsBefore: ({ id, scheduleId, source }: Pick<SyncRecord, 'id' | 'scheduleId' | 'source'>) =>
      idsOf(sql('syncs_before').all({ before: id, schedule: scheduleId, source })),
    /**
     * Ids of syncs that had finished before this time (ms since 1970), and of older plans that were never applied. The run with
     * which the next one of the same sync is compared is not among them.
     */
    outdated: (before: number) => idsOf(sql('outdated_syncs').all({ before })),
    remove: (id: string) => void sql('remove_sync').run({ id }),
  };
}
export type SyncCatalog = ReturnType<typeof openSyncCatalog>;

/** Opens the syncs of a catalog that its owner may be writing. */
export function openSyncCatalogReader(path: string) {
  return readerOf(openForReading(path, CATALOG_SCHEMA));
}
export type SyncCatalogReader = ReturnType<typeof openSyncCatalogReader>;

function readerOf(database: DatabaseSync) {
  const sql = statementsOf(database, STATEMENTS);
  return {
    find: (id: string) => sql<SyncRecord>('find_sync').get({ id }),
    /** Newest first. */
    list: (limit: number) => sql<SyncRecord>('list_syncs').all({ limit }),
    /** A page of the list, of syncs in any state or in one of `states`. @throws BadCursor when `before` is no `next` */
    page: ({ states, before, limit }: SyncPageRequest): SyncPage => {
      const chosen = states === undefined ? null : JSON.stringify(states);
      // One more than asked for tells whether there is a next page.
      const request = { ...placeOfCursor(before), states: chosen, limit: limit + 1 };
      const found = sql<SyncRecord>('sync_page').all(request);
      const syncs = found.slice(0, limit);
      const last = syncs.at(-1);
      return found.length > limit && last !== undefined ? { syncs, next: cursorOf(last) } : { syncs };
    },
    transitions: (id: string) => sql<SyncTransition>('sync_transitions').all({ id }),
    /** Counts the syncs in each of these states; states without any are left out. */
    count: (states: readonly SyncState[]): ReadonlyMap<SyncState, number> =>
      new Map(
        sql('count_syncs')
          .all({ states: JSON.stringify(states) })
          .map((row) => [row['state'], row['syncs']] as [SyncState, number]),
      ),
    /** Syncs that undo this import, oldest first. */
    undos: (importId: string) => sql<SyncRecord>('undos').all({ import: importId }),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}
