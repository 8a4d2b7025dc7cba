import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { edit, replace, takeFile } from './edit.ts';
import { cellsOf, editablePlaces } from './edited-rows.ts';
import type { RepairProblem, RepairRows, RepairView } from './operations.ts';
import {
  countsOf,
  type FoundProblem,
  filterOf,
  type OpenRepair,
  problemsOf,
  type RepairFilter,
  revisionOf,
  rowsOf,
  type Subject,
  withRepair,
} from './repair-ledger.ts';
import { claim, sentRepaired, settle } from './send.ts';

/** The work on an import's repair, by name. */
const TASKS = {
  overview,
  page,
  edit,
  replace,
  takeFile,
  settle,
  claim,
  sent: sentRepaired,
};
type Tasks = typeof TASKS;
export type TaskName = keyof Tasks;
export type Given<Name extends TaskName> =
  Parameters<Tasks[Name]> extends [repair: unknown, ...given: infer Rest] ? Rest : never;
export type Result<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;

/** A piece of work on the repairs of an import. */
export interface Asked {
  readonly subject: Subject;
  readonly name: TaskName;
  readonly given: readonly unknown[];
}
/** The thread that does one on a big import. */
export type RepairThread = { work: typeof work };

/** Does it in this thread, however long it takes. @throws CannotRepair */
export function work({ subject, name, given }: Asked): Promise<unknown> {
  const task = TASKS[name] as (repair: OpenRepair, ...given: readonly unknown[]) => unknown;
  return withRepair(subject, (repair) => task(repair, ...given));
}

/** Returns the rows to repair, by problem. */
function overview(repair: OpenRepair): RepairView {
  const { sql, input, isOver = false, takenBy } = repair;
  const statuses = JSON.stringify(repair.statuses);
  const total = Number(sql('count_rows_to_repair').get({ statuses })?.['n']);
  return {
    columns: [...editablePlaces(input)].map(([name, place]) => ({
      name,
      fields: Object.entries(input.recognised)
        .filter(([, column]) => column === input.columns[place])
        .map(([field]) => field),
    })),
    rows: { ...countsOf(repair), total },
    problems: sql<RepairView['problems'][number]>('count_to_repair').all({ statuses }),
    revision: revisionOf(repair),
    maySend: isOver,
    failedTaken: takenBy.length > 0,
  };
}

/** Rows to repair behind row `after`, as they were and as they are. */
function page(repair: OpenRepair, filter: RepairFilter, after: number, limit: number): RepairRows {
  const asked = { ...filterOf(repair, filter), after, limit: limit + 1 };
  const found = repair.sql<{ row: number }>('page_to_repair').all(asked);
  const shown = found.slice(0, limit).map(({ row }) => row);
  const inFile = problemsOf(repair, shown);
  const places = [...editablePlaces(repair.input).values()];
  const rows = [...rowsOf(repair, shown).values()].map(({ original, edits, editors: _, problems, ...row }) => {
    const cells = cellsOf(repair.input, { ...row, original });
    return {
      ...row,
      cells: places.map((place) => cells[place] ?? null),
      edits: Object.fromEntries(edits),
      problems: problems ?? shownOnce(inFile.get(row.row) ?? []),
    };
  });
  return { rows, nextCursor: found.length > limit ? String(shown.at(-1)) : null };
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
