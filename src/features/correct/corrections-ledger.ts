import type { DatabaseSync } from 'node:sqlite';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { CORRECTIONS_SCHEMA, correctionsFile } from '../../imports/corrected-rows.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import type { ImportRecord } from '../../imports/import-record.ts';
import { attachCheck } from '../../imports/predictions/row-check.ts';
import { chunked } from '../../imports/read/element.ts';
import type { InputDescription } from '../../imports/read/notes.ts';
import { outcomeId } from '../../imports/record/enum-ids.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import { type Original, originalCells } from '../../imports/report/report-table.ts';
import { foundRows } from '../../imports/report/row-search.ts';
import { IMPORT_SCHEMA } from '../../imports/schemas.ts';
import { RETRYABLE } from '../../membership/outcome.ts';
import type { RowFilter } from '../../options/row-filter.ts';
import { ledgerFile } from '../../platform/data-dir.ts';
import { attachForReading, openForWriting, type Statements, statementsOf } from '../../platform/sqlite.ts';
import { distinctKeys } from '../../text/distinct-keys.ts';
import type { CorrectedStatus, CorrectionCounts, CorrectionRow, CorrectionState, RowProblem } from './operations.ts';

export const STATEMENTS = new URL('corrections.sql', import.meta.url);

/** The import whose rows are corrected. */
export interface Subject extends Pick<ImportRecord, 'id' | 'retryOf'> {
  readonly folder: string;
  readonly options: ImportOptions;
  /** Plain retries, which have taken its failed rows. */
  readonly takenBy: readonly string[];
  /** Nothing of it was sent so far. */
  readonly isUnsent?: boolean;
  /** Its corrected rows can be sent. */
  readonly isOver?: boolean;
  /**
   * Its retries that the catalog has; false: ended before its rows were read. Rows that others still claim can be sent again: of these
   * imports, and of those that a crash left. Absent: not looked at.
   */
  readonly sends?: Readonly<Record<string, boolean>>;
}

/** An import's rows and edits, open. */
export interface OpenCorrections extends Subject {
  /** The edits of its rows, and its ledger beside them, which is only read. */
  readonly database: DatabaseSync;
  readonly sql: Statements;
  readonly input: InputDescription;
  /** Its columns: one that occurs twice is numbered. */
  readonly names: readonly string[];
  /** The columns that people may edit, with their places: those that rollcall added itself are not among them. */
  readonly places: ReadonlyMap<string, number>;
}

/** Additional columns of a file of corrected rows: rollcall ignores columns that begin like this. */
export const FROM_ROW = '_from_row';
export const EDITED = '_edited';

/** @param remedy the next step, as a request */
export function cannotCorrect(what: string, remedy: string) {
  return new RollcallError('CANNOT_CORRECT', { what, remedy });
}

/** Opens what belongs to an import for as long as `work` lasts. All that it changes is there when it has ended, or nothing. */
export async function withCorrections<Result>(
  subject: Subject,
  work: (open: OpenCorrections) => Result | Promise<Result>,
): Promise<Result> {
  const { folder, isUnsent = false, takenBy, sends } = subject;
  const ledger = ledgerFile(folder);
  using reader = openImportReader(ledger);
  using database = openForWriting(correctionsFile(folder), CORRECTIONS_SCHEMA);
  attachForReading(database, ledger, 'ledger', IMPORT_SCHEMA);
  // Rows of an import that was not sent can be corrected where they would fail.
  const foreseen = isUnsent && attachCheck(database, folder) ? 'open_foreseen' : 'open_nothing_foreseen';
  const sql = statementsOf(database, STATEMENTS);
  sql('open_taken').run({ taken: Number(takenBy.length > 0) });
  for (const view of [foreseen, 'open_to_correct', 'open_correctable', 'open_edited']) sql(view).run();
  // Closed before its end, it is undone.
  database.exec('begin');
  if (sends !== undefined) {
    const ids = (there: boolean) => JSON.stringify(Object.keys(sends).filter((id) => sends[id] === there));
    sql('note_sends').run({ there: ids(true) });
    sql('release').run({ gone: ids(false) });
  }
  const input = reader.input();
  const names = distinctKeys(input.columns);
  const places = new Map(names.map((name, place) => [name, place]));
  for (const name of [FROM_ROW, EDITED]) places.delete(name);
  const result = await work({ ...subject, database, sql, input, names, places });
  database.exec('commit');
  return result;
}

/** Filter of the rows; `states` by default: those that were not sent. */
export type CorrectionFilter = RowFilter & { readonly states?: readonly CorrectionState[] | undefined };

/** Chooses the rows that pass the filter: by their reasons, which a check foresees too, and by what is in them. */
export function choose(
  { database, sql }: OpenCorrections,
  { status, code, problemColumn, states = ['open', 'wrong', 'ready'], ...ofRow }: CorrectionFilter,
) {
  const isOfRow = Object.values(ofRow).some((one) => one !== undefined);
  const found = foundRows(database, ofRow);
  const text = `select json_group_array(id) as own from (${found.sql}) where id in (select own_id from temp.correctable)`;
  sql('want').run({
    status: status === undefined ? null : JSON.stringify(status),
    code: code ?? null,
    column: problemColumn ?? null,
    states: JSON.stringify(states),
    rows: isOfRow ? (database.prepare(text).get(found.values)?.['own'] ?? null) : null,
  });
  sql('choose').run();
}

/** A problem of a row in the file, or when it was sent. */
export interface FoundProblem extends RowProblem {
  readonly row: number;
  readonly status: CorrectedStatus;
}

/** The problems of these rows: those of further memberships count for the first one. */
export function problemsOf({ sql }: OpenCorrections, rows: readonly number[]): Map<number, FoundProblem[]> {
  return Map.groupBy(sql<FoundProblem>('problems_of').all({ rows: JSON.stringify(rows) }), ({ row }) => row);
}

/** Several memberships of a row may have the same problem. */
export function once(found: readonly RowProblem[]): RowProblem[] {
  const problems = found.map(({ column, code, reason }) => ({ column, code, reason }));
  return [...new Map(problems.map((one) => [JSON.stringify(one), one])).values()];
}

/**
 * Rows with edits; of those that were sent, the ones that were invalid, failed, or were left out, and those of all that a retry
 * would send; the number of the last edit.
 */
type Edited = CorrectionCounts & Readonly<Record<'invalid' | 'failed' | 'others' | 'retryable' | 'revision', number>>;

const RETRYABLE_IDS = JSON.stringify([...RETRYABLE].map(outcomeId));

export function editedIn({ sql }: OpenCorrections): Edited {
  return sql<Edited>('count_edited').get({ outcomes: RETRYABLE_IDS }) as Edited;
}

/** A row as the file had it, with its edits, and what it is with them. */
export interface OpenRow extends Original, Pick<CorrectionRow, 'row' | 'state' | 'sentIn'> {
  /** The values of the file, in the order of its columns; null where it has no such cell. */
  readonly cells: readonly (string | null)[];
  /** Column -> new text of its cell. */
  readonly edits: Map<string, string>;
  /** Column -> who edited its cell last. */
  readonly editors: ReadonlyMap<string, string>;
  /** Null where it has no edits: it has the problems of the file. */
  readonly problems: CorrectionRow['problems'] | null;
}

/** These rows by their numbers; further memberships of a row are not among them. */
export function rowsOf({ sql, input }: OpenCorrections, rows: readonly number[]): Map<number, OpenRow> {
  type Json = Record<'edits' | 'editors' | 'problems', string>;
  const found = sql<Omit<OpenRow, keyof Json | 'cells'> & Json>('rows_of').all({ rows: JSON.stringify(rows) });
  const mapOf = (json: string) => new Map(Object.entries<string>(JSON.parse(json)));
  return new Map(
    found.map(({ edits, editors, problems, ...row }) => [
      row.row,
      {
        ...row,
        cells: originalCells(input, row),
        edits: mapOf(edits),
        editors: mapOf(editors),
        problems: JSON.parse(problems),
      },
    ]),
  );
}

/** The same, some at a time. */
export function* eachRow(open: OpenCorrections, rows: Iterable<{ readonly row: number }>) {
  for (const some of chunked(rows)) {
    yield* rowsOf(
      open,
      some.map(({ row }) => row),
    ).values();
  }
}
