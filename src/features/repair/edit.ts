import { RollcallError } from '../../errors/rollcall-error.ts';
import { inTransaction } from '../../platform/sqlite.ts';
import { counted, grouped } from '../../text/wording.ts';
import type { RepairAction, RepairEdited, RepairState } from './api.ts';
import type { EditedRow } from './edited-rows.ts';
import { CONTRADICTION_CODES, type Judged, judge } from './judge.ts';
import { type CellEdit, countsOf, currentEdits, editsOf, repairsOf, whichToRepair } from './repair-ledger.ts';
import { columnsOf, isEditable, type OpenRepair, viewsOf } from './show.ts';

/** An edit that cannot be kept: no such row or column, or too many edits. */
export class CannotRepair extends RollcallError {
  declare readonly code: 'CANNOT_REPAIR';

  constructor(what: string, remedy: string, facts: Readonly<Record<string, unknown>> = {}) {
    super('CANNOT_REPAIR', what, { remedy, facts });
  }
}

/** Maximum number of edits that are stored for an import, including undone ones. */
const MAX_KEPT = 1_000_000;
/** Maximum number of rows in an answer besides those that were edited. */
const MAX_OTHERS = 1_000;

/** States in which a row can be edited. */
export const NOT_SENT: readonly RepairState[] = ['open', 'wrong', 'ready'];

/** Keeps edits, and says of each row what is wrong with it now. @throws CannotRepair */
export async function edit(
  repair: OpenRepair,
  edits: readonly CellEdit[],
  by: string,
  kind: RepairAction = 'edit',
): Promise<RepairEdited> {
  const { judged: _, others } = await keep(repair, edits, { kind, by });
  const rows = [...new Set([...edits, ...others.slice(0, MAX_OTHERS)].map(({ row }) => row))];
  return { rows: viewsOf(repair, rows), counts: countsOf(repair) };
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
  if (back.length === 0) return { rows: viewsOf(repair, [row]), counts: countsOf(repair) };
  return edit(
    repair,
    back.map((edited) => ({ row, column: edited, value: null })),
    by,
    'restore',
  );
}

/** The result of storing edits. */
interface Kept {
  /** The rows that were edited. */
  readonly judged: readonly Judged[];
  /** Further rows that may be sent now, or no longer: an edited row contradicted them, or does so now. */
  readonly others: readonly Judged[];
}

/** The kind of an action and its author; `undoes`: the action that it takes back. */
export interface Action {
  readonly kind: RepairAction;
  readonly by: string;
  readonly undoes?: number;
}

/** Keeps edits with what their rows are then, all or none. */
export async function keep(
  repair: OpenRepair,
  edits: readonly CellEdit[],
  { kind, by, undoes }: Action,
): Promise<Kept> {
  const { ledger } = repair;
  const { sql } = ledger;
  const rows = [...new Set(edits.map(({ row }) => row))];
  checkEdits(repair, edits, rows);
  const together = relativesOf(ledger, rows);
  const all = [...new Set([...rows, ...together])];
  const before = editsOf(ledger, all);
  const added = Map.groupBy(edits, ({ row }) => row);
  const now = originalsOf(repair, all).map((row): EditedRow => {
    const own = [...(before.get(row.row) ?? []), ...(added.get(row.row) ?? [])];
    return { ...row, edits: currentEdits(own) };
  });
  const edited = new Set(now.filter((row) => row.edits.size > 0).map(({ row }) => row));
  const judged = await judge(
    ledger,
    repair,
    now.filter(({ row }) => edited.has(row) || together.has(row)),
    together,
  );
  const at = Date.now();
  inTransaction(ledger.database, () => {
    // They may have been sent while they were being read.
    refuseSent(repair, rows);
    if (undoes !== undefined) sql('set_undone').run({ action: undoes });
    const action = sql<{ readonly id: number }>('add_action').get({
      kind,
      by,
      at,
      undone: Number(kind === 'undo'),
    });
    for (const { row, column, value } of edits)
      sql('add_edit').run({ row, column, value, by, at, action: action?.id ?? null });
    const keeps = new Set<number>();
    for (const { row, problems } of judged) {
      if (problems.length > 0 && !edited.has(row)) continue;
      keeps.add(row);
      sql('keep_repair').run({ row, problems: JSON.stringify(problems) });
    }
    for (const row of all) if (!keeps.has(row)) sql('forget_repair').run({ row });
  });
  const asked = new Set(rows);
  return {
    judged: judged.filter(({ row }) => asked.has(row)),
    others: judged.filter(({ row }) => !asked.has(row)),
  };
}

/** These rows and others that contradict each other, or did as the file had them. */
function relativesOf({ sql }: OpenRepair['ledger'], rows: readonly number[]): Set<number> {
  const found = sql('relatives_of').all({ rows: JSON.stringify(rows), codes: CONTRADICTION_CODES });
  return new Set(found.map((row) => Number(row['row_id'])));
}

/** @throws CannotRepair */
function checkEdits(repair: OpenRepair, edits: readonly CellEdit[], rows: readonly number[]): void {
  for (const column of new Set(edits.map((one) => one.column))) placeOf(repair, column);
  checkRows(repair, rows);
  const kept = Number(repair.ledger.sql('edit_count').get()?.['n']);
  if (kept + edits.length > MAX_KEPT) {
    throw new CannotRepair(
      `the import has ${counted(kept, 'edit')}; it may have ${grouped(MAX_KEPT)}`,
      'correct the file itself and import it again',
    );
  }
}

/** @throws CannotRepair when one of them cannot be edited */
export function checkRows(repair: OpenRepair, rows: readonly number[]): void {
  const { ledger, isTaken } = repair;
  const possible = whichToRepair(ledger, rows, isTaken);
  const missing = rows.find((row) => !possible.has(row));
  if (missing !== undefined) {
    throw new CannotRepair(`row ${missing} has nothing to repair`, 'edit only rows that are listed as rows to repair', {
      field: 'row',
    });
  }
  refuseSent(repair, rows);
}

function refuseSent(repair: OpenRepair, rows: readonly number[]): void {
  for (const [row, { sentIn }] of repairsOf(repair.ledger, rows)) {
    if (sentIn === null) continue;
    const [original] = originalsOf(repair, [row]);
    throw new CannotRepair(`row ${original?.line} of the file was sent in import ${sentIn}`, 'repair it there', {
      sentIn,
    });
  }
}

/** Place of a column that can be edited. @throws CannotRepair */
export function placeOf({ input }: OpenRepair, column: string): number {
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
