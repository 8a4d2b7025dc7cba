import type { ImportSummary } from '../../api/import-summary.ts';
import { workbook } from '../../text/workbook.ts';
import { csvReport, reportCells } from './csv.ts';
import { jsonReport } from './json.ts';
import { ndjsonReport } from './ndjson.ts';
import type { ImportReader } from './reading.ts';
import { htmlPage, retryText } from './report-files.ts';
import { reportInput } from './report-paths.ts';
import type { RowFilter } from './row-filter.ts';

export type ReportRequest = {
  /** Filter of the rows. Absent: all of them. `html` shows the whole import. */
  readonly filter?: RowFilter;
} & (
  | {
      readonly form: 'csv' | 'ndjson' | 'json' | 'xlsx' | 'html';
      /** For `json` and `html`. */
      readonly summary: ImportSummary;
      readonly version: string;
    }
  /** The rows that may be sent again, in the original columns, as a file that imports as it is. */
  | { readonly form: 'retry' }
);

/** A report in pieces of some 64 KB (`html` is one piece). Errors are thrown while reading. */
export function reportPieces(reader: ImportReader, request: ReportRequest): Iterable<string | Uint8Array> {
  const input = reportInput(reader);
  const { filter } = request;
  switch (request.form) {
    case 'csv':
      return csvReport(input, reader.rows(filter));
    case 'ndjson':
      return ndjsonReport(input, reader.rows(filter));
    case 'json':
      return jsonReport(input, request.summary, reader.rows(filter));
    case 'xlsx':
      return workbook(reportCells(input, reader.rows(filter)));
    case 'html':
      return [htmlPage(reader, request.summary, request.version)];
    case 'retry':
      return retryText(reader, input, filter);
  }
}
