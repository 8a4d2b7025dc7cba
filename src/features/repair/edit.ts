import { RollcallError } from '../../errors/rollcall-error.ts';
import { openIntake } from '../../imports/read/intake.ts';
import { shown } from '../../imports/read/intake-error.ts';
import { inTransaction } from '../../platform/sqlite.ts';
import { counted, grouped } from '../../text/wording.ts';
import { CONTRADICTION_CODES, cellsOf, editablePlaces, judge } from './edited-rows.ts';
import { type AskedEdit, MAX_CELL, type RefusedEdit, type RepairReplace, type RepairTaken } from './operations.ts';
import {
  cannotRepair,
  choose,
  editedIn,
  type FoundProblem,
  type OpenRepair,
  type OpenRow,
  problemsOf,
  rowsOf,
} from './repair-ledger.ts';

/** Rows that a replacement or a file may change. */
const MAX_ROWS = 100_000;
/** Changes that are shown as examples. */
const MAX_EXAMPLES = 10;
/** Edits that are listed as refused: all of a page. */
const MAX_REFUSED = 1_000;
/** Rows that are listed with their remaining problems. */
const MAX_WRONG = 20;

/**
 * Makes those edits that replace what they say, and says what is wrong with each row now. The last edit of a cell counts.
 * Rows that an edited row contradicted, or contradicts now, are judged with it. @throws CannotRepair
 */
export async function edit(
  repair: OpenRepair,
  asked: readonly AskedEdit[],
  by: string,
  { preview = false, same = 0 } = {},
): Promise<RepairTaken> {
  const { sql, database } = repair;
  const numbers = asked.map(({ row }) => row);
  const rowsAndCodes = { rows: JSON.stringify(numbers), codes: CONTRADICTION_CODES };
  const related = new Set(
    sql<{ row: number }>('relatives_of')
      .all(rowsAndCodes)
      .map(({ row }) => row),
  );
  const rows = rowsOf(repair, [...numbers, ...related]);
  const { taken, refused } = sift(repair, asked, rows);
  const edited = new Set(taken.map(({ row }) => row));
  const toJudge = [...rows.values()].filter(
    ({ row, edits }) => related.has(row) || (edited.has(row) && edits.size > 0),
  );
  const judged = await judge(repair, toJudge, related);
  const make = () => {
    for (const { row, column, value } of taken) sql('set_edit').run({ row, column, value, by });
    for (const row of edited.union(related)) sql('forget_repair').run({ row });
    for (const { row, edits, problems } of judged) {
      if (edits.size > 0 || problems.length === 0) sql('keep_repair').run({ row, problems: JSON.stringify(problems) });
    }
  };
  if (!preview) inTransaction(database, make);
  const own = judged.filter(({ row }) => edited.has(row));
  const wrong = own.filter(({ problems }) => problems.length > 0);
  const { revision, ready, wrong: stillWrong, sent } = editedIn(repair);
  return {
    rows: edited.size,
    cells: taken.length,
    examples: taken.slice(0, MAX_EXAMPLES).map(({ line, from, to }) => ({ line, from, to })),
    same,
    ready: own.length - wrong.length,
    refused: refused.slice(0, MAX_REFUSED),
    refusedRows: new Set(refused.map(({ row }) => row)).size,
    wrong: wrong.slice(0, MAX_WRONG).map(({ line, problems }) => ({ line, problems })),
    counts: { ready, wrong: stillWrong, sent },
    revision,
  };
}

/**
 * Parts edits into those that can be made, which the rows have then, and those that cannot: of a row that was sent, or of a cell that
 * has another value than they say. @throws CannotRepair for a row or column that is not there
 */
function sift(repair: OpenRepair, asked: readonly AskedEdit[], rows: ReadonlyMap<number, OpenRow>) {
  const places = new Map(asked.map(({ column }) => [column, editablePlace(repair, column)]));
  const problems = problemsOf(repair, [...rows.keys()]);
  const taken: (Pick<AskedEdit, 'row' | 'column' | 'value'> & RepairTaken['examples'][number])[] = [];
  const refused: RefusedEdit[] = [];
  for (const { row, column, was, value } of asked) {
    const found = rows.get(row);
    if (found === undefined) {
      throw new RollcallError('BAD_OPTION', {
        field: 'row',
        what: `the import has no row ${row}`,
        remedy: 'edit only rows that are listed as rows to repair',
      });
    }
    const { line, edits, editors } = found;
    const inFile = cellsOf(repair.input, found)[places.get(column) ?? -1] ?? null;
    const now = edits.get(column) ?? inFile;
    const to = value ?? inFile;
    const why =
      whyClosed(repair, found, problems.get(row)) ?? (now !== was && now !== to && changedTo(now, editors.get(column)));
    if (why) refused.push({ row, line, column, value, now, ...why });
    else {
      const kept = to === inFile ? null : value;
      taken.push({ row, line, column, value: kept, from: now ?? '', to: to ?? '' });
      if (kept === null) edits.delete(column);
      else edits.set(column, kept);
    }
  }
  return { taken, refused };
}

/** The reason why a row cannot be edited; undefined where it can. */
function whyClosed({ takenBy }: OpenRepair, { sentIn }: OpenRow, problems: readonly FoundProblem[] = []) {
  if (sentIn !== null) return { reason: `the row was sent in import ${sentIn}`, sentIn: [sentIn] };
  if (problems.length === 0) return { reason: 'the row has nothing to repair', sentIn: [] };
  const isHere = takenBy.length === 0 || problems.some(({ status }) => status === 'invalid' || status === 'skipped');
  return isHere
    ? undefined
    : { reason: `the row was retried as it was, in import ${takenBy.join(' or ')}`, sentIn: [...takenBy] };
}

function changedTo(now: string | null, by: string | undefined) {
  const value = now === null ? 'no value' : shown(now);
  return { reason: by === undefined ? `the cell has ${value}` : `${by} has entered ${value} meanwhile`, sentIn: [] };
}

/** Place of a column that can be edited. @throws CannotRepair */
function editablePlace({ input }: OpenRepair, column: string) {
  const places = editablePlaces(input);
  const place = places.get(column);
  if (place !== undefined) return place;
  throw new RollcallError('BAD_OPTION', {
    field: 'column',
    what: `${JSON.stringify(column)} is not a column that can be edited`,
    remedy: `the columns are ${[...places.keys()].join(', ')}`,
  });
}

/** Replaces a value, or a text in values, in a column. @throws CannotRepair */
export function replace(repair: OpenRepair, request: RepairReplace, by: string): Promise<RepairTaken> {
  const { column, as, from, to } = request;
  const place = editablePlace(repair, column);
  if (as === 'text' && from === '') {
    throw new RollcallError('BAD_OPTION', {
      field: 'from',
      what: 'there is no text to look for',
      remedy: 'say which text',
    });
  }
  repair.database.function(
    'cell_of',
    (original, line) => cellsOf(repair.input, { original: String(original), line: Number(line) })[place] ?? null,
  );
  choose(repair, request);
  const text = Number(as === 'text');
  const asked = repair
    .sql<AskedEdit & { readonly value: string }>('replacements')
    .all({ in: column, text, from, to, limit: MAX_ROWS + 1 });
  if (asked.length > MAX_ROWS) {
    throw cannotRepair(
      `more than ${grouped(MAX_ROWS)} rows would change`,
      'choose fewer rows, or correct the file itself and import it again',
    );
  }
  const longest = asked.reduce((most, { value }) => Math.max(most, value.length), 0);
  if (longest > MAX_CELL) {
    throw cannotRepair(
      `${column} would have ${counted(longest, 'character')} in a row`,
      `a cell may have ${grouped(MAX_CELL)}`,
    );
  }
  return edit(repair, asked, by, request);
}

/** A file as it was sent. */
export type CorrectedFile = Readonly<{ bytes: Uint8Array; name: string }>;

/**
 * Takes edits from a corrected report: the download of the rows that need attention, or a part of it, as CSV or as a
 * workbook. `_row` identifies a row; a cell that differs from what the import had is an edit. It replaces an earlier edit
 * of the same person, and nobody else's. Rows that are not to be repaired must be as they were. @throws CannotRepair, IntakeError
 */
export async function takeFile(repair: OpenRepair, file: CorrectedFile, by: string): Promise<RepairTaken> {
  const [header = [], ...records] = await recordsOf(file, repair);
  const at = rowColumn(header);
  const columns = placesIn(repair, header.slice(0, at));
  const lines = Map.groupBy(records, (cells) => lineOf(cells[at]));
  if (lines.size > MAX_ROWS)
    throw cannotRepair(`the file has ${lines.size} rows`, `give at most ${MAX_ROWS} at a time`);
  const numbers = repair.sql<{ row: number }>('rows_of_lines').all({ lines: JSON.stringify([...lines.keys()]) });
  const known = rowsOf(
    repair,
    numbers.map(({ row }) => row),
  );
  const rows = new Map([...known.values()].map((row) => [row.line, row]));
  const asked = [...lines].flatMap(([line, given]) => {
    const row = rows.get(line);
    if (row !== undefined) return correctionsOf(repair, row, columns, given, by);
    throw cannotRepair(`the import has no row ${line}`, 'give back the report of this import, with its column _row');
  });
  return edit(repair, asked, by, { same: lines.size - new Set(asked.map(({ row }) => row)).size });
}

/** A column of the import: its place there, and the place in the corrected file that it is read from. */
type Column = Readonly<{ column: string; place: number; from: number }>;

/**
 * Cells of a row in the file that have neither the value of the import nor the one that they were edited to.
 * @param given the lines of the file that are about it @throws CannotRepair when their cells do not agree
 */
function correctionsOf(
  { input }: OpenRepair,
  found: OpenRow,
  columns: readonly Column[],
  given: readonly (readonly string[])[],
  by: string,
) {
  const { row, line, edits, editors } = found;
  const cells = cellsOf(input, found);
  return columns.flatMap(({ column, place, from }): AskedEdit[] => {
    const edited = edits.get(column);
    const inFile = cells[place] ?? null;
    // A report repeats a row for each of its memberships, and people often correct only one of these lines.
    const texts = new Set(given.map((one) => one[from] ?? '')).difference(new Set([inFile ?? '', edited]));
    const [value, other] = texts;
    if (other !== undefined) {
      throw cannotRepair(
        `row ${line} is on several lines of the file, with ${JSON.stringify(value)} and ${JSON.stringify(other)} in ${column}`,
        'correct one of these lines, or give all of them the same cells',
      );
    }
    if (value === undefined) return [];
    const isOwn = edited !== undefined && editors.get(column) === by;
    return [{ row, column, was: isOwn ? edited : inFile, value }];
  });
}

/** The cells of a file, its header first. @throws IntakeError */
async function recordsOf({ bytes, name }: CorrectedFile, { options: { region } }: OpenRepair): Promise<string[][]> {
  const file = { bytes: Buffer.from(bytes), name };
  // Its cells are wanted, and no memberships.
  const intake = await openIntake(file, { format: 'csv', map: {}, lenient: true, region });
  const records: string[][] = [];
  for await (const rows of intake.chunks()) records.push(...rows.map(({ original }) => JSON.parse(original)));
  return [[...intake.columns()], ...records];
}

/** Place of our `_row`, which is numbered where the file had such a column itself: the last one. */
function rowColumn(header: readonly string[]) {
  const at = header.findLastIndex((name) => /^_row(_\d+)?$/.test(name.trim()));
  if (at !== -1) return at;
  throw cannotRepair(
    'the file has no column _row',
    'download the rows that need attention as CSV or as a workbook, correct that file, and keep its columns',
  );
}

function lineOf(cell: string | undefined) {
  const line = Number(cell);
  if (Number.isSafeInteger(line) && line > 0) return line;
  throw cannotRepair(
    `${JSON.stringify(cell ?? '')} in the column _row is not a row number`,
    'leave that column as it was downloaded',
  );
}

/** Returns the places of the import's columns in the file. Columns that the file leaves out stay as they are. */
function placesIn({ input }: OpenRepair, header: readonly string[]) {
  const taken = new Set<number>();
  const places = [...editablePlaces(input)].flatMap(([column, place]) => {
    const name = input.columns[place]?.trim();
    const from = header.findIndex((one, index) => !taken.has(index) && one.trim() === name);
    if (from === -1) return [];
    taken.add(from);
    return [{ column, place, from }];
  });
  if (places.length > 0) return places;
  throw cannotRepair('the file has none of the columns of the import', 'keep the columns as they were downloaded');
}
