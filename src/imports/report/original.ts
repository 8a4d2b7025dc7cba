import type { ReportInput, ReportRow } from './report-row.ts';

/** What the input had for a row, and where. */
export type Original = Pick<ReportRow, 'line' | 'original'>;

/** Numbers that may not survive JavaScript's own number type as they are written: long ones, decimals, exponents. */
const DELICATE_NUMBER = /\d{16}|\d[.eE]/;

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
  // Cells are strings, and digits inside a string are safe: only other values can hold a number.
  let cells: unknown = parse(row, false);
  if (Array.isArray(cells) && !cells.every((cell) => typeof cell === 'string')) cells = parse(row, true);
  if (!Array.isArray(cells)) throw damaged(row, 'is not an array of cells');
  if (cells.length > columns.length) {
    throw damaged(row, `has ${cells.length} cells where the report has ${columns.length} columns`);
  }
  return columns.map((_, index) => cellText(cells[index]));
}

function jsonCells(columns: readonly string[], row: Original): string[] {
  const element: unknown = parse(row, true);
  if (typeof element !== 'object' || element === null || Array.isArray(element)) throw damaged(row, 'is not an object');
  const fields = new Map(Object.entries(element));
  return columns.map((column) => cellText(fields.get(column)));
}

function cellText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return JSON.stringify(value);
}

function parse(row: Original, numbers: boolean): unknown {
  try {
    return numbers && DELICATE_NUMBER.test(row.original)
      ? JSON.parse(row.original, exactNumber)
      : JSON.parse(row.original);
  } catch {
    throw damaged(row, 'is not JSON');
  }
}

/** A number that JavaScript would write differently (12345678901234567890, 1.0) becomes its own spelling as text. */
function exactNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && String(value) !== source ? source : value;
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
