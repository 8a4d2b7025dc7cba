import { distinctKeys } from '../report/columns.ts';

/** By the columns of an import, which are the same for all its rows. */
const keysOf = new WeakMap<readonly string[], readonly string[]>();

/** A row as the input had it, column by column: texts of a CSV file, or the JSON element itself. */
export function originalView(
  columns: readonly string[],
  format: 'csv' | 'json' | 'ndjson',
  original: string,
): Record<string, unknown> {
  const read: unknown = JSON.parse(original);
  if (format !== 'csv') return read as Record<string, unknown>;
  const cells = read as readonly string[];
  const keys = keysOf.get(columns) ?? distinctKeys(columns);
  keysOf.set(columns, keys);
  return Object.fromEntries(keys.map((key, index) => [key, cells[index] ?? '']));
}
