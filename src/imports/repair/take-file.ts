import { parse } from 'csv-parse/sync';
import type { RepairTaken } from '../../api/repair.ts';
import { harmless } from '../../text/spreadsheet.ts';
import { OWN_COLUMNS } from '../report/columns.ts';
import { csvDelimiter } from '../report/csv.ts';
import { inputOf } from '../report/report-paths.ts';
import { keep, originalsOf } from './edit.ts';
import { cellsOf } from './edited-row.ts';
import { CannotRepair } from './repair-errors.ts';
import { type CellEdit, currentEdits, editsOf, failedValues, repairsOf } from './repair-ledger.ts';
import { columnsOf, isEditable, type OpenRepair, shownCounts } from './show.ts';

/** Rows with remaining problems that are listed. */
const MOST_LISTED = 20;
/** Rows that a file may change. */
const MOST_OF_FILE = 100_000;

/**
 * Takes edits from a corrected report: the CSV download of the rows that need attention, or a part of
 * it. `_row` identifies a row; a cell that differs from its earlier value is an edit. Rows that are not to be repaired
 * must be as they were. @throws CannotRepair
 */
export async function takeFile(repair: OpenRepair, text: string, by: string): Promise<RepairTaken> {
  const { ledger } = repair;
  const description = inputOf(repair.input);
  const records = recordsOf(text, csvDelimiter(description));
  const [header = [], ...rows] = records;
  const at = rowColumn(header);
  const columns = placesIn(repair, header.slice(0, at));
  const byLine = new Map(rows.map((cells) => [lineOf(cells[at]), cells]));
  if (byLine.size > MOST_OF_FILE)
    throw new CannotRepair(`the file has ${byLine.size} rows`, `give at most ${MOST_OF_FILE} at a time`);
  const found = new Map(
    ledger
      .sql('rows_of_lines')
      .all({ lines: JSON.stringify([...byLine.keys()]) })
      .map(({ line, row_id }) => [Number(line), Number(row_id)]),
  );
  const unknown = [...byLine.keys()].find((line) => !found.has(line));
  if (unknown !== undefined) {
    throw new CannotRepair(
      `the import has no row ${unknown}`,
      'give back the report of this import, with its column _row',
    );
  }
  const numbers = [...found.values()];
  const kept = editsOf(ledger, numbers);
  const done = new Set(
    repairsOf(ledger, numbers)
      .entries()
      .filter(([, { sentIn }]) => sentIn !== null)
      .map(([row]) => row),
  );
  const possible = new Set(
    ledger
      .sql('which_to_repair')
      .all({ rows: JSON.stringify(numbers), ...failedValues(repair.isTaken) })
      .map((row) => Number(row['row_id'])),
  );
  const edits: CellEdit[] = [];
  for (const { row, ...original } of originalsOf(repair, numbers)) {
    // Sent rows, and those with nothing to repair, are in the report as well: the file must not change them.
    if (done.has(row) || !possible.has(row)) continue;
    const cells = cellsOf(description, original);
    const now = currentEdits(kept.get(row) ?? []);
    const given = byLine.get(original.line) ?? [];
    for (const { column, place, from } of columns) {
      const before = now.get(column) ?? cells[place] ?? '';
      const after = given[from] ?? '';
      // A report disarms formulas with an apostrophe: that is not an edit.
      if (after !== before && after !== harmless(before)) edits.push({ row, column, value: after });
    }
  }
  const judged = edits.length === 0 ? [] : await keep(repair, edits, by);
  const lines = new Map([...found].map(([line, row]) => [row, line]));
  return {
    rows: judged.length,
    cells: edits.length,
    same: byLine.size - judged.length,
    wrong: judged
      .filter(({ problems }) => problems.length > 0)
      .slice(0, MOST_LISTED)
      .map(({ row, problems }) => ({ line: lines.get(row) ?? row, problems: [...problems] })),
    counts: shownCounts(repair),
  };
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
    `the file has no column ${OWN_COLUMNS[0]}`,
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

/** Where the columns of the import are in the file. Columns that the file leaves out stay as they are. */
function placesIn({ input }: OpenRepair, header: readonly string[]) {
  const editable = columnsOf(input);
  const names = input.columns.map(harmless);
  const taken = new Set<number>();
  const places = names.flatMap((name, place) => {
    const from = header.findIndex((one, index) => !taken.has(index) && one.trim() === name.trim());
    if (from === -1) return [];
    taken.add(from);
    const column = editable[place] ?? '';
    return isEditable(column) ? [{ column, place, from }] : [];
  });
  if (places.length > 0) return places;
  throw new CannotRepair('the file has none of the columns of the import', 'keep the columns as they were downloaded');
}
