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

/** Notes that are still to be delivered. @param catalog path of the catalog, which the coordinator also has open */
export function openDeliveries(catalog: string) {
  const database = openForWriting(catalog, CATALOG_SCHEMA);
  const sql = statementsOf(database, new URL('deliveries.sql', import.meta.url));
  return {
    /** From now on, the catalog records moves that the receiver must be notified of. */
    begin: () => void sql('begin_notes').run({ at: Date.now() }),
    /** Stops recording, and drops what was not delivered. */
    end: () =>
      inTransaction(database, () => {
        sql('end_notes').run();
        sql('clear_notes').run();
      }),
    /** Adds a note that the catalog does not record by itself. One with the id of a note that waits is not added. */
    add: (note: Delivery) => void sql('add_note').run({ ...note }),
    /** Oldest first. */
    waiting: () => sql<Delivery>('waiting_notes').all(),
    /** Notes that wait, and the time of the oldest in ms since 1970; null without any. */
    count: () => sql('count_notes').get() as { readonly waiting: number; readonly since: number | null },
    write: (id: string, body: string) => void sql('write_note').run({ id, body }),
    remove: (id: string) => void sql('remove_note').run({ id }),
    close: () => database.close(),
  };
}
