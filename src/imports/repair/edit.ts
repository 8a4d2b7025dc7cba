import type { RepairEdited, RepairReplaced, RepairState } from '../../api/repair.ts';
import { inTransaction } from '../../platform/sqlite.ts';
import { counted, grouped } from '../../text/wording.ts';
import { inputOf } from '../report/report-paths.ts';
import { cellsOf } from './edited-row.ts';
import { type Judged, judge } from './judge.ts';
import type { EditedRow } from './read-edited.ts';
import { CannotRepair } from './repair-errors.ts';
import { type CellEdit, currentEdits, editsOf, repairsOf, rowsToRepair, whichToRepair } from './repair-ledger.ts';
import { columnsOf, isEditable, type OpenRepair, shownCounts, viewsOf } from './show.ts';

/** Edits that an import keeps, undone ones included. */
const MOST_KEPT = 1_000_000;
/** Rows that one replacement changes. */
const MOST_REPLACED = 100_000;
/** Rows that are read together: a bound on memory. Each time, all rows behind are looked at for the first of them. */
const PAGE = 10_000;

/** States in which a row can be edited. */
export const NOT_SENT: readonly RepairState[] = ['open', 'wrong', 'ready'];

/** Keeps edits, and says of each row what is wrong with it now. @throws CannotRepair */
export async function edit(repair: OpenRepair, edits: readonly CellEdit[], by: string): Promise<RepairEdited> {
  await keep(repair, edits, by);
  const rows = [...new Set(edits.map(({ row }) => row))];
  return { rows: viewsOf(repair, rows), counts: shownCounts(repair) };
}

/** Undoes the edits of a row, or of one of its cells. @throws CannotRepair */
export async function restore(
  repair: OpenRepair,
  row: number,
  column: string | undefined,
  by: string,
): Promise<RepairEdited> {
  const now = currentEdits(editsOf(repair.ledger, [row]).get(row) ?? []);
  const back = [...now.keys()].filter((edited) => column === undefined || edited === column);
  if (back.length === 0) return { rows: viewsOf(repair, [row]), counts: shownCounts(repair) };
  return edit(
    repair,
    back.map((edited) => ({ row, column: edited, value: null })),
    by,
  );
}

/** Gives every row that has this value in a column another one. @throws CannotRepair */
export async function replace(
  repair: OpenRepair,
  request: {
    readonly column: string;
    readonly from: string;
    readonly to: string;
    readonly status?: 'invalid' | 'failed' | undefined;
    readonly code?: string | undefined;
  },
  by: string,
): Promise<RepairReplaced> {
  const { column, from, to, status, code } = request;
  const at = placeOf(repair, column);
  const edits: CellEdit[] = [];
  const description = inputOf(repair.input);
  for (let after = 0; ; ) {
    const page = rowsToRepair(
      repair.ledger,
      { status, code, states: NOT_SENT },
      { isTaken: repair.isTaken, after, limit: PAGE },
    );
    const kept = editsOf(repair.ledger, page);
    for (const { row, ...original } of originalsOf(repair, page)) {
      const now = currentEdits(kept.get(row) ?? []).get(column) ?? cellsOf(description, original)[at] ?? '';
      if (now === from) edits.push({ row, column, value: to });
    }
    after = page.at(-1) ?? 0;
    if (page.length < PAGE) break;
  }
  if (edits.length > MOST_REPLACED) {
    throw new CannotRepair(
      `${counted(edits.length, 'row')} have this value; one replacement may change ${grouped(MOST_REPLACED)}`,
      'correct the file itself and import it again',
    );
  }
  const judged = await keep(repair, edits, by);
  const ready = judged.filter(({ problems }) => problems.length === 0).length;
  return { rows: edits.length, ready, counts: shownCounts(repair) };
}

/** Keeps edits with what their rows are then, all or none. */
export async function keep(repair: OpenRepair, edits: readonly CellEdit[], by: string): Promise<readonly Judged[]> {
  const { ledger } = repair;
  const { sql } = ledger;
  const rows = [...new Set(edits.map(({ row }) => row))];
  checkEdits(repair, edits, rows);
  const before = editsOf(ledger, rows);
  const added = Map.groupBy(edits, ({ row }) => row);
  const now = originalsOf(repair, rows).map((row): EditedRow => {
    const all = [...(before.get(row.row) ?? []), ...(added.get(row.row) ?? [])];
    return { ...row, edits: currentEdits(all) };
  });
  const edited = now.filter((row) => row.edits.size > 0);
  const judged = await judge(ledger, repair, edited);
  const at = Date.now();
  inTransaction(ledger.database, () => {
    // They may have been sent while they were being read.
    refuseSent(repair, rows);
    for (const { row, column, value } of edits) sql('add_edit').run({ row, column, value, by, at });
    for (const { row, problems, retryable } of judged) {
      sql('keep_repair').run({ row, problems: JSON.stringify(problems), retryable });
    }
    for (const { row, edits: left } of now) if (left.size === 0) sql('forget_repair').run({ row });
  });
  return judged;
}

/** @throws CannotRepair */
function checkEdits(repair: OpenRepair, edits: readonly CellEdit[], rows: readonly number[]): void {
  const { ledger, isTaken } = repair;
  for (const column of new Set(edits.map((one) => one.column))) placeOf(repair, column);
  const possible = whichToRepair(ledger, rows, isTaken);
  const missing = rows.find((row) => !possible.has(row));
  if (missing !== undefined) {
    throw new CannotRepair(`row ${missing} has nothing to repair`, 'edit only rows that are listed as rows to repair', {
      field: 'row',
    });
  }
  refuseSent(repair, rows);
  const kept = Number(ledger.sql('edit_count').get()?.['n']);
  if (kept + edits.length > MOST_KEPT) {
    throw new CannotRepair(
      `the import has ${counted(kept, 'edit')}; it may have ${grouped(MOST_KEPT)}`,
      'correct the file itself and import it again',
    );
  }
}

function refuseSent({ ledger }: OpenRepair, rows: readonly number[]): void {
  for (const [row, { sentIn }] of repairsOf(ledger, rows)) {
    if (sentIn === null) continue;
    throw new CannotRepair(`row ${row} was sent in import ${sentIn}`, 'repair it there', { sentIn });
  }
}

/** Place of a column that can be edited. @throws CannotRepair */
function placeOf({ input }: OpenRepair, column: string): number {
  const columns = columnsOf(input);
  const place = columns.indexOf(column);
  if (place !== -1 && isEditable(column)) return place;
  const known = columns.filter(isEditable).join(', ');
  throw new CannotRepair(`${JSON.stringify(column)} is not a column that can be edited`, `the columns are ${known}`, {
    field: 'column',
  });
}

/** Rows as the file had them. */
export function originalsOf(
  { ledger }: OpenRepair,
  rows: readonly number[],
): { readonly row: number; readonly line: number; readonly original: string }[] {
  return ledger
    .sql('original_rows')
    .all({ rows: JSON.stringify(rows) })
    .map((found) => ({
      row: Number(found['id']),
      line: Number(found['line']),
      original: String(found['original']),
    }));
}
