import type { RowView } from '../../api/rows.ts';

/** One row of the input with what happened to it: the columns of the report by their names in the API. */
export interface ReportRow extends Readonly<Omit<RowView, 'row' | 'original' | 'value' | 'check'>> {
  /** The input as it was, as JSON text: an array of cells (CSV input) or an object (JSON and NDJSON input). */
  readonly original: string;
  /** The value of its row that gave the membership; empty if the row has one membership only. */
  readonly value?: string;
}

/** Facts about the input that a report needs to write it in its original columns. */
export interface ReportInput {
  /** Original columns in order, with `_extra_1` … when a row has more cells than the header; for JSON the union of all keys. */
  readonly columns: readonly string[];
  readonly inputFormat: 'csv' | 'json' | 'ndjson';
  /** Delimiter of CSV input; not used for JSON and NDJSON. */
  readonly delimiter: string;
  /** A row of the input may be several rows of the report: `_value` says which value each is. */
  readonly shaped?: boolean;
}
