import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { pageOf } from '../../platform/cursors.ts';
import { edit, replace, takeFile } from './edit.ts';
import { cellsOf, editablePlaces } from './edited-rows.ts';
import type { RepairProblem, RepairRows, RepairView } from './operations.ts';
import {
  editedIn,
  type FoundProblem,
  filterOf,
  type OpenRepair,
  once,
  problemsOf,
  type RepairFilter,
  rowsOf,
  type Subject,
  withRepair,
} from './repair-ledger.ts';
import { claim, sent, settle } from './send.ts';

/** The work on an import's repair, by name. */
const TASKS = {
  overview,
  page,
  edit,
  replace,
  takeFile,
  settle,
  claim,
  sent,
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
  const { ready, wrong, sent, revision } = editedIn(repair);
  return {
    columns: [...editablePlaces(input)].map(([name, place]) => ({
      name,
      fields: Object.entries(input.recognised)
        .filter(([, column]) => column === input.columns[place])
        .map(([field]) => field),
    })),
    rows: { ready, wrong, sent, total: Number(sql('count_rows_to_repair').get()?.['total']) },
    problems: sql<RepairView['problems'][number]>('count_to_repair').all(),
    revision,
    maySend: isOver,
    failedTaken: takenBy.length > 0,
  };
}

/** Rows to repair behind row `after`, as they were and as they are. */
function page(repair: OpenRepair, filter: RepairFilter, after: number, limit: number): RepairRows {
  const found = repair.sql<{ row: number }>('page_to_repair').all({ ...filterOf(filter), after, limit: limit + 1 });
  const { items, nextCursor } = pageOf(found, limit, ({ row }) => String(row));
  const numbers = items.map(({ row }) => row);
  const inFile = problemsOf(repair, numbers);
  const places = [...editablePlaces(repair.input).values()];
  const rows = [...rowsOf(repair, numbers).values()].map((found) => {
    const { original: _, editors: __, edits, problems, ...row } = found;
    const cells = cellsOf(repair.input, found);
    const before = inFile.get(row.row)?.filter(({ code }) => code !== '') ?? [];
    return {
      ...row,
      cells: places.map((place) => cells[place] ?? null),
      edits: Object.fromEntries(edits),
      problems: problems ?? once(before.map(asForeseen)),
    };
  });
  return { rows, nextCursor };
}

function asForeseen({ status, code, reason, ...problem }: FoundProblem): RepairProblem {
  return { ...problem, code, reason: status === 'unprocessed' ? `${reasonOf(code)}, as the check says` : reason };
}
