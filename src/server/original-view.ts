import { distinctKeys } from '../report/columns.ts';

/** A row as the input had it, column by column: texts of a CSV file, or the JSON element itself. */
export function originalView(
  columns: readonly string[],
  format: 'csv' | 'json' | 'ndjson',
  original: string,
): Record<string, unknown> {
  const read: unknown = JSON.parse(original);
  if (format !== 'csv') return read as Record<string, unknown>;
  const cells = read as readonly string[];
  return Object.fromEntries(distinctKeys(columns).map((key, index) => [key, cells[index] ?? '']));
}
