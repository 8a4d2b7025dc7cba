import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/** Rows per statement: one crossing from JavaScript to SQLite for many rows, within SQLite's number of parameters. */
const ROWS_PER_STATEMENT = 100;

export interface BulkInsert {
  /** Values of whole rows to come, one after the other; the caller adds to it and calls `added` after each row. */
  readonly values: SQLInputValue[];
  /** Writes when enough has come. */
  added(): void;
  finish(): void;
}

/** Inserts many rows into a table, named with its columns. */
export function bulkInsert(database: DatabaseSync, table: string, columns: readonly string[]): BulkInsert {
  const row = `(${columns.map(() => '?').join(', ')})`;
  const prepare = (rows: number) =>
    database.prepare(`insert into ${table} (${columns.join(', ')}) values ${Array(rows).fill(row).join(', ')}`);
  const many = prepare(ROWS_PER_STATEMENT);
  const full = ROWS_PER_STATEMENT * columns.length;
  const values: SQLInputValue[] = [];
  return {
    values,
    added: () => {
      if (values.length < full) return;
      many.run(...values);
      values.length = 0;
    },
    finish: () => {
      if (values.length > 0) prepare(values.length / columns.length).run(...values);
      values.length = 0;
    },
  };
}
