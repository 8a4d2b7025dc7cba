import type { ImportSummary } from '../../api/import-summary.ts';
import { inChunks } from '../../text/chunks.ts';
import type { ReportInput, ReportRow } from './report-row.ts';
import { distinctKeys, type Original, originalCells, originalOnOneLine, ownValues } from './report-table.ts';

/**
 * A function that writes one row as a JSON object on one line, without a line end:
 * `{"_row":2,"_status":"added", … ,"_finished_at":"2025-01-31T12:00:00.000Z","input":{…}}`.
 *
 * Our fields are beside `input` and the original ones inside it, so that neither can hide the other. Values are exact:
 * no formula is made harmless, JSON elements are passed on as the text they were (numbers of any length included), CSV
 * cells are under their column (one that occurs twice is numbered: `name`, `name_2`). Without a value: null for
 * numbers and times, "" for texts.
 */
function rowJson(input: ReportInput): (row: ReportRow) => string {
  const original = originalJson(input);
  return (row) => `${JSON.stringify(ownValues(row, input)).slice(0, -1)},"input":${original(row)}}`;
}

/** A function that writes what the input had for a row, column by column, as a JSON object on one line. */
export function originalJson(input: ReportInput): (row: Original) => string {
  return input.inputFormat === 'csv' ? cellsJson(input) : originalOnOneLine;
}

/** Written key by key: an object would sort number-like columns to the front and fail on `__proto__`. */
function cellsJson(input: ReportInput): (row: Original) => string {
  const keys = distinctKeys(input.columns).map((key) => JSON.stringify(key));
  return (row) => {
    const cells = originalCells(input, row);
    return `{${keys.map((key, index) => `${key}:${JSON.stringify(cells[index] ?? '')}`).join(',')}}`;
  };
}

/**
 * The report as one JSON document: `{ "summary": ImportSummary, "rows": [ … ] }`, one row per line, each an object as
 * `rowJson` describes it (our fields, and the original ones under `input`). Yields chunks of some 64 KB.
 *
 * Throws an Error naming the row if its `original` is not what the input format promises.
 */
export function jsonReport(input: ReportInput, summary: ImportSummary, rows: Iterable<ReportRow>): Generator<string> {
  return inChunks(pieces(input, summary, rows));
}

function* pieces(input: ReportInput, summary: ImportSummary, rows: Iterable<ReportRow>): Generator<string> {
  const write = rowJson(input);
  yield `{"summary":${JSON.stringify(summary)},\n"rows":[`;
  let separator = '\n';
  for (const row of rows) {
    yield `${separator}${write(row)}`;
    separator = ',\n';
  }
  yield '\n]}\n';
}

/**
 * The report as NDJSON: one object per row (`rowJson` gives its shape: our fields, and the original ones under
 * `input`), in the order given, each with a line end. No rows give an empty file. Yields chunks of some 64 KB.
 *
 * Throws an Error naming the row if its `original` is not what the input format promises.
 */
export function ndjsonReport(input: ReportInput, rows: Iterable<ReportRow>): Generator<string> {
  return inChunks(lines(input, rows));
}

function* lines(input: ReportInput, rows: Iterable<ReportRow>): Generator<string> {
  const write = rowJson(input);
  for (const row of rows) yield `${write(row)}\n`;
}
