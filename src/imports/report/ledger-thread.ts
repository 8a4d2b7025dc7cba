import type { RowFilter } from '../../options/row-filter.ts';
import { cursorText } from '../../platform/cursors.ts';
import { serve } from '../../platform/threads.ts';
import { noteEnds } from '../ends/ends.ts';
import { openImportLedger } from '../record/import-ledger.ts';
import { openImportReader } from './import-reader.ts';
import { type ReportRequest, reportPieces, writeReports } from './report-files.ts';
import { originalJson, type ReportInput, type ReportRow } from './report-table.ts';
import { MAX_OF_A_PAGE, type RowOrder, type RowPlace, type RowsPage } from './row-search.ts';

/**
 * A page of rows as the JSON text `{"rows":[…],"total":9,"nextCursor":"WyJy…"}`. It has fewer rows than were found where those
 * would make it too long, but always one: the next page begins behind the last one that is in it.
 * @param total null where it was not counted
 */
function pageJson(input: ReportInput, { rows, places, more }: RowsPage, order: RowOrder, total: number | null) {
  const asText = rowText(input);
  const texts: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = asText(row);
    if (texts.length > 0 && length + text.length > MAX_OF_A_PAGE) break;
    texts.push(text);
    length += text.length;
  }
  const last = places[texts.length - 1];
  const hasNext = last !== undefined && (more || texts.length < rows.length);
  return `{"rows":[${texts.join(',')}],"total":${total},"nextCursor":${hasNext ? `"${cursorText([order.by, order.descending, last.row, last.key])}"` : 'null'}}`;
}

function rowText(input: ReportInput): (row: ReportRow) => string {
  const originalOf = originalJson(input);
  return (found) => {
    const { original: _, ...row } = found;
    return `${JSON.stringify(row).slice(0, -1)},"original":${originalOf(found)}}`;
  };
}

/** A thread that reads imports' files, so that the coordinator's thread does not wait for SQLite. */

interface AtPath {
  /** The path of a ledger. */
  readonly path: string;
}

/** A page of rows. */
export interface RowsRequest {
  readonly filter: RowFilter;
  readonly order: RowOrder;
  readonly limit: number;
  /** Absent: the first page, with the number of all rows that pass the filter. */
  readonly after?: RowPlace;
}

/** Files kept open, each with its page cache; those not asked for longest are closed. */
const MAX_OPEN = 8;

const readers = new Map<string, LedgerQuestions>();
const encoder = new TextEncoder();

/** The questions about a ledger: those of its reader, and rows as JSON text in UTF-8. */
export type LedgerQuestions = ReturnType<typeof questionsOn>;

function questionsOn(path: string) {
  const reader = openImportReader(path);
  return {
    ...reader,
    /** A page of rows: `{"rows":[…],"total":…,"nextCursor":…}`. Shorter than `limit` where the rows are long. */
    rowsPageJson: ({ filter, order, after, limit }: RowsRequest) => {
      const page = reader.rowsPage(filter, limit, order, after);
      const counted = () => (page.more ? reader.countRows(filter) : page.rows.length);
      const total = after === undefined ? counted() : null;
      return encoder.encode(pageJson(reader.input(), page, order, total));
    },
    /** One row with all that is known of it; undefined if no row has this number. */
    rowJson: (number: number) => {
      const found = reader.rowDetail(number);
      if (found === undefined) return undefined;
      const { row, facts } = found;
      return encoder.encode(`${JSON.stringify(facts).slice(0, -1)},"row":${rowText(reader.input())(row)}}`);
    },
  };
}

function openedReader(path: string) {
  const reader = readers.get(path) ?? questionsOn(path);
  // The order of the map is that of the latest use.
  readers.delete(path);
  readers.set(path, reader);
  const [oldest] = readers.keys();
  if (readers.size > MAX_OPEN && oldest !== undefined) forget(oldest);
  return reader;
}

function forget(path: string) {
  readers.get(path)?.close();
  readers.delete(path);
}

/** With a reader of its own: a report shows one moment, for as long as it is being read. */
function* report({ path, request }: AtPath & { readonly request: ReportRequest }) {
  using reader = openImportReader(path);
  yield* reportPieces(reader, request);
}

function indexUids({ path }: AtPath) {
  using ledger = openImportLedger(path);
  ledger.indexUids();
}

/** The calls that a reading thread answers. */
const CALLS = {
  query: ({
    path,
    question,
    given,
  }: AtPath & { readonly question: keyof LedgerQuestions; readonly given: readonly unknown[] }) => {
    const reader = openedReader(path);
    return Reflect.apply(reader[question] as (...given: readonly unknown[]) => unknown, reader, given);
  },
  report,
  indexUids,
  noteEnds,
  forget: ({ path }: AtPath) => forget(path),
  writeReports,
};
export type LedgerThread = typeof CALLS;

serve<LedgerThread>(CALLS, () => {
  for (const path of [...readers.keys()]) forget(path);
});
