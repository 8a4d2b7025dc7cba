import { parse } from 'csv-parse/sync';
import { inputOf } from '../../imports/report/report-paths.ts';
import { csvDelimiter } from '../../imports/report/report-table.ts';
import { harmless } from '../../text/spreadsheet.ts';
import type { RepairTaken } from './api.ts';
import { CannotRepair, keep, originalsOf } from './edit.ts';
import { cellsOf } from './edited-rows.ts';
import { type CellEdit, countsOf, currentEdits, editsOf, repairsOf, whichToRepair } from './repair-ledger.ts';
import { columnsOf, isEditable, type OpenRepair } from './show.ts';

/** Rows with remaining problems that are listed. */
const MAX_LISTED = 20;
/** Rows that a file may change. */
const MAX_OF_FILE = 100_000;

/** A column of the import: its place there, and the place in the corrected file that it is read from. */
interface Column {
  readonly column: string;
  readonly place: number;
  readonly from: number;
}

/**
 * Takes edits from a corrected report: the CSV download of the rows that need attention, or a part of
 * it. `_row` identifies a row; a cell that differs from its earlier value is an edit. Rows that are not to be repaired
 * must be as they were. @throws CannotRepair
 */
export async function takeFile(repair: OpenRepair, text: string, by: string): Promise<RepairTaken> {
  const [header = [], ...records] = recordsOf(text, csvDelimiter(inputOf(repair.input)));
  const at = rowColumn(header);
  const columns = placesIn(repair, header.slice(0, at));
  const byLine = Map.groupBy(records, (cells) => lineOf(cells[at]));
  if (byLine.size > MAX_OF_FILE)
    throw new CannotRepair(`the file has ${byLine.size} rows`, `give at most ${MAX_OF_FILE} at a time`);
  const lines = linesOfRows(repair, [...byLine.keys()]);
  const { open, retried, sent } = fatesOf(repair, [...lines.keys()]);
  const edits = editsIn(repair, open, columns, byLine);
  const { judged, others } =
    edits.length === 0 ? { judged: [], others: [] } : await keep(repair, edits, { kind: 'file', by });
  const corrected = correctedOf(repair, [...retried, ...sent.keys()], columns, byLine);
  const sends = Map.groupBy(sent, ([, importId]) => importId);
  return {
    rows: judged.length,
    cells: edits.length,
    same: byLine.size - judged.length - corrected.size,
    freed: others.filter(({ problems }) => problems.length === 0).length,
    wrong: judged
      .filter(({ problems }) => problems.length > 0)
      .slice(0, MAX_LISTED)
      .map(({ row, problems }) => ({ line: lines.get(row) ?? row, problems: [...problems] })),
    retried: retried.filter((row) => corrected.has(row)).length,
    sent: [...sends].map(([importId, rows]) => {
      const changed = rows.filter(([row]) => corrected.has(row)).length;
      return { importId, rows: rows.length, changed };
    }),
    counts: countsOf(repair),
  };
}

/** Row -> its line. @throws CannotRepair when the import has no such line */
function linesOfRows({ ledger }: OpenRepair, lines: readonly number[]): Map<number, number> {
  const found = ledger.sql('rows_of_lines').all({ lines: JSON.stringify(lines) });
  const known = new Map(found.map(({ line, row_id }) => [Number(row_id), Number(line)]));
  const existing = new Set(known.values());
  const unknown = lines.find((line) => !existing.has(line));
  if (unknown === undefined) return known;
  throw new CannotRepair(
    `the import has no row ${unknown}`,
    'give back the report of this import, with its column _row',
  );
}

interface Fates {
  /** Rows that the file may change. Those with nothing to repair are in the report as well. */
  readonly open: readonly number[];
  /** Rows that a plain retry has taken. */
  readonly retried: readonly number[];
  /** Rows that were sent repaired -> the import that they were sent in. */
  readonly sent: ReadonlyMap<number, string>;
}

function fatesOf({ ledger, isTaken }: OpenRepair, rows: readonly number[]): Fates {
  const sent = new Map<number, string>();
  for (const [row, { sentIn }] of repairsOf(ledger, rows)) if (sentIn !== null) sent.set(row, sentIn);
  const possible = whichToRepair(ledger, rows, isTaken);
  const withTaken = isTaken ? whichToRepair(ledger, rows, false) : possible;
  return {
    open: rows.filter((row) => possible.has(row) && !sent.has(row)),
    retried: rows.filter((row) => withTaken.has(row) && !possible.has(row) && !sent.has(row)),
    sent,
  };
}

/** Those of these rows in which the file has a cell that neither the input nor an edit has. */
function correctedOf(
  repair: OpenRepair,
  rows: readonly number[],
  columns: readonly Column[],
  byLine: ReadonlyMap<number, readonly (readonly string[])[]>,
): Set<number> {
  const description = inputOf(repair.input);
  const kept = editsOf(repair.ledger, rows);
  const corrected = originalsOf(repair, rows).filter(({ row, ...given }) => {
    const cells = cellsOf(description, given);
    const now = currentEdits(kept.get(row) ?? []);
    return columns.some(({ column, place, from }) => {
      const original = cells[place] ?? '';
      const known = [original, now.get(column) ?? original].flatMap((text) => [text, harmless(text)]);
      return byLine.get(given.line)?.some((line) => !known.includes(line[from] ?? ''));
    });
  });
  return new Set(corrected.map(({ row }) => row));
}

/** @throws CannotRepair when a row is there several times and its cells do not agree */
function editsIn(
  repair: OpenRepair,
  rows: readonly number[],
  columns: readonly Column[],
  byLine: ReadonlyMap<number, readonly (readonly string[])[]>,
): CellEdit[] {
  const description = inputOf(repair.input);
  const kept = editsOf(repair.ledger, rows);
  const edits: CellEdit[] = [];
  for (const { row, ...original } of originalsOf(repair, rows)) {
    const cells = cellsOf(description, original);
    const now = currentEdits(kept.get(row) ?? []);
    for (const { column, place, from } of columns) {
      const before = now.get(column) ?? cells[place] ?? '';
      const disarmed = harmless(before);
      // A report repeats a row for each of its memberships, and people often correct only one of these lines.
      const given = new Set((byLine.get(original.line) ?? []).map((line) => line[from] ?? ''));
      const [value, other] = [...given].filter((text) => text !== before && text !== disarmed);
      if (other !== undefined) {
        throw new CannotRepair(
          `row ${original.line} is on several lines of the file, with ${JSON.stringify(value)} and ${JSON.stringify(other)} in ${column}`,
          'correct one of these lines, or give all of them the same cells',
        );
      }
      if (value !== undefined) edits.push({ row, column, value });
    }
  }
  return edits;
}

function recordsOf(text: string, delimiter: string): string[][] {
  try {
    const delimiters = [...new Set([delimiter, ',', ';', '\t'])];
    const first = text.slice(0, Math.max(0, text.search(/[\r\n]/)));
    // A spreadsheet may have saved it with another delimiter than it had.
    const best =
      delimiters.toSorted((one, other) => first.split(other).length - first.split(one).length)[0] ?? delimiter;
    return parse(text, { delimiter: best, bom: true, relax_column_count: true, skip_empty_lines: true });
  } catch (error) {
    throw new CannotRepair(
      `the file is not CSV: ${error instanceof Error ? error.message : String(error)}`,
      'save it as CSV (UTF-8) and give it again',
    );
  }
}

/** Place of our `_row`, which is numbered where the file had such a column itself: the last one. */
function rowColumn(header: readonly string[]): number {
  const at = header.findLastIndex((name) => /^_row(_\d+)?$/.test(name.trim()));
  if (at !== -1) return at;
  throw new CannotRepair(
    'the file has no column _row',
    'download the rows that need attention as CSV, correct that file, and keep its columns',
  );
}

function lineOf(cell: string | undefined): number {
  const line = Number(cell);
  if (Number.isSafeInteger(line) && line > 0) return line;
  throw new CannotRepair(
    `${JSON.stringify(cell ?? '')} in the column _row is not a row number`,
    'leave that column as it was downloaded',
  );
}

/** Returns the places of the import's columns in the file. Columns that the file leaves out stay as they are. */
function placesIn({ input }: OpenRepair, header: readonly string[]): Column[] {
  const editable = columnsOf(input);
  const taken = new Set<number>();
  const places = input.columns.flatMap((name, place) => {
    // Reports of earlier versions have an apostrophe before what begins like a formula.
    const names = [name.trim(), harmless(name).trim()];
    const from = header.findIndex((one, index) => !taken.has(index) && names.includes(one.trim()));
    if (from === -1) return [];
    taken.add(from);
    const column = editable[place] ?? '';
    return isEditable(column) ? [{ column, place, from }] : [];
  });
  if (places.length > 0) return places;
  throw new CannotRepair('the file has none of the columns of the import', 'keep the columns as they were downloaded');
}
