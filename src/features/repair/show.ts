import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { cellsOf, editableColumns } from './edited-rows.ts';
import type { RepairProblem, RepairRow, RepairView } from './operations.ts';
import {
  countsOf,
  editsOf,
  type OpenRepair,
  originalsOf,
  problemsOf,
  type RepairFilter,
  repairsOf,
  revisionOf,
  rowsToRepair,
  statusesToRepair,
} from './repair-ledger.ts';

/** Returns the rows to repair, by problem. */
export function overview(repair: OpenRepair): Omit<RepairView, 'maySend' | 'failedTaken'> {
  const { sql, input } = repair;
  const statuses = JSON.stringify(statusesToRepair(repair.isTaken));
  const total = Number(sql('count_rows_to_repair').get({ statuses })?.['n']);
  return {
    columns: editableColumns(input).map((name, index) => ({
      name,
      fields: Object.entries(input.recognised)
        .filter(([, column]) => column === input.columns[index])
        .map(([field]) => field),
    })),
    rows: { ...countsOf(repair), total },
    problems: sql<RepairView['problems'][number]>('count_to_repair').all({ statuses }),
    revision: revisionOf(repair),
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
  const found = rowsToRepair(repair, filter, after, limit + 1);
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
export function viewsOf(repair: OpenRepair, rows: readonly number[]): RepairRow[] {
  const edits = editsOf(repair, rows);
  const repairs = repairsOf(repair, rows);
  const found = Map.groupBy(problemsOf(repair, rows), ({ row }) => row);
  return originalsOf(repair, rows).map(({ row, ...original }): RepairRow => {
    // Several memberships of a row may have failed for the same reason.
    const problems = new Map<string, RepairProblem>();
    for (const { status, column, code, reason: told } of found.get(row) ?? []) {
      const reason = status === 'unprocessed' ? `${reasonOf(code)}, as the check says` : told;
      if (code !== '') problems.set(`${column} ${code} ${reason}`, { column, code, reason });
    }
    return {
      row,
      line: original.line,
      cells: cellsOf(repair.input, original),
      edits: Object.fromEntries(edits.get(row) ?? []),
      ...(repairs.get(row) ?? { state: 'open', problems: [...problems.values()], sentIn: null }),
    };
  });
}
