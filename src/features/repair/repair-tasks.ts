import { type ImportOptions, retryOptions } from '../../imports/import-options.ts';
import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { chunked } from '../../imports/read/element.ts';
import { membershipCells, membershipColumns, originalCells } from '../../imports/report/report-table.ts';
import { pageOf } from '../../platform/cursors.ts';
import { writeWhole } from '../../platform/files.ts';
import { inChunks } from '../../text/chunks.ts';
import { csvLine } from '../../text/csv-line.ts';
import { edit, replace, takeFile } from './edit.ts';
import { EDITED, editablePlaces, editedText, FROM_ROW, judged, notesOn, readingOptions } from './edited-rows.ts';
import type { RepairProblem, RepairRows, RepairView } from './operations.ts';
import {
  cannotRepair,
  choose,
  editedIn,
  type FoundProblem,
  type OpenRepair,
  once,
  problemsOf,
  type RepairFilter,
  rowsOf,
  type Subject,
  withRepair,
} from './repair-ledger.ts';

/** The work on an import's repair, by name. */
const TASKS = {
  overview,
  page,
  edit,
  replace,
  takeFile,
  claim,
  edited: editedIn,
};
type Tasks = typeof TASKS;
export type TaskName = keyof Tasks;
export type Given<Name extends TaskName> =
  Parameters<Tasks[Name]> extends [repair: unknown, ...given: infer Rest] ? Rest : never;
export type Result<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;

/** A piece of work on the repairs of an import. */
type Asked = { readonly subject: Subject; readonly name: TaskName; readonly given: readonly unknown[] };
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
  choose(repair, filter);
  const found = repair.sql<{ row: number }>('page_to_repair').all({ after, limit: limit + 1 });
  const total = after === 0 ? Number(repair.sql('count_chosen').get()?.['total']) : null;
  const { items, nextCursor } = pageOf(found, limit, ({ row }) => String(row));
  const numbers = items.map(({ row }) => row);
  const inFile = problemsOf(repair, numbers);
  const places = [...editablePlaces(repair.input).values()];
  const rows = [...rowsOf(repair, numbers).values()].map((found) => {
    const { original: _, editors: __, edits, problems, ...row } = found;
    const cells = originalCells(repair.input, found);
    const before = inFile.get(row.row)?.filter(({ code }) => code !== '') ?? [];
    return {
      ...row,
      cells: places.map((place) => cells[place] ?? null),
      edits: Object.fromEntries(edits),
      problems: problems ?? once(before.map(asForeseen)),
    };
  });
  return { rows, total, nextCursor };
}

function asForeseen({ status, code, reason, ...problem }: FoundProblem): RepairProblem {
  return { ...problem, code, reason: status === 'unprocessed' ? `${reasonOf(code)}, as the check says` : reason };
}

/**
 * Assigns all ready rows to one import, and writes its file: the rows with their edits. From here on no one else can send or edit them.
 * @param seen the revision that was looked at @returns how to read the file; undefined where no row is ready
 * @throws CannotRepair if a cell was edited since
 */
async function claim(repair: OpenRepair, importId: string, path: string, seen?: number) {
  const { sql, input, options } = repair;
  if (seen !== undefined && seen !== editedIn(repair).revision) {
    throw cannotRepair('rows were edited after you looked at them', 'look at them again, then send them');
  }
  sql('claim').run({ import: importId });
  const rows = sql<{ row: number }>('rows_of_send')
    .all({ import: importId })
    .map(({ row }) => row);
  if (rows.length === 0) return undefined;
  const isShaped = input.shaped === true;
  await writeWhole(path, isShaped ? shapedText(repair, rows) : inChunks(editedText(input, rowsIn(repair, rows))));
  const plain: ImportOptions = isShaped
    ? retryOptions(options, { format: 'csv', isShaped })
    : { ...readingOptions(repair), shape: undefined };
  return { ...plain, repaired: true, leftOut: Number(sql('count_left_out').get({ import: importId })?.['rows']) };
}

function* rowsIn(repair: OpenRepair, numbers: readonly number[]) {
  for (const some of chunked(numbers)) yield* rowsOf(repair, some).values();
}

/** The memberships of rows that may have several, one on each line. */
async function* shapedText(repair: OpenRepair, numbers: readonly number[]) {
  const { shape, silent, until = repair.input.recognised['until'] } = repair.options;
  const has = { action: shape?.actions, joined_at: silent, until };
  const more = (['action', 'joined_at', 'until'] as const).filter((column) => has[column]);
  yield csvLine([...membershipColumns(more), FROM_ROW, EDITED], ',');
  for await (const row of judged(repair, numbers)) {
    const notes = notesOn(row, () => '').map(([, value]) => value);
    for (const one of row.memberships) yield csvLine([...membershipCells(one, more), ...notes], ',');
  }
}
