import { isObject, isText } from '../../platform/stored-json.ts';
import { parseJson } from '../read/json-text.ts';
import type { ReportInput, ReportRow } from './report-row.ts';

/** A row as the input had it, and its place. */
export type Original = Pick<ReportRow, 'line' | 'original'>;

/**
 * The cells of a row under the original columns, one per column; a row with fewer cells is filled up with empty ones.
 * JSON values: text as it is, null and an absent key as an empty cell, all else (numbers, lists, objects) as JSON text.
 *
 * Throws an Error naming the row if `original` is not what the input format promises, or has more cells than there are
 * columns: every later cell would be under a wrong name.
 */
export function originalCells(input: ReportInput, row: Original): string[] {
  return input.inputFormat === 'csv' ? csvCells(input.columns, row) : jsonCells(input.columns, row);
}

function csvCells(columns: readonly string[], row: Original): string[] {
  const cells = cellValues(row);
  if (cells.length > columns.length) {
    throw damaged(row, `has ${cells.length} cells where the report has ${columns.length} columns`);
  }
  return columns.map((_, index) => cellText(cells[index]));
}

function jsonCells(columns: readonly string[], row: Original): string[] {
  const element = elementOf(row);
  return columns.map((column) => cellText(element.get(column)));
}

/** The cells that a row of a table has: it may have fewer than there are columns. */
export function cellValues(row: Original): readonly unknown[] {
  // Almost always all cells are strings, and digits inside a string are safe.
  let cells = parse(row, JSON.parse);
  if (Array.isArray(cells) && !cells.every(isText)) cells = parse(row, parseJson);
  if (!Array.isArray(cells)) throw damaged(row, 'is not an array of cells');
  return cells;
}

/** Keys and values of an element. Numbers that JavaScript would change keep their spelling. */
export function elementOf(row: Original): ReadonlyMap<string, unknown> {
  const element = parse(row, parseJson);
  if (!isObject(element)) throw damaged(row, 'is not an object');
  return new Map(Object.entries(element));
}

function cellText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return JSON.stringify(value);
}

function parse(row: Original, parser: (text: string) => unknown): unknown {
  try {
    return parser(row.original);
  } catch {
    throw damaged(row, 'is not JSON');
  }
}

function damaged(row: Original, what: string): Error {
  const shown = row.original.length > 80 ? `${row.original.slice(0, 80)}…` : row.original;
  return new Error(
    `row ${row.line}: its input in the ledger ${what}: ${shown}; the ledger of this import is damaged, import the file again`,
  );
}

/** `original` on one line. Line breaks occur only between JSON tokens (inside strings they are escaped), so a blank can replace them. */
export function originalOnOneLine(row: Original): string {
  return /[\r\n]/.test(row.original) ? row.original.replace(/[\r\n]+/g, ' ') : row.original;
}
