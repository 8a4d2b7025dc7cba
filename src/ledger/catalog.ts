import type { DatabaseSync } from 'node:sqlite';
import { type ImportState, isFinal, transition } from '../membership/import-state.ts';
import { CATALOG_MIGRATIONS, inTransaction, openForReading, openForWriting, statementsOf } from './database.ts';

/** An import as the catalog lists it. Times are ms since 1970. */
export interface ImportRecord {
  readonly id: string;
  readonly state: ImportState;
  /** Why it is in this state, in a sentence. */
  readonly reason: string;
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

export interface CatalogReader {
  find(id: string): ImportRecord | undefined;
  /** Newest first. */
  list(limit: number): ImportRecord[];
  close(): void;
}

/** The catalog, open for the coordinator, its only writer. */
export interface Catalog extends CatalogReader {
  /** Who this data directory is to workers elsewhere. */
  coordinatorId(): string;
  add(record: Pick<ImportRecord, 'id' | 'file' | 'source' | 'options' | 'retryOf'>): void;
  /** Moves an import to another state, or throws a TransitionError. The one function that changes a state. */
  move(id: string, to: ImportState, detail?: string): ImportRecord;
}

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
    move: (id, to, detail) =>
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
          started: to === 'running' ? at : null,
          finished: isFinal(to) ? at : null,
        });
        sql('journal').run({ id, at, state: to, reason });
        return reader.find(id) ?? record;
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
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}
