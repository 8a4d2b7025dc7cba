import { parseJson } from '../../imports/read/json-text.ts';
import type { ReportInput } from '../../imports/report/report-row.ts';
import {
  cellValues,
  distinctKeys,
  elementOf,
  type Original,
  originalCells,
  originalOnOneLine,
} from '../../imports/report/report-table.ts';

/** Column -> new text of its cell. */
export type Edits = ReadonlyMap<string, string>;

/** Additional columns of a file of repaired rows: rollcall ignores columns that begin like this. */
export const FROM_ROW = '_from_row';
export const EDITED = '_edited';

/** The columns of a row under the names by which they are edited: one that occurs twice is numbered. */
export function editableColumns({ columns }: Pick<ReportInput, 'columns'>): readonly string[] {
  return distinctKeys(columns);
}

/** Returns the number of columns in the header; those behind it hold the surplus cells of longer rows. */
export function headerWidth({ columns }: Pick<ReportInput, 'columns'>): number {
  const extra = columns.findIndex((name, index) => name === `_extra_1` && isRestExtra(columns, index));
  return extra === -1 ? columns.length : extra;
}

function isRestExtra(columns: readonly string[], from: number): boolean {
  return columns.slice(from).every((name, index) => name === `_extra_${index + 1}`);
}

/** The cells of a row as they were; null where the row has none. */
export function cellsOf(input: ReportInput, row: Original): (string | null)[] {
  const cells = originalCells(input, row);
  if (input.inputFormat !== 'csv') {
    const element = elementOf(row);
    return cells.map((cell, index) => (element.has(input.columns[index] ?? '') ? cell : null));
  }
  const given = cellValues(row).length;
  return cells.map((cell, index) => (index < given ? cell : null));
}

/** The cells of a row with its edits, one for each column. */
export function editedCells(input: ReportInput, row: Original, edits: Edits): string[] {
  const cells = originalCells(input, row);
  return editableColumns(input).map((column, index) => edits.get(column) ?? cells[index] ?? '');
}

/**
 * The element of a row with its edits, on one line. Cells without an edit stay as they were, numbers of any length
 * included.
 * @param needed keys that it must have, so that it is taken for a row: null where it has none
 * @param added further keys and values
 */
export function editedElement(
  row: Original,
  edits: Edits,
  needed: readonly string[],
  added: readonly (readonly [string, string])[],
): string {
  const isUntouched = edits.size === 0 && needed.length === 0 && added.length === 0;
  if (isUntouched) return originalOnOneLine(row);
  const before = elementOf(row);
  const after = new Map(before);
  for (const key of needed) if (!after.has(key)) after.set(key, null);
  for (const [key, text] of edits) after.set(key, elementValue(text, before.get(key)));
  for (const [key, text] of added) after.set(key, text);
  return `{${[...after].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`;
}

/** A list stays a list where its text is one. */
function elementValue(text: string, before: unknown): unknown {
  const isList = typeof before === 'object' && before !== null && !('rawJSON' in before);
  if (!isList) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
