import { RollcallError } from '../../errors/rollcall-error.ts';
import { shown } from '../../imports/read/intake-error.ts';
import { inTransaction } from '../../platform/sqlite.ts';
import { counted, grouped } from '../../text/wording.ts';
import { cellsOf, editableColumns, isEditable } from './edited-rows.ts';
import { CONTRADICTION_CODES, judge } from './judge.ts';
import {
  type AskedEdit,
  MAX_CELL,
  type RefusedEdit,
  type RepairEdited,
  type RepairReplace,
  type RepairReplaced,
} from './operations.ts';
import {
  cannotRepair,
  countsOf,
  editorOf,
  editsOf,
  type OpenRepair,
  originalsOf,
  repairsOf,
  revisionOf,
  rowsToRepair,
  whichToRepair,
} from './repair-ledger.ts';
import { viewsOf } from './show.ts';

/** Maximum number of rows in an answer besides those that were edited. */
const MAX_OTHERS = 1_000;

/** A change of a cell; null: as the file had it. */
export type CellEdit = Readonly<Pick<AskedEdit, 'row' | 'column' | 'value'>>;

/** Makes those edits that replace what they say, and says of each row what is wrong with it now. @throws CannotRepair */
export async function edit(repair: OpenRepair, asked: readonly AskedEdit[], by: string): Promise<RepairEdited> {
  const before = revisionOf(repair);
  const { taken, refused } = sift(repair, asked);
  const { others } = await keep(repair, taken, by);
  const rows = [...new Set([...asked, ...others.slice(0, MAX_OTHERS)].map(({ row }) => row))];
  return {
    rows: viewsOf(repair, rows),
    refused,
    counts: countsOf(repair),
    revisions: { before, after: revisionOf(repair) },
  };
}

/**
 * Parts edits into those that can be made, and those that cannot: of a row that was sent, or of a cell that has another
 * value than they say. @throws CannotRepair for a row or column that is not there
 */
export function sift(repair: OpenRepair, asked: readonly AskedEdit[]) {
  const { input } = repair;
  const places = new Map(asked.map(({ column }) => [column, editablePlace(repair, column)]));
  const rows = [...new Set(asked.map(({ row }) => row))];
  const originals = new Map(originalsOf(repair, rows).map((row) => [row.row, row]));
  const closed = closedRows(repair, rows);
  const edits = editsOf(repair, rows);
  const taken: CellEdit[] = [];
  const refused: RefusedEdit[] = [];
  for (const { row, column, was, value } of asked) {
    const original = originals.get(row);
    if (original === undefined)
      throw new RollcallError('BAD_OPTION', { field: 'row', what: `the import has no row ${row}`, remedy: NO_ROW });
    const inFile = cellsOf(input, original)[places.get(column) ?? -1] ?? null;
    const now = edits.get(row)?.get(column) ?? inFile;
    const isStale = now !== was && now !== (value ?? inFile);
    const why =
      closed.get(row) ?? (isStale ? { reason: changedTo(now, editorOf(repair, row, column)), sentIn: [] } : undefined);
    if (why !== undefined) refused.push({ row, line: original.line, column, value, now, ...why });
    else {
      taken.push({ row, column, value: value === inFile ? null : value });
      if (value === null) edits.get(row)?.delete(column);
      else edits.get(row)?.set(column, value);
    }
  }
  return { taken, refused };
}

const NO_ROW = 'edit only rows that are listed as rows to repair';

/** Those of these rows that cannot be edited, and why. */
function closedRows(repair: OpenRepair, rows: readonly number[]) {
  const repairs = repairsOf(repair, rows);
  const open = whichToRepair(repair, rows);
  const retried = whichToRepair(repair, rows, false);
  const why = new Map<number, Pick<RefusedEdit, 'reason' | 'sentIn'>>();
  for (const row of rows) {
    const sentIn = repairs.get(row)?.sentIn ?? null;
    if (sentIn !== null) why.set(row, { reason: `the row was sent in import ${sentIn}`, sentIn: [sentIn] });
    else if (open.has(row)) continue;
    else if (!retried.has(row)) why.set(row, { reason: 'the row has nothing to repair', sentIn: [] });
    else
      why.set(row, {
        reason: `the row was retried as it was, in import ${repair.takenBy.join(' or ')}`,
        sentIn: [...repair.takenBy],
      });
  }
  return why;
}

function changedTo(now: string | null, by: string | undefined) {
  const value = now === null ? 'no value' : shown(now);
  return by === undefined ? `the cell has ${value}` : `${by} has entered ${value} meanwhile`;
}

/**
 * Keeps edits of rows that can be edited, with what these rows are then. The last edit of a cell counts.
 * @returns the rows that were edited, and others that may be sent now, or no longer: an edited row contradicted them, or does so now
 */
export async function keep(repair: OpenRepair, edits: readonly CellEdit[], by: string) {
  const { sql, database } = repair;
  const asked = new Set(edits.map(({ row }) => row));
  const together = relativesOf(repair, [...asked]);
  const all = [...asked.union(together)];
  const cells = editsOf(repair, all);
  for (const { row, column, value } of edits) {
    if (value === null) cells.get(row)?.delete(column);
    else cells.get(row)?.set(column, value);
  }
  const isEdited = (row: number) => (cells.get(row)?.size ?? 0) > 0;
  const now = originalsOf(repair, all)
    .filter(({ row }) => isEdited(row) || together.has(row))
    .map((row) => ({ ...row, edits: cells.get(row.row) ?? new Map() }));
  const judged = await judge(repair, now, together);
  inTransaction(database, () => {
    for (const { row, column, value } of edits) sql('set_edit').run({ row, column, value, by });
    const kept = judged.filter(({ row, problems }) => problems.length === 0 || isEdited(row));
    for (const { row, problems } of kept) sql('keep_repair').run({ row, problems: JSON.stringify(problems) });
    const rows = new Set(kept.map(({ row }) => row));
    for (const row of all) if (!rows.has(row)) sql('forget_repair').run({ row });
  });
  return {
    judged: judged.filter(({ row }) => asked.has(row)),
    others: judged.filter(({ row }) => !asked.has(row)),
  };
}

/** These rows and others that contradict each other, or did as the file had them. */
function relativesOf({ sql }: OpenRepair, rows: readonly number[]) {
  const found = sql<{ row: number }>('relatives_of').all({ rows: JSON.stringify(rows), codes: CONTRADICTION_CODES });
  return new Set(found.map(({ row }) => row));
}

/** Place of a column that can be edited. @throws CannotRepair */
function editablePlace({ input }: OpenRepair, column: string) {
  const columns = editableColumns(input);
  const place = columns.indexOf(column);
  if (place !== -1 && isEditable(column)) return place;
  const known = columns.filter(isEditable).join(', ');
  throw new RollcallError('BAD_OPTION', {
    field: 'column',
    what: `${JSON.stringify(column)} is not a column that can be edited`,
    remedy: `the columns are ${known}`,
  });
}

/** Rows that one replacement changes. */
const MAX_ROWS = 100_000;
/** Rows that are read together: a bound on memory. Each time, all rows behind are looked at for the first of them. */
const PAGE = 10_000;
/** Changes that are shown as examples. */
const MAX_EXAMPLES = 10;

/** A cell that would have another text. */
interface Change extends CellEdit {
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

/** Replaces a value, or a text in values, in a column. @throws CannotRepair */
export async function replace(repair: OpenRepair, request: RepairReplace, by: string): Promise<RepairReplaced> {
  const changes = changesIn(repair, request);
  if (changes.length > MAX_ROWS) {
    throw cannotRepair(
      `${grouped(changes.length)} rows would change; one replacement may change ${grouped(MAX_ROWS)}`,
      'choose fewer rows, or correct the file itself and import it again',
    );
  }
  const long = changes.find(({ to }) => to.length > MAX_CELL);
  if (long !== undefined) {
    throw cannotRepair(
      `${long.column} in row ${long.line} would have ${counted(long.to.length, 'character')}`,
      `a cell may have ${grouped(MAX_CELL)}`,
    );
  }
  const { judged } = await keep(repair, request.preview ? [] : changes, by);
  return {
    rows: changes.length,
    ready: judged.filter(({ problems }) => problems.length === 0).length,
    examples: changes.slice(0, MAX_EXAMPLES).map(({ line, from, to }) => ({ line, from, to })),
    counts: countsOf(repair),
  };
}

function changesIn(repair: OpenRepair, { states, preview: _, ...request }: RepairReplace) {
  const { column } = request;
  const replaced = replacing(request);
  const place = editablePlace(repair, column);
  const changes: Change[] = [];
  for (let after = 0; ; ) {
    const page = rowsToRepair(repair, { ...request, states }, after, PAGE);
    const edits = editsOf(repair, page);
    for (const { row, ...original } of originalsOf(repair, page)) {
      const inFile = cellsOf(repair.input, original)[place] ?? null;
      const from = edits.get(row)?.get(column) ?? inFile ?? '';
      const to = replaced(from);
      // Where nothing matches, a missing cell stays missing.
      if (to === from) continue;
      changes.push({ row, column, value: to === inFile ? null : to, line: original.line, from, to });
    }
    after = page.at(-1) ?? 0;
    if (page.length < PAGE) return changes;
  }
}

/** The new text of a cell. @throws CannotRepair */
function replacing({ as, from, to }: Pick<RepairReplace, 'as' | 'from' | 'to'>): (now: string) => string {
  if (as === 'cell') return (now) => (now === from ? to : now);
  if (from === '')
    throw new RollcallError('BAD_OPTION', {
      field: 'from',
      what: 'there is no text to look for',
      remedy: 'say which text',
    });
  return (now) => now.replaceAll(from, () => to);
}
