import { join } from 'node:path';
import type { ImportOptions } from '../../imports/import-options.ts';
import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import type { InputDescription } from '../../imports/stage/staged-row.ts';
import { cellsOf, editableColumns } from './edited-rows.ts';
import type { RepairProblem, RepairRow, RepairView } from './operations.ts';
import {
  countsOf,
  editsOf,
  openRepairLedger,
  originalsOf,
  problemsOf,
  type RepairFilter,
  type RepairLedger,
  repairsOf,
  revisionOf,
  rowsToRepair,
  statusesToRepair,
} from './repair-ledger.ts';

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
    return await work({ ...subject, isTaken: subject.takenBy.length > 0, ledger, input });
  } finally {
    ledger.close();
  }
}

/** Returns the rows to repair, by problem. */
export function overview({ ledger, input, isTaken }: OpenRepair): Omit<RepairView, 'maySend' | 'failedTaken'> {
  const statuses = JSON.stringify(statusesToRepair(isTaken));
  const total = Number(ledger.sql('count_rows_to_repair').get({ statuses })?.['n']);
  return {
    columns: editableColumns(input).map((name, index) => ({
      name,
      fields: Object.entries(input.recognised)
        .filter(([, column]) => column === input.columns[index])
        .map(([field]) => field),
    })),
    rows: { ...countsOf(ledger, isTaken), total },
    problems: ledger.sql<RepairView['problems'][number]>('count_to_repair').all({ statuses }),
    revision: revisionOf(ledger),
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

/** These rows as they were and as they are. */
export function viewsOf({ ledger, input }: OpenRepair, rows: readonly number[]): RepairRow[] {
  const edits = editsOf(ledger, rows);
  const repairs = repairsOf(ledger, rows);
  const found = Map.groupBy(problemsOf(ledger, rows), ({ row }) => row);
  return originalsOf(ledger, rows).map(({ row, ...original }): RepairRow => {
    // Several memberships of a row may have failed for the same reason.
    const problems = new Map<string, RepairProblem>();
    for (const { status, column, code, reason: told } of found.get(row) ?? []) {
      const reason = status === 'unprocessed' ? `${reasonOf(code)}, as the check says` : told;
      if (code !== '') problems.set(`${column} ${code} ${reason}`, { column, code, reason });
    }
    return {
      row,
      line: original.line,
      cells: cellsOf(input, original),
      edits: Object.fromEntries(edits.get(row) ?? []),
      ...(repairs.get(row) ?? { state: 'open', problems: [...problems.values()], sentIn: null }),
    };
  });
}
