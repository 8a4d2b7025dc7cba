import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { attachCheck } from '../../imports/predictions/row-check.ts';
import { REPAIR_SCHEMA, repairFile } from '../../imports/repaired-rows.ts';
import { IMPORT_SCHEMA } from '../../imports/schemas.ts';
import { attachForReading, openForWriting, type Statements, statementsOf } from '../../platform/sqlite.ts';
import {
  type RepairAction,
  type RepairCounts,
  type RepairedStatus,
  type RepairProblem,
  type RepairState,
  rowProblems,
} from './api.ts';

const STATEMENTS = new URL('repair.sql', import.meta.url);

/** The edits of an import's rows, and its ledger beside them, which is only read. */
export interface RepairLedger {
  readonly database: DatabaseSync;
  readonly sql: Statements;
  close(): void;
}

/** A change of a cell; null: as the file had it. */
export interface CellEdit {
  readonly row: number;
  readonly column: string;
  readonly value: string | null;
}

/** An edit that was kept; `at` in ms since 1970. */
export interface KeptEdit extends CellEdit {
  readonly by: string;
  readonly at: number;
}

/** An import of repaired rows. */
export interface Send {
  readonly importId: string;
  readonly by: string;
  readonly at: number;
  readonly created: boolean;
  readonly rows: number;
}

/** Filter of the rows. */
export interface RepairFilter {
  readonly status?: RepairedStatus | undefined;
  readonly code?: string | undefined;
  /** The column of the problem, as the file names it; '': the problem concerns the whole row. */
  readonly problemColumn?: string | undefined;
  readonly states: readonly RepairState[];
}

/** @param folder of an import that has a ledger @param isUnsent rows that would fail can be repaired too */
export function openRepairLedger(folder: string, isUnsent = false): RepairLedger {
  const database = openForWriting(repairFile(folder), REPAIR_SCHEMA);
  attachForReading(database, join(folder, 'ledger.sqlite'), 'ledger', IMPORT_SCHEMA);
  const foreseen = isUnsent && attachCheck(database, folder) ? 'open_foreseen' : 'open_nothing_foreseen';
  const sql = statementsOf(database, STATEMENTS);
  for (const view of [foreseen, 'open_to_repair', 'open_repaired']) sql(view).run();
  return { database, sql, close: () => database.close() };
}

/** Returns the outcomes of rows that can be repaired, as JSON. `isTaken`: a plain retry has taken the others. */
export function statusesToRepair(isTaken: boolean, wanted?: RepairFilter['status']): string {
  const statuses = ['invalid', 'skipped', ...(isTaken ? [] : ['failed', 'unprocessed'])];
  return JSON.stringify(statuses.filter((status) => wanted === undefined || status === wanted));
}

/** Those of these rows that can be repaired, or were. */
export function whichToRepair({ sql }: RepairLedger, rows: readonly number[], isTaken: boolean): Set<number> {
  const found = sql('which_to_repair').all({ rows: JSON.stringify(rows), failed: Number(!isTaken) });
  return new Set(found.map((row) => Number(row['row_id'])));
}

/** Numbers of rows behind `after` that pass the filter. */
export function rowsToRepair(
  { sql }: RepairLedger,
  { status, code, problemColumn, states }: RepairFilter,
  { isTaken, after, limit }: { readonly isTaken: boolean; readonly after: number; readonly limit: number },
): number[] {
  return sql('page_to_repair')
    .all({
      after,
      limit,
      statuses: statusesToRepair(isTaken, status),
      code: code ?? null,
      column: problemColumn ?? null,
      states: JSON.stringify(states),
    })
    .map((row) => Number(row['row_id']));
}

export function countsOf({
  ledger,
  isTaken,
}: {
  readonly ledger: RepairLedger;
  readonly isTaken: boolean;
}): RepairCounts {
  const counts = ledger.sql('repair_counts').get({ failed: Number(!isTaken) });
  const n = (name: string) => Number(counts?.[name] ?? 0);
  return { ready: n('ready'), wrong: n('wrong'), sent: n('sent') };
}

export function sendsOf({ sql }: RepairLedger): Send[] {
  return sql<Omit<Send, 'created'> & { readonly created: 0 | 1 }>('sends')
    .all()
    .map((send) => ({ ...send, created: send.created === 1 }));
}

/** An action that can be undone; `at` in ms since 1970. */
interface LastAction {
  readonly id: number;
  readonly kind: RepairAction;
  readonly at: number;
  readonly cells: number;
  readonly rows: number;
}

/**
 * Returns the action that can be taken back, if it is this person's and none of its rows was sent since.
 * @param which the last action that was not undone, or the last undo
 */
export function lastAction(
  { sql }: RepairLedger,
  by: string,
  which: 'last_action' | 'last_undo' = 'last_action',
): LastAction | undefined {
  const last = sql<LastAction & { readonly by: string; readonly sent: number }>(which).get();
  return last?.sent === 0 && last.by === by ? last : undefined;
}

/** All edits of these rows by row, in order. */
export function editsOf({ sql }: RepairLedger, rows: readonly number[]): Map<number, KeptEdit[]> {
  const found = new Map<number, KeptEdit[]>();
  for (const edit of sql('edits_of').all({ rows: JSON.stringify(rows) })) {
    const row = Number(edit['row_id']);
    const value = edit['value'] === null ? null : String(edit['value']);
    const kept = { row, column: String(edit['column']), value, by: String(edit['by']), at: Number(edit['at']) };
    found.set(row, [...(found.get(row) ?? []), kept]);
  }
  return found;
}

/** The cells that differ from the file after these edits. */
export function currentEdits(edits: readonly CellEdit[]): Map<string, string> {
  const current = new Map<string, string>();
  for (const { column, value } of edits) {
    if (value === null) current.delete(column);
    else current.set(column, value);
  }
  return current;
}

/** A row with edits as it is now. */
interface Repaired {
  readonly state: RepairState;
  /** Problems that it has still. */
  readonly left: RepairProblem[];
  readonly sentIn: string | null;
}

/** Those of these rows that have edits. */
export function repairsOf({ sql }: RepairLedger, rows: readonly number[]): Map<number, Repaired> {
  return new Map(
    sql('repairs_of')
      .all({ rows: JSON.stringify(rows) })
      .map((row) => [
        Number(row['row_id']),
        {
          state: row['state'] as RepairState,
          left: rowProblems.parse(JSON.parse(String(row['problems']))),
          sentIn: row['import_id'] === null ? null : String(row['import_id']),
        },
      ]),
  );
}
