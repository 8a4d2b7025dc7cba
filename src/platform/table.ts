import { inChunks } from '../text/chunks.ts';
import { cellOf, csvLine } from '../text/csv-line.ts';
import { importable } from '../text/spreadsheet.ts';
import { workbook } from './xlsx-writer.ts';

/** A value that is JSON already: objects have it as it is. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

interface TableOptions {
  readonly delimiter?: string;
  /** The rows are copies of a user's own: CSV has them exactly, and a spreadsheet runs cells that begin like a formula. */
  readonly exact?: true;
}

type Rows = Iterable<readonly unknown[]>;
type TableFormat = 'csv' | 'ndjson' | 'xlsx';

/**
 * Writes a table, in pieces of some 64 KB, so that memory does not grow with the rows. In a cell, nothing is empty, and lists and objects are JSON.
 *
 * - CSV: UTF-8 without a byte order mark, lines end in LF. No cell is one that a spreadsheet would run (`importable`), unless `exact`.
 * - NDJSON: an object a row, with the exact values. No rows give an empty file.
 * - XLSX: every cell is text, so that none is run.
 */
export function writeTable(
  columns: readonly string[],
  rows: Rows,
  format: 'csv' | 'ndjson',
  options?: TableOptions,
): Generator<string>;
export function writeTable(
  columns: readonly string[],
  rows: Rows,
  format: TableFormat,
  options?: TableOptions,
): Generator<string | Uint8Array>;
export function writeTable(columns: readonly string[], rows: Rows, format: TableFormat, options: TableOptions = {}) {
  if (format === 'xlsx') return workbook(cells(columns, rows));
  return inChunks(format === 'csv' ? csvLines(columns, rows, options) : ndjsonLines(columns, rows));
}

/** Rows as the texts of JSON objects, without line ends. */
export function* jsonObjects(columns: readonly string[], rows: Rows): Generator<string> {
  const keys = columns.map((name) => JSON.stringify(name));
  for (const values of rows) yield `{${keys.map((key, at) => `${key}:${jsonOf(values[at])}`).join(',')}}`;
}

/** One JSON object of `head` and of lists, each with a line for each of its items, in pieces of some 64 KB. */
export function jsonDocument(head: object, lists: Readonly<Record<string, Iterable<string>>>): Generator<string> {
  return inChunks(documentPieces(head, lists));
}

function* documentPieces(head: object, lists: Readonly<Record<string, Iterable<string>>>): Generator<string> {
  yield JSON.stringify(head).slice(0, -1);
  for (const [name, items] of Object.entries(lists)) {
    yield `,\n${JSON.stringify(name)}:[`;
    let separator = '\n';
    for (const item of items) {
      yield `${separator}${item}`;
      separator = ',\n';
    }
    yield '\n]';
  }
  yield '}\n';
}

function* csvLines(
  columns: readonly string[],
  rows: Rows,
  { delimiter = ',', exact }: TableOptions,
): Generator<string> {
  yield csvLine(columns, delimiter);
  for (const values of rows) {
    const texts = values.map(textOfCell);
    yield csvLine(exact ? texts : texts.map(importable), delimiter);
  }
}

function* ndjsonLines(columns: readonly string[], rows: Rows): Generator<string> {
  for (const object of jsonObjects(columns, rows)) yield `${object}\n`;
}

function* cells(columns: readonly string[], rows: Rows): Generator<readonly string[]> {
  yield columns;
  for (const values of rows) yield values.map(textOfCell);
}

function jsonOf(value: unknown): string {
  return value instanceof JsonText ? value.text : JSON.stringify(value ?? null);
}

function textOfCell(value: unknown): string {
  return Array.isArray(value) && value.length === 0 ? '' : cellOf(value);
}
