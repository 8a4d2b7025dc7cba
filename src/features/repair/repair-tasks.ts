import { open } from 'node:fs/promises';
import { type ImportOptions, retryOptions } from '../../imports/import-options.ts';
import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { membershipFile } from '../../imports/report/report-table.ts';
import { pageOf } from '../../platform/cursors.ts';
import { inTransaction } from '../../platform/sqlite.ts';
import { edit, replace, takeFile } from './edit.ts';
import {
  cellsOf,
  EDITED,
  editablePlaces,
  editedText,
  FROM_ROW,
  judge,
  notesOn,
  readingOptions,
} from './edited-rows.ts';
import type { RepairProblem, RepairRows, RepairView } from './operations.ts';
import {
  cannotRepair,
  choose,
  editedIn,
  type FoundProblem,
  type OpenRepair,
  type OpenRow,
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
    const cells = cellsOf(repair.input, found);
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

/** Rows that are written at a time: a bound on memory. */
const AT_ONCE = 5_000;

/**
 * Looks after imports of repaired rows whose beginning may have been interrupted, or that ended before their rows were read.
 * @param isThere of those that the catalog has; false: ended before
 */
function settle({ database, sql }: OpenRepair, isThere: Readonly<Record<string, boolean>>): void {
  const ids = (there: boolean) => JSON.stringify(Object.keys(isThere).filter((id) => isThere[id] === there));
  inTransaction(database, () => {
    sql('note_sends').run({ there: ids(true) });
    sql('release').run({ gone: ids(false) });
  });
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
  const textOf = async (some: readonly OpenRow[]) =>
    [...(isShaped ? await shapedText(repair, some) : editedText(input, some))].join('');
  await using file = await open(path, 'w', 0o600);
  const header = await textOf([]);
  await file.appendFile(header);
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const text = await textOf([...rowsOf(repair, rows.slice(at, at + AT_ONCE)).values()]);
    await file.appendFile(text.slice(header.length));
  }
  const plain: ImportOptions = isShaped
    ? retryOptions(options, { format: 'csv', isShaped })
    : { ...readingOptions(repair), shape: undefined };
  return { ...plain, repaired: true, leftOut: Number(sql('count_left_out').get({ import: importId })?.['rows']) };
}

async function shapedText(repair: OpenRepair, rows: readonly OpenRow[]) {
  const notes = new Map(rows.map((row) => [row.line, notesOn(row, () => '').map(([, value]) => value)]));
  const memberships = (await judge(repair, rows)).flatMap((one) => one.memberships);
  const { shape, silent, until = repair.input.recognised['until'] } = repair.options;
  const has = { action: shape?.actions, joined_at: silent, until };
  const more = (['action', 'joined_at', 'until'] as const).filter((column) => has[column]);
  return membershipFile(memberships, more, { columns: [FROM_ROW, EDITED], of: (line) => notes.get(line) ?? [] });
}

/** Counts rows that were sent repaired, their memberships that a retry would send, and edited rows that were not sent. */
function sent(repair: OpenRepair) {
  const { rows, retryable, ready, wrong } = editedIn(repair);
  return { rows, retryable, edited: ready + wrong };
}
