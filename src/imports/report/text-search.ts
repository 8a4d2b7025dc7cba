import type { DatabaseSync } from 'node:sqlite';

/** Looks for a text in the values of rows, which SQLite alone cannot: `lower` knows ASCII only, and rows are JSON. */

const enabled = new WeakSet<DatabaseSync>();

/** What a search for a text adds to `found_by_row`: SQL that is true for the rows `r` that have it, with its values. */
export function textSearch(database: DatabaseSync, text: string) {
  if (!enabled.has(database)) {
    enabled.add(database);
    database.function('has_text', { deterministic: true }, (original: unknown, wanted: unknown) =>
      hasText(String(original), String(wanted)) ? 1 : 0,
    );
  }
  const original = 'coalesce(f.original, r.original)';
  // Most rows have it nowhere: SQLite sees that three times as fast. A backslash may encode any character.
  const perhaps = ASCII.test(text) ? `(${original} like :like escape '!' or instr(${original}, char(92))) and` : '';
  const sql = `((${perhaps} has_text(${original}, :text)) or instr(lower(coalesce(r.uid, '')), :text)
    or r.group_id in (select id from groups where instr(lower(guid), :text))
    or r.id in (select row_id from invalid_rows where instr(lower(guid), :text)))`;
  const lower = text.toLowerCase();
  return { sql, values: { text: lower, ...(perhaps !== '' && { like: `%${lower.replace(/[!%_]/g, '!$&')}%` }) } };
}

/** Characters that JSON never escapes, in either case. */
const ASCII = /^[ !#-[\]-~]*$/;

/** Whether one of the values in this JSON text has `text` (lower case) in it. */
export function hasText(original: string, text: string): boolean {
  // Most rows have it nowhere, and need not be parsed. A backslash may encode any character.
  if (!original.toLowerCase().includes(text) && !original.includes('\\')) return false;
  return valueHas(JSON.parse(original), text);
}

function valueHas(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(text);
  if (typeof value === 'object' && value !== null) return Object.values(value).some((one) => valueHas(one, text));
  return value !== null && String(value).includes(text);
}
