import type { ReportInput, ReportRow } from './report-row.ts';

/** rollcall's own columns, in the order in which every report gives them. */
export const OWN_COLUMNS = [
  '_row',
  '_status',
  '_code',
  '_message',
  '_region',
  '_guid',
  '_uid',
  '_scope',
  '_attempts',
  '_http_status',
  '_batch',
  '_finished_at',
  '_created',
  '_message_id',
  '_member_count',
] as const;
export type OwnColumn = (typeof OWN_COLUMNS)[number];

/** Of an input of which a row may be several rows of the report: the column that says which value each of them is. */
const VALUE_COLUMN = '_value';

/** How many own columns there are. */
export function ownColumnCount({ shaped = false }: Pick<ReportInput, 'shaped'>): number {
  return OWN_COLUMNS.length + Number(shaped);
}

/** A row's values for OWN_COLUMNS; `_finished_at` is ISO 8601 in UTC, null where there is no value. */
export function ownValues(
  row: ReportRow,
  { shaped = false }: Pick<ReportInput, 'shaped'> = {},
): Partial<Record<OwnColumn | typeof VALUE_COLUMN, string | number | null>> {
  return {
    _row: row.line,
    ...(shaped && { [VALUE_COLUMN]: row.value ?? '' }),
    _status: row.status,
    _code: row.code,
    _message: row.message,
    _region: row.region,
    _guid: row.guid,
    _uid: row.uid,
    _scope: row.scope,
    _attempts: row.attempts,
    _http_status: row.httpStatus,
    _batch: row.batch,
    _finished_at: row.finishedAt === null ? null : isoTime(row.finishedAt),
    _created: row.created,
    _message_id: row.messageId,
    _member_count: row.members,
  };
}

/** Cache of seconds in ISO 8601: the rows of a report come from the same few minutes. */
const seconds = new Map<number, string>();
const MOST_SECONDS = 10_000;

/** Milliseconds since 1970 as ISO 8601 in UTC. */
export function isoTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  let text = seconds.get(second);
  if (text === undefined) {
    text = new Date(second * 1000).toISOString().slice(0, -4);
    if (seconds.size === MOST_SECONDS) seconds.clear();
    seconds.set(second, text);
  }
  return `${text}${String(ms - second * 1000).padStart(3, '0')}Z`;
}

/**
 * Names for OWN_COLUMNS beside the original ones. A report that is imported again already has `_row`, `_status` and so
 * on: those keep their names and places, and all of ours take the first number that is free (`_row_2`, `_status_2`, …),
 * so that the ending shows which belong together. Case is ignored, as databases ignore it.
 */
export function ownColumnNames(
  original: readonly string[],
  { shaped = false }: Pick<ReportInput, 'shaped'> = {},
): readonly string[] {
  const [row, ...others] = OWN_COLUMNS;
  const own = shaped ? [row, VALUE_COLUMN, ...others] : OWN_COLUMNS;
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
