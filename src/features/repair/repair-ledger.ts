import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { RollcallError } from '../../errors/rollcall-error.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import { attachCheck } from '../../imports/predictions/row-check.ts';
import { REPAIR_SCHEMA, repairFile } from '../../imports/repaired-rows.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import type { Original } from '../../imports/report/report-table.ts';
import { IMPORT_SCHEMA } from '../../imports/schemas.ts';
import type { InputDescription } from '../../imports/stage/staged-row.ts';
import { attachForReading, openForWriting, type Statements, statementsOf } from '../../platform/sqlite.ts';
import {
  type RepairCounts,
  type RepairedStatus,
  type RepairProblem,
  type RepairReplace,
  type RepairRow,
  type RepairState,
  rowProblems,
} from './operations.ts';

const STATEMENTS = new URL('repair.sql', import.meta.url);

/** The import whose rows are repaired. */
export interface Subject {
  readonly folder: string;
  readonly options: ImportOptions;
  /** Plain retries, which have taken its failed rows. */
  readonly takenBy: readonly string[];
  /** Nothing of it was sent so far. */
  readonly isUnsent?: boolean;
}

/** An import's rows and edits, open. */
export interface OpenRepair extends Subject {
  /** Its failed rows are not to be repaired here any more. */
  readonly isTaken: boolean;
  /** The edits of its rows, and its ledger beside them, which is only read. */
  readonly database: DatabaseSync;
  readonly sql: Statements;
  readonly input: InputDescription;
}

/** @param remedy the next step, as a request */
export function cannotRepair(what: string, remedy: string) {
  return new RollcallError('CANNOT_REPAIR', { what, remedy });
}

/** Opens what belongs to an import for as long as `work` lasts. */
export async function withRepair<Result>(
  subject: Subject,
  work: (repair: OpenRepair) => Result | Promise<Result>,
): Promise<Result> {
  const { folder, isUnsent = false, takenBy } = subject;
  const reader = openImportReader(join(folder, 'ledger.sqlite'));
  const input = reader.input();
  reader.close();
  const database = openForWriting(repairFile(folder), REPAIR_SCHEMA);
  try {
    attachForReading(database, join(folder, 'ledger.sqlite'), 'ledger', IMPORT_SCHEMA);
    // Rows of an import that was not sent can be repaired where they would fail.
    const foreseen = isUnsent && attachCheck(database, folder) ? 'open_foreseen' : 'open_nothing_foreseen';
    const sql = statementsOf(database, STATEMENTS);
    for (const view of [foreseen, 'open_to_repair', 'open_repaired', 'open_sent']) sql(view).run();
    return await work({ ...subject, isTaken: takenBy.length > 0, database, sql, input });
  } finally {
    database.close();
  }
}

/** Column -> new text of its cell. */
export type Edits = ReadonlyMap<string, string>;

/** Filter of the rows; `states` by default: those that were not sent. */
export type RepairFilter = Pick<RepairReplace, 'status' | 'code' | 'problemColumn'> & {
  readonly states?: readonly RepairState[] | undefined;
};

const NOT_SENT: readonly RepairState[] = ['open', 'wrong', 'ready'];

/** Returns the outcomes of rows that can be repaired. `isTaken`: a plain retry has taken the others. */
export function statusesToRepair(isTaken: boolean, wanted?: RepairFilter['status']): string[] {
  const statuses = ['invalid', 'skipped', ...(isTaken ? [] : ['failed', 'unprocessed'])];
  return statuses.filter((status) => wanted === undefined || status === wanted);
}

/** A problem that a row has in the file, or had when it was sent. */
export interface FoundProblem extends RepairProblem {
  readonly row: number;
  readonly status: RepairedStatus;
}

/** The problems of these rows: those of further memberships count for the first one. */
export function problemsOf({ sql }: OpenRepair, rows: readonly number[]): FoundProblem[] {
  return sql<FoundProblem>('problems_of').all({ rows: JSON.stringify(rows) });
}

/** Those of these rows that can be repaired, or were. */
export function whichToRepair(repair: OpenRepair, rows: readonly number[], isTaken = repair.isTaken): Set<number> {
  const statuses = statusesToRepair(isTaken);
  const possible = problemsOf(repair, rows).filter(({ status }) => statuses.includes(status));
  return new Set(rows).intersection(new Set(possible.map(({ row }) => row)));
}

/** Numbers of rows behind `after` that pass the filter. */
export function rowsToRepair(
  { sql, isTaken }: OpenRepair,
  { status, code, problemColumn, states = NOT_SENT }: RepairFilter,
  after: number,
  limit: number,
): number[] {
  return sql<{ row: number }>('page_to_repair')
    .all({
      after,
      limit,
      statuses: JSON.stringify(statusesToRepair(isTaken, status)),
      code: code ?? null,
      column: problemColumn ?? null,
      states: JSON.stringify(states),
    })
    .map(({ row }) => row);
}

export function countsOf({ sql, isTaken }: OpenRepair): RepairCounts {
  const counts = sql<RepairCounts>('repair_counts').get({ failed: Number(!isTaken) });
  return { ready: 0, wrong: 0, sent: 0, ...counts };
}

/** Returns the number of the last edit. */
export function revisionOf({ sql }: OpenRepair): number {
  return Number(sql('revision').get()?.['n']);
}

/** A row as the file had it. */
export interface OriginalRow extends Original {
  /** Its number in the ledger. */
  readonly row: number;
}

export function originalsOf({ sql }: OpenRepair, rows: readonly number[]): OriginalRow[] {
  return sql<OriginalRow>('original_rows').all({ rows: JSON.stringify(rows) });
}

/** A row of the input with its edits. */
export interface EditedRow extends OriginalRow {
  readonly edits: Edits;
}

/** The cells of these rows that differ from the file, by row. */
export function editsOf({ sql }: OpenRepair, rows: readonly number[]): Map<number, Map<string, string>> {
  const found = new Map(rows.map((row) => [row, new Map<string, string>()]));
  const edits = sql<{ row: number; column: string; value: string }>('edits_of').all({ rows: JSON.stringify(rows) });
  for (const { row, column, value } of edits) found.get(row)?.set(column, value);
  return found;
}

/** Returns who edited a cell last; undefined if nobody has. */
export function editorOf({ sql }: OpenRepair, row: number, column: string): string | undefined {
  return sql<{ by: string }>('editor_of').get({ row, column })?.by;
}

/** A row with edits as it is now. */
type Repaired = Pick<RepairRow, 'state' | 'problems' | 'sentIn'>;

/** Those of these rows that have edits. */
export function repairsOf({ sql }: OpenRepair, rows: readonly number[]): Map<number, Repaired> {
  const found = sql<Omit<Repaired, 'problems'> & { row: number; problems: string }>('repairs_of').all({
    rows: JSON.stringify(rows),
  });
  return new Map(
    found.map(({ row, problems, ...repaired }) => [
      row,
      { ...repaired, problems: rowProblems.parse(JSON.parse(problems)) },
    ]),
  );
}
