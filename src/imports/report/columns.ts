import { ROW_COLUMNS } from '../../api/rows.ts';
import type { ReportInput, ReportRow } from './report-row.ts';

type Shaped = Pick<ReportInput, 'shaped'>;

const SHAPED_COLUMNS = Object.entries(ROW_COLUMNS).map(([name, [field]]) => [name, readerOf(field)] as const);
/** `_value` is only for an input of which a row may be several rows of the report. */
const COLUMNS = SHAPED_COLUMNS.filter(([name]) => name !== '_value');
/** rollcall's own columns, in the order in which every report gives them. */
export const OWN_COLUMNS: readonly string[] = COLUMNS.map(([name]) => name);

function readerOf(field: (typeof ROW_COLUMNS)[keyof typeof ROW_COLUMNS][0]) {
  if (field === 'value') return ({ value }: ReportRow) => value ?? '';
  if (field !== 'finishedAt') return (row: ReportRow) => row[field];
  return ({ finishedAt }: ReportRow) => (finishedAt === null ? null : new Date(finishedAt).toISOString());
}

function columnsOf({ shaped = false }: Shaped) {
  return shaped ? SHAPED_COLUMNS : COLUMNS;
}

/** A row's values by column; null where a number or a time has no value. */
export function ownValues(row: ReportRow, input: Shaped = {}): Readonly<Record<string, string | number | null>> {
  return Object.fromEntries(columnsOf(input).map(([name, read]) => [name, read(row)]));
}

/** A row's values as cells; empty where there is no value. */
export function ownCells(row: ReportRow, input: Shaped): string[] {
  return columnsOf(input).map(([, read]) => String(read(row) ?? ''));
}

/**
 * Names for OWN_COLUMNS beside the original ones. A report that is imported again already has `_row`, `_status` and so
 * on: those keep their names and places, and all of ours take the first number that is free (`_row_2`, `_status_2`, …),
 * so that the ending shows which belong together. Case is ignored, as databases ignore it.
 */
export function ownColumnNames(original: readonly string[], input: Shaped = {}): readonly string[] {
  const own = columnsOf(input).map(([name]) => name);
  const taken = new Set(original.map((name) => name.trim().toLowerCase()));
  for (let number = 1; ; number++) {
    const names = own.map((name) => (number === 1 ? name : `${name}_${number}`));
    if (!names.some((name) => taken.has(name))) return names;
  }
}

/** The columns as keys of an object: a name that occurs twice in the header becomes `name`, `name_2`, …, so that none is lost. */
export function distinctKeys(columns: readonly string[]): readonly string[] {
  const taken = new Set(columns);
  const seen = new Set<string>();
  /** The next number to try for a name: a header may repeat one name thousands of times. */
  const next = new Map<string, number>();
  return columns.map((column) => {
    let key = column;
    let number = next.get(column) ?? 2;
    for (; seen.has(key); number++) {
      const candidate = `${column}_${number}`;
      if (!taken.has(candidate)) key = candidate;
    }
    next.set(column, number);
    seen.add(key);
    return key;
  });
}
