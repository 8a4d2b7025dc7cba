import type { ImportSummary } from '../../api/import-summary.ts';
import { inChunks } from '../../text/chunks.ts';
import type { ReportInput, ReportRow } from './report-row.ts';
import { rowJson } from './row-json.ts';

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
