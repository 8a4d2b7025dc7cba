import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/** Rows per statement: one crossing from JavaScript to SQLite for many rows, within SQLite's number of parameters. */
const ROWS_PER_STATEMENT = 100;

/** Inserts many rows into a table, named with its columns. */
export function bulkInsert(database: DatabaseSync, table: string, columns: readonly string[]) {
  const row = `(${columns.map(() => '?').join(', ')})`;
  const prepare = (rows: number) =>
    database.prepare(`insert into ${table} (${columns.join(', ')}) values ${Array(rows).fill(row).join(', ')}`);
  const many = prepare(ROWS_PER_STATEMENT);
  const full = ROWS_PER_STATEMENT * columns.length;
  const values = new Array<SQLInputValue>(full).fill(null);
  let end = 0;
  return {
    /** Takes a row, with a value for each column. Writes when enough have come. */
    add: (...row: readonly SQLInputValue[]) => {
      if (end === full) {
        many.run(...values);
        end = 0;
      }
      for (let at = 0; at < row.length; at += 1) values[end + at] = row[at] ?? null;
      end += row.length;
    },
    finish: () => {
      if (end > 0) prepare(end / columns.length).run(...values.slice(0, end));
      end = 0;
    },
  };
}
