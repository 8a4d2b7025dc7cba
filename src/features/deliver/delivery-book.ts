import { type CatalogReader, openCatalogReader } from '../../imports/catalog.ts';
import { CATALOG_SCHEMA } from '../../imports/schemas.ts';
import { openForWriting, statementsOf } from '../../platform/sqlite.ts';

/**
 * The reports that wait for delivery: part of the catalog, whose triggers add them. For the owner of the data
 * directory.
 */
export interface DeliveryBook {
  /** The coordinator's id, which names its queues. */
  readonly owner: string;
  /** Ids of imports, the oldest first. */
  waiting(): string[];
  readonly find: CatalogReader['delivery'];
  arrived(id: string): void;
  failed(id: string, error: string): void;
  /** Notifies the receiver of imports once that the delivery waits. */
  lasts(id: string): void;
  forget(id: string): void;
  close(): void;
}

/** @param catalog path of the catalog, which the coordinator also has open */
export function openDeliveryBook(catalog: string): DeliveryBook {
  const database = openForWriting(catalog, CATALOG_SCHEMA);
  const reader = openCatalogReader(catalog);
  const sql = statementsOf(database, new URL('delivery-book.sql', import.meta.url));
  return {
    owner: String(sql('book_owner').get()?.['id']),
    waiting: () =>
      sql<{ readonly id: string }>('waiting_deliveries')
        .all()
        .map(({ id }) => id),
    find: reader.delivery,
    arrived: (id) => void sql('delivery_arrived').run({ id, at: Date.now() }),
    failed: (id, error) => void sql('delivery_failed').run({ id, error }),
    lasts: (id) => void sql('delivery_lasts').run({ id, at: Date.now() }),
    forget: (id) => void sql('forget_delivery').run({ id }),
    close: () => {
      reader.close();
      database.close();
    },
  };
}
