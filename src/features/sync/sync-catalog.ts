import type { DatabaseSync } from 'node:sqlite';
import type { z } from 'zod';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { cursorOf, placeOfCursor } from '../../imports/catalog.ts';
import { CATALOG_SCHEMA } from '../../imports/schemas.ts';
import { isFinalSync, type SyncState, syncTransition } from '../../membership/sync-state.ts';
import { pageOf } from '../../platform/cursors.ts';
import {
  documentsOf,
  idsOf,
  inTransaction,
  openForReading,
  openForWriting,
  statementsOf,
} from '../../platform/sqlite.ts';
import { isoTime } from '../../text/wording.ts';
import { checkDecision, keptSync, type Sync } from './kept-sync.ts';
import type { syncOperations } from './operations.ts';

/** The facts that are noted with a move. */
export interface MoveOptions {
  readonly reason?: string | undefined;
  readonly code?: string | undefined;
  readonly who?: string | undefined;
  /** Records that it was approved by `who` although a guard objects, for `reason`. */
  readonly approval?: boolean | undefined;
}

const STATEMENTS = new URL('sync-catalog.sql', import.meta.url);

/**
 * Opens the syncs of a catalog for the process that owns the data directory.
 * @param moved hears of each that is begun or moved, or whose obstacle is noted
 */
export function openSyncCatalog(path: string, moved: (sync: Sync) => void = () => {}) {
  const database = openForWriting(path, CATALOG_SCHEMA);
  const sql = statementsOf(database, STATEMENTS);
  const reader = readerOf(database);
  const syncs = documentsOf(sql, keptSync);
  const save = (sync: Sync) => {
    sql('save_sync').run({ id: sync.id, sync: JSON.stringify(sync) });
    return sync;
  };
  const change = (id: string, changed: (sync: Sync) => Partial<Sync>) =>
    inTransaction(database, () => {
      const sync = reader.get(id);
      return save({ ...sync, ...changed(sync) });
    });
  const told = (sync: Sync) => {
    moved(sync);
    return sync;
  };
  /** Moves a sync to another state, or throws WRONG_STATE. The one function that changes a state. */
  const move = (id: string, to: SyncState, { reason: given, code, who = '', approval = false }: MoveOptions = {}) =>
    told(
      change(id, ({ state, moves }) => {
        const usual = syncTransition(state, to);
        const reason = given ?? usual;
        const at = isoTime(Date.now());
        return {
          state: to,
          reason,
          code,
          finishedAt: isFinalSync(to) ? at : null,
          ...(approval && { approved: { by: who, at, reason } }),
          moves: [...moves, { at, state: to, reason, who }],
        };
      }),
    );
  return {
    ...reader,
    add: (sync: Sync) => told(save(sync)),
    move,
    /** Rejects a plan, which needs neither queue nor service. @throws UNKNOWN_SYNC, WRONG_STATE */
    reject: (id: string, who: string, reason: string) => {
      checkDecision(reader.get(id), 'reject');
      return move(id, 'rejected', { who, reason });
    },
    /** Notes why a sync that is under way does not go on, and with null that it does. */
    noteObstacle: (id: string, obstacle: Pick<Sync, 'reason' | 'code'> | null) => {
      const { reason, code } = obstacle ?? { reason: 'continued' };
      told(change(id, () => ({ reason, code })));
    },
    /** Adds to its history what is no move. */
    note: (id: string, reason: string) => {
      change(id, ({ state, moves }) => ({
        moves: [...moves, { at: isoTime(Date.now()), state, reason, who: '' }],
      }));
    },
    /** Notes the numbers of its plan, or which import is to carry it out. */
    set: (id: string, changes: Partial<Pick<Sync, 'totals' | 'importId'>>) => change(id, () => changes),
    /** Those that are under way, oldest first. */
    underWay: () => syncs('syncs_under_way'),
    /** Earlier runs of the same sync that were carried out or had nothing to do, newest first; a few of them. */
    runsBefore: ({ id }: Sync) => syncs('syncs_before', { before: id }),
    /** Ids of syncs that had finished before this time (ms since 1970), and of older plans that were never applied. */
    outdated: (before: number) => idsOf(sql('outdated_syncs').all({ before })),
    remove: (id: string) => void sql('remove_sync').run({ id }),
  };
}
export type SyncCatalog = ReturnType<typeof openSyncCatalog>;

export function openSyncCatalogReader(path: string) {
  return readerOf(openForReading(path, CATALOG_SCHEMA));
}
export type SyncCatalogReader = ReturnType<typeof openSyncCatalogReader>;

function readerOf(database: DatabaseSync) {
  const sql = statementsOf(database, STATEMENTS);
  const syncs = documentsOf(sql, keptSync);
  const find = (id: string) => syncs('find_sync', { id })[0];
  const close = () => database[Symbol.dispose]();
  return {
    find,
    /** @throws UNKNOWN_SYNC */
    get: (id: string) => {
      const sync = find(id);
      if (sync === undefined) throw new RollcallError('UNKNOWN_SYNC', { id });
      return sync;
    },
    /** The next page begins behind its cursor, which holds while syncs come and go. @throws BAD_CURSOR */
    page: ({ state: states, cursor, limit }: z.output<typeof syncOperations.list.query>) => {
      const chosen = states === undefined ? null : JSON.stringify(states);
      const found = syncs('sync_page', { ...placeOfCursor(cursor), states: chosen, limit: limit + 1 });
      const { items, nextCursor } = pageOf(found, limit, ({ id, createdAt }) =>
        cursorOf({ id, createdAt: Date.parse(createdAt) }),
      );
      return { syncs: items, nextCursor };
    },
    /** Counts the syncs in each of these states; states without any are left out. */
    count: (states: readonly SyncState[]): ReadonlyMap<SyncState, number> =>
      new Map(
        sql('count_syncs')
          .all({ states: JSON.stringify(states) })
          .map((row) => [row['state'], row['syncs']] as [SyncState, number]),
      ),
    /** Imports that retried rows of these, and are over: ids. */
    retriesOf: (ids: readonly string[]) => idsOf(sql('retries_of').all({ ids: JSON.stringify(ids) })),
    lastExpiry: () => syncs('last_expiry')[0],
    close,
    [Symbol.dispose]: close,
  };
}
