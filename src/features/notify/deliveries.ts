import { CATALOG_SCHEMA } from '../../imports/schemas.ts';
import { inTransaction, openForWriting, statementsOf } from '../../platform/sqlite.ts';

/** A change of state of an import, a sync or a region that the receiver is notified of. */
export interface Delivery {
  /** The same in every repetition. */
  readonly id: string;
  readonly kind: 'import' | 'sync' | 'region';
  /** The id of the import or sync, or the region. */
  readonly subject: string;
  /** A word of membership/import-state.ts or sync-state.ts; of a region, `away` or `back`. */
  readonly state: string;
  readonly reason: string;
  /** The time of the move, in ms since 1970. */
  readonly at: number;
  /** The body that is sent; null until it is made. */
  readonly body: string | null;
}

/** Notes that are still to be delivered: part of the catalog, and only for its owner. */
export interface Deliveries {
  /** The coordinator's id, which names its queues. */
  readonly owner: string;
  /** From now on, the catalog records moves that the receiver must be notified of. */
  begin(): void;
  /** Stops recording, and drops what was not delivered. */
  end(): void;
  /** Adds a note that the catalog does not record by itself. One with the id of a note that waits is not added. */
  add(note: Delivery & { readonly body: string }): void;
  /** Oldest first: all, or only those that are not made yet. */
  waiting(which: 'all' | 'unmade'): Delivery[];
  /** Counts the undelivered notes, with the time of the oldest in ms since 1970. */
  count(): { readonly waiting: number; readonly since: number | null };
  /** Undefined when it has been delivered or given up. */
  find(id: string): Delivery | undefined;
  write(id: string, body: string): void;
  remove(id: string): void;
  close(): void;
}

/** @param catalog path of the catalog, which the coordinator also has open */
export function openDeliveries(catalog: string): Deliveries {
  const database = openForWriting(catalog, CATALOG_SCHEMA);
  const sql = statementsOf(database, new URL('deliveries.sql', import.meta.url));
  return {
    owner: String(sql('notes_owner').get()?.['id']),
    begin: () => void sql('begin_notes').run({ at: Date.now() }),
    end: () =>
      inTransaction(database, () => {
        sql('end_notes').run();
        sql('clear_notes').run();
      }),
    add: (note) => void sql('add_note').run({ ...note }),
    waiting: (which) => sql<Delivery>('waiting_notes').all({ made: which === 'all' ? 1 : 0 }),
    count: () => sql<ReturnType<Deliveries['count']>>('count_notes').get() as ReturnType<Deliveries['count']>,
    find: (id) => sql<Delivery>('find_note').get({ id }),
    write: (id, body) => void sql('write_note').run({ id, body }),
    remove: (id) => void sql('remove_note').run({ id }),
    close: () => database.close(),
  };
}
