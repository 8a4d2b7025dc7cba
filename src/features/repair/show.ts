import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { cellsOf, editableColumns } from './edited-rows.ts';
import type { RepairProblem, RepairRow, RepairRows, RepairView } from './operations.ts';
import {
  countsOf,
  type FoundProblem,
  type OpenRepair,
  problemsOf,
  type RepairFilter,
  revisionOf,
  rowsOf,
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
export function pageOf(repair: OpenRepair, filter: RepairFilter, after: number, limit: number): RepairRows {
  const found = rowsToRepair(repair, filter, after, limit + 1);
  const rows: RepairRow[] = [];
  let length = 0;
  for (const row of viewsOf(repair, found)) {
    length += JSON.stringify(row.cells).length;
    const last = rows.at(-1);
    if (last !== undefined && (rows.length === limit || length > MAX_PAGE))
      return { rows, nextCursor: String(last.row) };
    rows.push(row);
  }
  return { rows, nextCursor: null };
}

/** These rows as they were and as they are. */
export function viewsOf(repair: OpenRepair, rows: readonly number[]): RepairRow[] {
  const found = problemsOf(repair, rows);
  return [...rowsOf(repair, rows).values()].map(
    ({ original, edits, editors: _, problems, ...row }): RepairRow => ({
      ...row,
      cells: cellsOf(repair.input, { ...row, original }),
      edits: Object.fromEntries(edits),
      problems: problems ?? shownOnce(found.get(row.row) ?? []),
    }),
  );
}

/** Several memberships of a row may have failed for the same reason. */
function shownOnce(found: readonly FoundProblem[]): RepairProblem[] {
  const problems = new Map<string, RepairProblem>();
  for (const { status, column, code, reason: told } of found) {
    const reason = status === 'unprocessed' ? `${reasonOf(code)}, as the check says` : told;
    if (code !== '') problems.set(`${column} ${code} ${reason}`, { column, code, reason });
  }
  return [...problems.values()];
}
