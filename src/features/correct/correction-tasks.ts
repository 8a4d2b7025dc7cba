import { type ImportOptions, retryOptions } from '../../imports/import-options.ts';
import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { membershipCells, membershipColumns } from '../../imports/report/report-table.ts';
import { pageOf } from '../../platform/cursors.ts';
import { writeWhole } from '../../platform/files.ts';
import { inChunks } from '../../text/chunks.ts';
import { csvLine } from '../../text/csv-line.ts';
import {
  type CorrectionFilter,
  cannotCorrect,
  choose,
  EDITED,
  eachRow,
  editedIn,
  type FoundProblem,
  FROM_ROW,
  type OpenCorrections,
  once,
  problemsOf,
  rowsOf,
  type Subject,
  withCorrections,
} from './corrections-ledger.ts';
import { edit, replace, takeFile } from './edit.ts';
import { editedText, judged, notesOn, readingOptions } from './edited-rows.ts';
import type { CorrectionRows, CorrectionsView, RowProblem } from './operations.ts';

/** Returns what does this work on the corrections of an import, in the calling thread, however long it takes. @throws CANNOT_CORRECT */
function task<Given extends readonly unknown[], Result>(work: (open: OpenCorrections, ...given: Given) => Result) {
  return ({ subject, given }: { readonly subject: Subject; readonly given: Given }) =>
    withCorrections(subject, (open) => work(open, ...given));
}

export const tasks = {
  overview: task(overview),
  page: task(page),
  edit: task(edit),
  replace: task(replace),
  takeFile: task(takeFile),
  claim: task(claim),
  edited: task(editedIn),
};
export type Tasks = typeof tasks;
export type Given<Name extends keyof Tasks> = Parameters<Tasks[Name]>[0]['given'];

function overview(open: OpenCorrections): CorrectionsView {
  const { sql, input, places, isOver = false, takenBy } = open;
  const { ready, wrong, sent, revision } = editedIn(open);
  const recognised = Object.entries(input.recognised);
  return {
    columns: [...places].map(([name, place]) => ({
      name,
      fields: recognised.filter(([, column]) => column === input.columns[place]).map(([field]) => field),
    })),
    rows: { ready, wrong, sent, total: Number(sql('count_rows_to_correct').get()?.['total']) },
    problems: sql<CorrectionsView['problems'][number]>('count_to_correct').all(),
    revision,
    maySend: isOver,
    failedTaken: takenBy.length > 0,
  };
}

/** Rows to correct behind row `after`, as they were and as they are. */
function page(open: OpenCorrections, filter: CorrectionFilter, after: number, limit: number): CorrectionRows {
  const { sql, places } = open;
  choose(open, filter);
  const found = sql<{ row: number }>('page_to_correct').all({ after, limit: limit + 1 });
  const total = after === 0 ? Number(sql('count_chosen').get()?.['total']) : null;
  const { items, nextCursor } = pageOf(found, limit, ({ row }) => String(row));
  const numbers = items.map(({ row }) => row);
  const inFile = problemsOf(open, numbers);
  const rows = [...rowsOf(open, numbers).values()].map(
    ({ original: _, editors: __, cells, edits, problems, ...row }) => ({
      ...row,
      cells: [...places.values()].map((place) => cells[place] ?? null),
      edits: Object.fromEntries(edits),
      problems: problems ?? once((inFile.get(row.row) ?? []).flatMap(asForeseen)),
    }),
  );
  return { rows, total, nextCursor };
}

/** A row that was edited may have no problem any more. */
function asForeseen({ status, code, reason, ...problem }: FoundProblem): RowProblem[] {
  if (code === '') return [];
  return [{ ...problem, code, reason: status === 'unprocessed' ? `${reasonOf(code)}, as the check says` : reason }];
}

/**
 * Assigns all ready rows to one import, and writes its file: from here on no one else can send or edit them.
 * @param seen the revision that was looked at @returns how to read the file; undefined where no row is ready
 * @throws CANNOT_CORRECT if a cell was edited since
 */
async function claim(
  open: OpenCorrections,
  importId: string,
  path: string,
  seen?: number,
): Promise<ImportOptions | undefined> {
  const { sql, options } = open;
  if (seen !== undefined && seen !== editedIn(open).revision) {
    throw cannotCorrect('rows were edited after you looked at them', 'look at them again, then send them');
  }
  const rows = sql<{ row: number }>('claim')
    .all({ import: importId })
    .toSorted((one, other) => one.row - other.row);
  if (rows.length === 0) return undefined;
  const isShaped = open.input.shaped === true;
  await writeWhole(path, isShaped ? shapedText(open, rows) : inChunks(editedText(open, eachRow(open, rows))));
  const leftOut = Number(sql('count_left_out').get({ import: importId })?.['rows']);
  const reading = isShaped ? retryOptions(options, { format: 'csv', isShaped }) : readingOptions(open);
  return { ...reading, corrected: true, leftOut };
}

/** The memberships of rows that may have several, one on each line. */
async function* shapedText(open: OpenCorrections, rows: readonly { readonly row: number }[]) {
  const { shape, silent, until = open.input.recognised['until'] } = open.options;
  const has = { action: shape?.actions, joined_at: silent, until };
  const more = (['action', 'joined_at', 'until'] as const).filter((column) => has[column]);
  yield csvLine([...membershipColumns(more), FROM_ROW, EDITED], ',');
  const numbers = rows.map(({ row }) => row);
  for await (const row of judged(open, numbers)) {
    const notes = notesOn(row, () => '').map(([, value]) => value);
    for (const one of row.memberships) yield csvLine([...membershipCells(one, more), ...notes], ',');
  }
}
