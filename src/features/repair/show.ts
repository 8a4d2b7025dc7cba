import { join } from 'node:path';
import type { ImportOptions } from '../../imports/import-options.ts';
import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { outcomeId } from '../../imports/record/enum-ids.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import { inputOf } from '../../imports/report/report-paths.ts';
import type { InputDescription } from '../../imports/stage/staged-row.ts';
import type { RepairedStatus, RepairRow, RepairState, RepairView } from './api.ts';
import { cellsOf, EDITED, editableColumns, FROM_ROW } from './edited-rows.ts';
import {
  countsOf,
  currentEdits,
  editsOf,
  lastAction,
  openRepairLedger,
  type RepairFilter,
  type RepairLedger,
  repairsOf,
  rowsToRepair,
  sendsOf,
  statusesToRepair,
} from './repair-ledger.ts';

/** The import whose rows are repaired. */
export interface Subject {
  readonly folder: string;
  readonly options: ImportOptions;
  /** A plain retry has taken its failed rows. */
  readonly isTaken: boolean;
  /** Nothing of it was sent so far. */
  readonly isUnsent?: boolean;
}

/** An import's rows and edits, open. */
export interface OpenRepair extends Subject {
  readonly ledger: RepairLedger;
  readonly input: InputDescription;
}

/** Opens what belongs to an import for as long as `work` lasts. */
export async function withRepair<Result>(
  subject: Subject,
  work: (repair: OpenRepair) => Result | Promise<Result>,
): Promise<Result> {
  const reader = openImportReader(join(subject.folder, 'ledger.sqlite'));
  const input = reader.input();
  reader.close();
  const ledger = openRepairLedger(subject.folder, subject.isUnsent === true);
  try {
    return await work({ ...subject, ledger, input });
  } finally {
    ledger.close();
  }
}

/** Columns by their names for editing. Those that rollcall added itself cannot be edited. */
export function columnsOf(input: InputDescription): readonly string[] {
  return editableColumns(inputOf(input));
}

export function isEditable(column: string): boolean {
  return column !== FROM_ROW && column !== EDITED;
}

/** Returns the rows to repair, by problem. */
export function overview(
  { ledger, input, isTaken }: OpenRepair,
  by: string,
): Omit<RepairView, 'maySend' | 'failedTaken'> {
  const names = input.columns;
  const problems = new Map<string, RepairView['problems'][number]>();
  const statuses = statusesToRepair(isTaken);
  for (const found of ledger.sql('count_to_repair').all({ statuses })) {
    const status = found['status'] as RepairedStatus;
    const [code, column] = [String(found['code']), String(found['column'])];
    const key = `${status} ${code} ${column}`;
    const problem = problems.get(key) ?? { status, code, column, total: 0, ready: 0, wrong: 0, sent: 0 };
    const n = Number(found['n']);
    const state = String(found['state']) as RepairState;
    problems.set(key, { ...problem, total: problem.total + n, ...(state !== 'open' && { [state]: n }) });
  }
  const last = lastAction(ledger, by);
  const undone = lastAction(ledger, by, 'last_undo');
  const total = Number(ledger.sql('count_rows_to_repair').get({ statuses })?.['n']);
  return {
    columns: columnsOf(input).map((name, index) => ({
      name,
      fields: Object.entries(input.recognised)
        .filter(([, column]) => column === names[index])
        .map(([field]) => field),
    })),
    rows: { ...countsOf({ ledger, isTaken }), total },
    problems: [...problems.values()].toSorted(
      (one, other) => other.total - one.total || (one.code < other.code ? 1 : -1),
    ),
    undo:
      last === undefined
        ? null
        : { action: last.id, kind: last.kind, rows: last.rows, cells: last.cells, at: new Date(last.at).toISOString() },
    redo: undone === undefined ? null : { action: undone.id, cells: undone.cells },
    sends: sendsOf(ledger).map(({ importId, by, at, rows }) => ({
      importId,
      by,
      at: new Date(at).toISOString(),
      rows,
    })),
  };
}

/** Characters of a page, at most; a page has at least one row. */
const MAX_PAGE = 4 * 1024 * 1024;

/** Rows to repair behind row `after`. */
export function pageOf(
  repair: OpenRepair,
  filter: RepairFilter,
  after: number,
  limit: number,
): { readonly rows: RepairRow[]; readonly next: number | undefined } {
  const found = rowsToRepair(repair.ledger, filter, { isTaken: repair.isTaken, after, limit: limit + 1 });
  const rows: RepairRow[] = [];
  let length = 0;
  for (const row of viewsOf(repair, found)) {
    length += JSON.stringify(row.cells).length;
    const last = rows.at(-1);
    if (last !== undefined && (rows.length === limit || length > MAX_PAGE)) return { rows, next: last.row };
    rows.push(row);
  }
  return { rows, next: undefined };
}

/** Edits of a row that are shown. */
const MAX_HISTORY = 50;

/** These rows as they were and as they are. */
export function viewsOf({ ledger, input }: OpenRepair, rows: readonly number[]): RepairRow[] {
  const wanted = { rows: JSON.stringify(rows) };
  const description = inputOf(input);
  const edits = editsOf(ledger, rows);
  const repairs = repairsOf(ledger, rows);
  const problems = new Map<number, RepairRow['problems']>();
  for (const problem of ledger.sql('problems_of').all(wanted)) {
    const row = Number(problem['row_id']);
    const [column, code, reason] = [problem['column'], problem['code'], problem['reason']].map(String);
    problems.set(row, [...(problems.get(row) ?? []), { column: column ?? '', code: code ?? '', reason: reason ?? '' }]);
  }
  const refused = new Map<number, { readonly code: string; readonly reason: string }>();
  for (const one of ledger.sql('memberships_of').all({ ...wanted, unprocessed: 0 })) {
    const isFailed = Number(one['outcome']) === outcomeId('failed');
    if (isFailed) refused.set(Number(one['row_id']), { code: String(one['code']), reason: String(one['message']) });
  }
  const leftOut = new Map<number, { readonly code: string; readonly reason: string }>();
  for (const { row_id, code, message } of ledger.sql('left_out').all(wanted)) {
    leftOut.set(Number(row_id), { code: String(code), reason: String(message) });
  }
  const foreseen = new Map<number, { readonly code: string; readonly reason: string }>();
  for (const { row_id, code } of ledger.sql<{ row_id: number; code: string }>('foreseen').all(wanted)) {
    if (code !== '') foreseen.set(row_id, { code, reason: `${reasonOf(code)}, as the check says` });
  }
  return ledger
    .sql('original_rows')
    .all(wanted)
    .map((found): RepairRow => {
      const row = Number(found['id']);
      const original = { line: Number(found['line']), original: String(found['original']) };
      const invalid = problems.get(row) ?? [];
      const failed = refused.get(row) ?? leftOut.get(row) ?? foreseen.get(row);
      const all = failed === undefined ? invalid : [...invalid, { column: '', ...failed }];
      const history = edits.get(row) ?? [];
      const now = repairs.get(row);
      return {
        row,
        line: original.line,
        status:
          invalid.length > 0 ? 'invalid' : refused.has(row) ? 'failed' : leftOut.has(row) ? 'skipped' : 'unprocessed',
        code: all[0]?.code ?? '',
        problems: all,
        cells: cellsOf(description, original),
        edits: Object.fromEntries(currentEdits(history)),
        history: history
          .slice(-MAX_HISTORY)
          .map(({ column, value, by, at }) => ({ column, value, by, at: new Date(at).toISOString() })),
        state: now?.state ?? 'open',
        left: now?.left ?? [],
        sentIn: now?.sentIn ?? null,
      };
    });
}
