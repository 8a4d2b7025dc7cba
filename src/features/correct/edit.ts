import { RollcallError } from '../../errors/rollcall-error.ts';
import { chunked } from '../../imports/read/element.ts';
import { openIntake } from '../../imports/read/intake.ts';
import { shown } from '../../imports/read/intake-error.ts';
import { counted, grouped } from '../../text/wording.ts';
import {
  cannotCorrect,
  choose,
  eachRow,
  editedIn,
  type FoundProblem,
  type OpenCorrections,
  type OpenRow,
  problemsOf,
  rowsOf,
} from './corrections-ledger.ts';
import { CONTRADICTION_CODES, clashesAmong, judged } from './edited-rows.ts';
import { type AskedEdit, type AskedReplacement, MAX_CELL, type RefusedEdit, type TakenEdits } from './operations.ts';

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
 * @param isPreview says what would change, and changes nothing
 * @throws CANNOT_CORRECT for too many rows, BAD_OPTION for a row or column that is not there
 */
export async function edit(
  open: OpenCorrections,
  asked: Iterable<AskedEdit>,
  by: string,
  isPreview = false,
): Promise<TakenEdits> {
  const edited = new Set<number>();
  const refusedRows = new Set<number>();
  let cells = 0;
  const examples: TakenEdits['examples'] = [];
  const refused: RefusedEdit[] = [];
  for (const some of chunked(asked)) {
    const numbers = some.map(({ row }) => row);
    const rows = rowsOf(open, numbers);
    const problems = problemsOf(open, numbers);
    for (const { row, column, was, value } of some) {
      const found = rows.get(row);
      if (found === undefined) {
        throw badField('row', `the import has no row ${row}`, 'edit only rows that are listed as rows to correct');
      }
      const { line, edits, editors } = found;
      const inFile = found.cells[placeOf(open, column)] ?? null;
      const now = edits.get(column) ?? inFile;
      const to = value ?? inFile;
      const why =
        whyClosed(open, found, problems.get(row)) ?? (now !== was && now !== to && changedTo(now, editors.get(column)));
      if (why) {
        refusedRows.add(row);
        if (refused.length < MAX_REFUSED) refused.push({ row, line, column, value, now, ...why });
        continue;
      }
      edited.add(row);
      if (edited.size > MAX_ROWS) {
        const remedy = 'choose fewer rows, or correct the file itself and import it again';
        throw cannotCorrect(`more than ${grouped(MAX_ROWS)} rows would change`, remedy);
      }
      cells += 1;
      if (examples.length < MAX_EXAMPLES) examples.push({ line, from: now ?? '', to: to ?? '' });
      if (value === null || value === inFile) edits.delete(column);
      else edits.set(column, value);
      if (!isPreview) open.sql('set_edit').run({ row, column, value: edits.get(column) ?? null, by });
    }
  }
  const judgement = isPreview ? { ready: 0, wrong: [] } : await judgeAgain(open, edited);
  const { revision, ready, wrong, sent } = editedIn(open);
  return {
    rows: edited.size,
    cells,
    examples,
    same: 0,
    refused,
    refusedRows: refusedRows.size,
    ...judgement,
    counts: { ready, wrong, sent },
    revision,
  };
}

/** Judges edited rows, and those that one of them contradicted, or contradicts now. */
async function judgeAgain(open: OpenCorrections, edited: ReadonlySet<number>) {
  const { sql } = open;
  const rows = JSON.stringify([...edited]);
  const relatives = sql<{ row: number }>('relatives_of').all({ rows, codes: CONTRADICTION_CODES });
  const related = new Set(relatives.map(({ row }) => row));
  const clashes = await clashesAmong(open, related);
  let ready = 0;
  const wrong: TakenEdits['wrong'] = [];
  const all = [...edited.union(related)].toSorted((one, other) => one - other);
  for await (const { row, line, edits, problems } of judged(open, all, clashes)) {
    sql('forget_corrected').run({ row });
    if (edited.has(row) && problems.length > 0 && wrong.length < MAX_WRONG) wrong.push({ line, problems });
    // Without edits, it is as the file had it, unless what was wrong with it was another row.
    if (edits.size === 0 && (problems.length > 0 || !related.has(row))) continue;
    sql('keep_corrected').run({ row, problems: JSON.stringify(problems) });
    if (edited.has(row) && problems.length === 0) ready += 1;
  }
  return { ready, wrong };
}

function badField(field: string, what: string, remedy: string) {
  return new RollcallError('BAD_OPTION', { field, what, remedy });
}

function whyClosed({ takenBy }: OpenCorrections, { sentIn }: OpenRow, problems: readonly FoundProblem[] = []) {
  if (sentIn !== null) return { reason: `the row was sent in import ${sentIn}`, sentIn: [sentIn] };
  if (problems.length === 0) return { reason: 'the row has nothing to correct', sentIn: [] };
  const isHere = takenBy.length === 0 || problems.some(({ status }) => status === 'invalid' || status === 'skipped');
  return isHere
    ? undefined
    : { reason: `the row was retried as it was, in import ${takenBy.join(' or ')}`, sentIn: [...takenBy] };
}

function changedTo(now: string | null, by: string | undefined) {
  const value = now === null ? 'no value' : shown(now);
  return { reason: by === undefined ? `the cell has ${value}` : `${by} has entered ${value} meanwhile`, sentIn: [] };
}

/** Place of a column that can be edited. @throws BAD_OPTION */
function placeOf({ places }: OpenCorrections, column: string) {
  const place = places.get(column);
  if (place !== undefined) return place;
  const what = `${JSON.stringify(column)} is not a column that can be edited`;
  throw badField('column', what, `the columns are ${[...places.keys()].join(', ')}`);
}

/** Replaces a value, or a text in values, in a column. @throws as `edit`, and CANNOT_CORRECT for too long a value */
export function replace(
  open: OpenCorrections,
  { preview, column, as, from, to, ...filter }: AskedReplacement,
  by: string,
): Promise<TakenEdits> {
  const place = placeOf(open, column);
  if (as === 'text' && from === '') throw badField('from', 'there is no text to look for', 'say which text');
  choose(open, filter);
  const chosen = open.sql<{ row: number }>('page_to_correct').iterate({ after: 0, limit: -1 });
  // Each row comes once, in order, so that edits of those before it change none of them.
  function* replaced(): Generator<AskedEdit> {
    for (const { row, cells, edits } of eachRow(open, chosen)) {
      const was = edits.get(column) ?? cells[place] ?? null;
      const text = was ?? '';
      const value = as === 'text' ? text.replaceAll(from, () => to) : text === from ? to : text;
      if (value === text) continue;
      if (value.length > MAX_CELL) {
        const what = `${column} would have ${counted(value.length, 'character')} in a row`;
        throw cannotCorrect(what, `a cell may have ${grouped(MAX_CELL)}`);
      }
      yield { row, column, was, value };
    }
  }
  return edit(open, replaced(), by, preview);
}

export type CorrectedFile = Readonly<{ bytes: Uint8Array; name: string }>;

/**
 * Takes edits from a corrected report: the download of the rows that need attention, or a part of it, as CSV or as a
 * workbook. `_row` identifies a row; a cell that differs from what the import had is an edit. It replaces an earlier edit
 * of the same person, and nobody else's. Rows that are not to be corrected must be as they were. @throws CANNOT_CORRECT, IntakeError
 */
export async function takeFile(open: OpenCorrections, file: CorrectedFile, by: string): Promise<TakenEdits> {
  const { sql, options } = open;
  const source = { bytes: Buffer.from(file.bytes), name: file.name };
  // Its cells are wanted, and no memberships.
  const intake = await openIntake(source, { format: 'csv', map: {}, lenient: true, region: options.region });
  const header = intake.columns();
  const at = rowColumn(header);
  const columns = columnsIn(open, header.slice(0, at));
  /** The lines of the file that are about a row, as JSON, by its place. */
  const given = new Map<number, string[]>();
  for await (const rows of intake.chunks()) {
    for (const { original } of rows) {
      const line = lineOf(JSON.parse(original)[at]);
      given.set(line, [...(given.get(line) ?? []), original]);
    }
  }
  const lines = JSON.stringify([...given.keys()]);
  const found = sql<{ row: number; line: number }>('rows_of_lines').all({ lines });
  const [unknown] = new Set(given.keys()).difference(new Set(found.map(({ line }) => line)));
  if (unknown !== undefined) {
    const { id, retryOf } = open;
    const others = retryOf === null ? '' : `, or give a report of import ${retryOf}, which it retries, to that import`;
    throw cannotCorrect(
      `import ${id} has no row ${unknown}`,
      `give back the report of this import, with its column _row${others}`,
    );
  }
  let same = 0;
  function* corrections() {
    for (const row of eachRow(open, found)) {
      const edits = correctionsOf(row, columns, given.get(row.line) ?? [], by);
      if (edits.length === 0) same += 1;
      yield* edits;
    }
  }
  const taken = await edit(open, corrections(), by);
  return { ...taken, same };
}

/** A column of the import: its place there, and the place in the corrected file that it is read from. */
type Column = Readonly<{ column: string; place: number; from: number }>;

/**
 * Cells of a row in the file that have neither the value of the import nor the one that they were edited to.
 * @param given the lines of the file that are about it @throws CANNOT_CORRECT when their cells do not agree
 */
function correctionsOf(
  { row, line, cells, edits, editors }: OpenRow,
  columns: readonly Column[],
  given: readonly string[],
  by: string,
) {
  const records: string[][] = given.map((one) => JSON.parse(one));
  return columns.flatMap(({ column, place, from }): AskedEdit[] => {
    const edited = edits.get(column);
    const inFile = cells[place] ?? null;
    // A report repeats a row for each of its memberships, and people often correct only one of these lines.
    const texts = new Set(records.map((one) => one[from] ?? '')).difference(new Set([inFile ?? '', edited]));
    const [value, other] = texts;
    if (other !== undefined) {
      throw cannotCorrect(
        `row ${line} is on several lines of the file, with ${JSON.stringify(value)} and ${JSON.stringify(other)} in ${column}`,
        'correct one of these lines, or give all of them the same cells',
      );
    }
    if (value === undefined) return [];
    const isOwn = edited !== undefined && editors.get(column) === by;
    return [{ row, column, was: isOwn ? edited : inFile, value }];
  });
}

/** Place of our `_row`, which is numbered where the file had such a column itself: the last one. */
function rowColumn(header: readonly string[]) {
  const at = header.findLastIndex((name) => /^_row(_\d+)?$/.test(name.trim()));
  if (at !== -1) return at;
  throw cannotCorrect(
    'the file has no column _row',
    'download the rows that need attention as CSV or as a workbook, correct that file, and keep its columns',
  );
}

function lineOf(cell: string | undefined) {
  const line = Number(cell);
  if (Number.isSafeInteger(line) && line > 0) return line;
  throw cannotCorrect(
    `${JSON.stringify(cell ?? '')} in the column _row is not a row number`,
    'leave that column as it was downloaded',
  );
}

/** Returns the columns of the import that are in the file. Those that the file leaves out stay as they are. */
function columnsIn({ input, places }: OpenCorrections, header: readonly string[]) {
  const taken = new Set<number>();
  const columns = [...places].flatMap(([column, place]) => {
    const name = input.columns[place]?.trim();
    const from = header.findIndex((one, index) => !taken.has(index) && one.trim() === name);
    if (from === -1) return [];
    taken.add(from);
    return [{ column, place, from }];
  });
  if (columns.length > 0) return columns;
  throw cannotCorrect('the file has none of the columns of the import', 'keep the columns as they were downloaded');
}
