import { inChunks } from '../../text/chunks.ts';
import type { ReportInput, ReportRow } from './report-row.ts';
import { rowJson } from './row-json.ts';

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
