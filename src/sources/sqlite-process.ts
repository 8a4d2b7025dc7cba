import { isUtf8 } from 'node:buffer';
import { appendFileSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * Runs one query of SQLite in a process of its own, because a statement that takes long can be ended in no other way. Standard
 * input has `{path, sql, atOnce}`; each line of the output is JSON: the columns, then rows; of an error, its message.
 */
const { path, sql, atOnce } = JSON.parse(readFileSync(0, 'utf8')) as Readonly<
  Record<'path' | 'sql', string> & { readonly atOnce: number }
>;

try {
  const database = new DatabaseSync(path, { readOnly: true });
  const statement = database.prepare(sql);
  const rest = sql.slice(statement.sourceSQL.length).replace(/--[^\n]*|\/\*.*?(?:\*\/|$)/gs, '');
  if (rest.replace(/[\s;]/g, '') !== '') throw new Error('there is more than one statement');
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  say(statement.columns().map(({ name }) => name));
  let rows: string[][] = [];
  for (const row of statement.iterate() as Iterable<unknown> as Iterable<readonly unknown[]>) {
    if (rows.push(row.map(text)) < atOnce) continue;
    say(rows);
    rows = [];
  }
  say(rows);
} catch (error) {
  say({ message: error instanceof Error ? error.message : String(error) });
}

/** At once: the next rows are read when these are taken. */
function say(line: unknown) {
  appendFileSync(1, `${JSON.stringify(line)}\n`);
}

/** Writes a value like the shell of SQLite: a real number that is whole keeps its point; integers come as bigint. */
function text(value: unknown) {
  if (value === null) return '';
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e15) return value.toFixed(1);
  if (!(value instanceof Uint8Array)) return String(value);
  return isUtf8(value) ? Buffer.from(value).toString() : `\\x${Buffer.from(value).toString('hex')}`;
}
