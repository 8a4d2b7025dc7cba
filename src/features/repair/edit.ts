import { RollcallError } from '../../errors/rollcall-error.ts';
import { openIntake } from '../../imports/read/intake.ts';
import { shown } from '../../imports/read/intake-error.ts';
import { inTransaction } from '../../platform/sqlite.ts';
import { counted, grouped } from '../../text/wording.ts';
import { cellsOf, editablePlaces } from './edited-rows.ts';
import { CONTRADICTION_CODES, judge } from './judge.ts';
import {
  type AskedEdit,
  MAX_CELL,
  type RefusedEdit,
  type RepairFileTaken,
  type RepairReplace,
  type RepairReplaced,
  type RepairTaken,
} from './operations.ts';
import {
  cannotRepair,
  countsOf,
  type FoundProblem,
  filterOf,
  type OpenRepair,
  type OpenRow,
  problemsOf,
  revisionOf,
  rowsOf,
} from './repair-ledger.ts';

/** Edits that are listed as refused: all of a page. */
const MAX_REFUSED = 1_000;
/** Rows that are listed with their remaining problems. */
const MAX_WRONG = 20;

/**
 * Makes those edits that replace what they say, and says what is wrong with each row now. The last edit of a cell counts.
 * Rows that an edited row contradicted, or contradicts now, are judged with it. @throws CannotRepair
 */
export async function edit(repair: OpenRepair, asked: readonly AskedEdit[], by: string): Promise<RepairTaken> {
  const { sql, database } = repair;
  const numbers = [...new Set(asked.map(({ row }) => row))];
  const related = sql<{ row: number }>('relatives_of').all({
    rows: JSON.stringify(numbers),
    codes: CONTRADICTION_CODES,
  });
  const together = new Set(related.map(({ row }) => row));
  const rows = rowsOf(repair, [...together.union(new Set(numbers))]);
  const { taken, refused } = sift(repair, asked, rows);
  const edited = new Set(taken.map(({ row }) => row));
  const judged = await judge(
    repair,
    [...rows.values()].filter(({ row, edits }) => together.has(row) || (edited.has(row) && edits.size > 0)),
    together,
  );
  inTransaction(database, () => {
    for (const { row, column, value } of taken) sql('set_edit').run({ row, column, value, by });
    for (const row of edited.union(together)) sql('forget_repair').run({ row });
    for (const { row, problems } of judged) {
      const isEdited = (rows.get(row)?.edits.size ?? 0) > 0;
      if (isEdited || problems.length === 0) sql('keep_repair').run({ row, problems: JSON.stringify(problems) });
    }
  });
  const own = judged.filter(({ row }) => edited.has(row));
  const wrong = own.filter(({ problems }) => problems.length > 0);
  return {
    rows: edited.size,
    cells: taken.length,
    ready: own.length - wrong.length,
    refused: refused.slice(0, MAX_REFUSED),
    refusedRows: new Set(refused.map(({ row }) => row)).size,
    wrong: wrong.slice(0, MAX_WRONG).map(({ line, problems }) => ({ line, problems: [...problems] })),
    counts: countsOf(repair),
    revision: revisionOf(repair),
  };
}

/**
 * Parts edits into those that can be made, which the rows have then, and those that cannot: of a row that was sent, or of a cell that
 * has another value than they say. @throws CannotRepair for a row or column that is not there
 */
function sift(repair: OpenRepair, asked: readonly AskedEdit[], rows: ReadonlyMap<number, OpenRow>) {
  const places = new Map(asked.map(({ column }) => [column, editablePlace(repair, column)]));
  const problems = problemsOf(repair, [...rows.keys()]);
  const taken: AskedEdit[] = [];
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
    const isStale = now !== was && now !== (value ?? inFile);
    const why =
      whyClosed(repair, found, problems.get(row)) ??
      (isStale ? { reason: changedTo(now, editors.get(column)), sentIn: [] } : undefined);
    if (why !== undefined) refused.push({ row, line, column, value, now, ...why });
    else {
      taken.push({ row, column, was, value: value === inFile ? null : value });
      if (value === null || value === inFile) edits.delete(column);
      else edits.set(column, value);
    }
  }
  return { taken, refused };
}

/** The reason why a row cannot be edited; undefined where it can. */
function whyClosed({ statuses, takenBy }: OpenRepair, { sentIn }: OpenRow, problems: readonly FoundProblem[] = []) {
  if (sentIn !== null) return { reason: `the row was sent in import ${sentIn}`, sentIn: [sentIn] };
  if (problems.length === 0) return { reason: 'the row has nothing to repair', sentIn: [] };
  if (problems.some(({ status }) => statuses.includes(status))) return undefined;
  return { reason: `the row was retried as it was, in import ${takenBy.join(' or ')}`, sentIn: [...takenBy] };
}

function changedTo(now: string | null, by: string | undefined) {
  const value = now === null ? 'no value' : shown(now);
  return by === undefined ? `the cell has ${value}` : `${by} has entered ${value} meanwhile`;
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

/** Rows that one replacement changes. */
const MAX_ROWS = 100_000;
/** Changes that are shown as examples. */
const MAX_EXAMPLES = 10;

/** Replaces a value, or a text in values, in a column. @throws CannotRepair */
export async function replace(repair: OpenRepair, request: RepairReplace, by: string): Promise<RepairReplaced> {
  const { column, as, from, to, preview } = request;
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
  const changes = repair.sql<Replacement>('replacements').all({
    ...filterOf(repair, request),
    in: column,
    text: as === 'text' ? 1 : 0,
    from,
    to,
    limit: preview ? MAX_EXAMPLES : MAX_ROWS,
  });
  const { total = 0, longest = 0 } = changes[0] ?? {};
  if (total > MAX_ROWS) {
    throw cannotRepair(
      `${grouped(total)} rows would change; one replacement may change ${grouped(MAX_ROWS)}`,
      'choose fewer rows, or correct the file itself and import it again',
    );
  }
  if (longest > MAX_CELL) {
    throw cannotRepair(
      `${column} would have ${counted(longest, 'character')} in a row`,
      `a cell may have ${grouped(MAX_CELL)}`,
    );
  }
  const taken = await edit(repair, preview ? [] : changes, by);
  const examples = changes.slice(0, MAX_EXAMPLES).map(({ line, was, value }) => ({ line, from: was ?? '', to: value }));
  return { ...taken, rows: total, examples };
}

/** One of the cells that change, of so many, and the most characters that one would have. */
type Replacement = AskedEdit & Readonly<{ value: string; line: number; total: number; longest: number }>;

/** Rows that a file may change. */
const MAX_OF_FILE = 100_000;

/** A file as it was sent. */
export type CorrectedFile = Readonly<{ bytes: Uint8Array; name: string }>;

/** A column of the import: its place there, and the place in the corrected file that it is read from. */
type Column = Readonly<{ column: string; place: number; from: number }>;

/** Lines of the file by the line of the import that they are about. */
type Lines = ReadonlyMap<number, readonly (readonly string[])[]>;

/**
 * Takes edits from a corrected report: the download of the rows that need attention, or a part of it, as CSV or as a
 * workbook. `_row` identifies a row; a cell that differs from what the import had is an edit. It replaces an earlier edit
 * of the same person, and nobody else's. Rows that are not to be repaired must be as they were. @throws CannotRepair, IntakeError
 */
export async function takeFile(repair: OpenRepair, file: CorrectedFile, by: string): Promise<RepairFileTaken> {
  const [header = [], ...records] = await recordsOf(file, repair);
  const at = rowColumn(header);
  const columns = placesIn(repair, header.slice(0, at));
  const lines = Map.groupBy(records, (cells) => lineOf(cells[at]));
  if (lines.size > MAX_OF_FILE)
    throw cannotRepair(`the file has ${lines.size} rows`, `give at most ${MAX_OF_FILE} at a time`);
  const asked = correctionsIn(repair, columns, lines, by);
  return {
    ...(await edit(repair, asked, by)),
    same: lines.size - new Set(asked.map(({ row }) => row)).size,
  };
}

/**
 * Cells of the file that have neither the value of the import nor the one that they were edited to.
 * @throws CannotRepair when the import has no such line, or when a row is there several times and its cells do not agree
 */
function correctionsIn(repair: OpenRepair, columns: readonly Column[], lines: Lines, by: string) {
  const given = repair.sql<{ row: number }>('rows_of_lines').all({ lines: JSON.stringify([...lines.keys()]) });
  const rows = rowsOf(
    repair,
    given.map(({ row }) => row),
  );
  const known = new Set([...rows.values()].map(({ line }) => line));
  const unknown = [...lines.keys()].find((line) => !known.has(line));
  if (unknown !== undefined)
    throw cannotRepair(`the import has no row ${unknown}`, 'give back the report of this import, with its column _row');
  return [...rows.values()].flatMap((found) => {
    const { row, line, edits, editors } = found;
    const cells = cellsOf(repair.input, found);
    return columns.flatMap(({ column, place, from }): AskedEdit[] => {
      const edited = edits.get(column);
      const inFile = cells[place] ?? null;
      // A report repeats a row for each of its memberships, and people often correct only one of these lines.
      const texts = new Set(lines.get(line)?.map((one) => one[from] ?? ''));
      texts.delete(inFile ?? '');
      const [value, other] = [...texts].filter((text) => text !== edited);
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
