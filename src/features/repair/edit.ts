import { RollcallError } from '../../errors/rollcall-error.ts';
import { shown } from '../../imports/read/intake-error.ts';
import { inTransaction } from '../../platform/sqlite.ts';
import { counted, grouped } from '../../text/wording.ts';
import { cellsOf, editablePlaces } from './edited-rows.ts';
import { CONTRADICTION_CODES, judge } from './judge.ts';
import {
  type AskedEdit,
  MAX_CELL,
  type RefusedEdit,
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
