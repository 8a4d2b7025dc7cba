import type { ImportSummary } from '../../api/import-summary.ts';
import type { Outcome } from '../../membership/outcome.ts';
import { csvReport } from './csv.ts';
import { jsonReport } from './json.ts';
import { ndjsonReport } from './ndjson.ts';
import type { ImportReader } from './reading.ts';
import { htmlPage, retryText } from './report-files.ts';
import { reportInput } from './report-paths.ts';

export interface ReportWish {
  /** `retry`: the rows that may be sent again, in the original columns, as a file that imports as it is. */
  readonly form: 'csv' | 'ndjson' | 'json' | 'html' | 'retry';
  /** Outcomes of the rows to give; absent: all rows. Of no account for `html` and `retry`. */
  readonly statuses?: ReadonlySet<Outcome>;
  /** For `json` and `html`. */
  readonly summary: ImportSummary;
  readonly version: string;
}

/** The text of a report in pieces of some 64 KB (`html` is one piece). What src/imports/report throws comes while reading. */
export function reportText(reader: ImportReader, { form, statuses, summary, version }: ReportWish): Iterable<string> {
  const input = reportInput(reader);
  switch (form) {
    case 'csv':
      return csvReport(input, reader.rows(statuses));
    case 'ndjson':
      return ndjsonReport(input, reader.rows(statuses));
    case 'json':
      return jsonReport(input, summary, reader.rows(statuses));
    case 'html':
      return [htmlPage(reader, summary, version)];
    case 'retry':
      return retryText(reader, input);
  }
}
