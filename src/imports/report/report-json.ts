import type { ImportSummary } from '../../api/import-summary.ts';
import { JsonText, jsonDocument, jsonObjects, writeTable } from '../../platform/table.ts';
import type { ReportInput, ReportRow } from './report-row.ts';
import { distinctKeys, type Original, originalCells, originalOnOneLine, ownNames, ownValues } from './report-table.ts';

/**
 * Columns and values of rows as JSON objects:
 * `{"_row":2,"_status":"added", … ,"_finished_at":"2025-01-31T12:00:00.000Z","input":{…}}`.
 *
 * Our fields are beside `input` and the original ones inside it, so that neither can hide the other. Values are exact:
 * JSON elements are passed on as the text they were (numbers of any length included), CSV
 * cells are under their column (one that occurs twice is numbered: `name`, `name_2`). Without a value: null for
 * numbers and times, "" for texts.
 */
function objectsOf(input: ReportInput, rows: Iterable<ReportRow>) {
  const original = originalJson(input);
  const values = Iterator.from(rows).map((row) => [...ownValues(row, input), new JsonText(original(row))]);
  return [[...ownNames(input), 'input'], values] as const;
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
 * `objectsOf` describes it (our fields, and the original ones under `input`). Yields chunks of some 64 KB.
 *
 * Throws an Error naming the row if its `original` is not what the input format promises.
 */
export function jsonReport(input: ReportInput, summary: ImportSummary, rows: Iterable<ReportRow>): Generator<string> {
  return jsonDocument({ summary }, { rows: jsonObjects(...objectsOf(input, rows)) });
}

/** The report as NDJSON: the same objects, in the order given. @throws as jsonReport */
export function ndjsonReport(input: ReportInput, rows: Iterable<ReportRow>): Generator<string> {
  return writeTable(...objectsOf(input, rows), 'ndjson');
}
