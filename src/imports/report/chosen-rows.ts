import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Outcome } from '../../membership/outcome.ts';
import { readStatements } from '../../platform/sqlite.ts';
import { outcomeId, outcomeOf, regionOf, scopeOf } from '../record/enum-ids.ts';
import type { ReportRow } from './report-row.ts';

/** A row of the report, with its place in the ledger. */
export interface RowWithOutcome extends ReportRow {
  /** Its number in the order of the input, from 1. */
  readonly row: number;
}

/** Values of the names in a choice. */
export type Values = Readonly<Record<string, SQLInputValue>>;

const REPORT_ROWS = readStatements(new URL('reading.sql', import.meta.url)).get('report_rows') ?? '';

/** Outcomes of rows that are in no batch. */
const NOT_SENT_OUTCOMES: ReadonlySet<Outcome> = new Set(['invalid', 'duplicate', 'skipped']);

/** Outcomes that do not come from a call. */
const NOT_SENT = {
  invalid: outcomeId('invalid'),
  duplicate: outcomeId('duplicate'),
  unprocessed: outcomeId('unprocessed'),
  skipped: outcomeId('skipped'),
};

/** Columns of the statement `report_rows`. */
type ReportColumns = [
  row: number,
  line: number,
  original: string,
  outcome: number,
  code: string | null,
  message: string | null,
  region: number | null,
  guid: string | null,
  uid: string | null,
  /** Of an invalid row as it was read. */
  scope: number | string | null,
  attempts: number | null,
  httpStatus: number | null,
  batch: number | null,
  finishedAt: number | null,
  value: string | null,
  messageId: string | null,
  members: number | null,
];

/** Rows in the order of the input, one at a time. `choice` is SQL that is true for those wanted; `r` is the row in it. */
export function chosenRows(
  database: DatabaseSync,
  choice: string,
  values: Values = {},
): IteratorObject<RowWithOutcome> {
  return rowReader(database, choice)(values);
}

/** The same, for repeated use with other values. */
export function rowReader(database: DatabaseSync, choice: string): (values: Values) => IteratorObject<RowWithOutcome> {
  const statement = database.prepare(REPORT_ROWS.replace('/* chosen */ true', () => choice));
  // All rows of a report are read here: named objects, and words from SQL, would take half as long again.
  statement.setReturnArrays(true);
  const createdFor = creationsIn(database);
  return (values) =>
    Iterator.from(statement.iterate({ ...NOT_SENT, ...values }) as Iterable<unknown> as Iterable<ReportColumns>).map(
      (columns) => inWords(columns, createdFor),
    );
}

type CreatedFor = (region: number | null, guid: string, uid: string) => string;

/** What was created for a row. They are few beside the rows, and most imports create nothing. */
function creationsIn(database: DatabaseSync): CreatedFor {
  const made = new Map<string, string>();
  const found = database.prepare(
    "select kind, region_id, name, outcome, undone from creations where outcome in ('created', 'reactivated')",
  );
  for (const { kind, region_id, name, outcome, undone } of found.iterate()) {
    const suffix = undone === 'deleted' || undone === 'gone' ? ' (deleted)' : '';
    made.set(`${kind} ${region_id} ${name}`, outcome === 'created' ? `${kind}${suffix}` : String(outcome));
  }
  if (made.size === 0) return () => '';
  return (region, guid, uid) => {
    const user = made.get(`user ${region} ${uid.toLowerCase()}`);
    const group = made.get(`group ${region} ${guid.toLowerCase()}`);
    return [user, group].filter((one) => one !== undefined).join('+');
  };
}

function inWords(columns: ReportColumns, createdFor: CreatedFor): RowWithOutcome {
  const [
    row,
    line,
    original,
    outcome,
    code,
    message,
    region,
    guid,
    uid,
    scope,
    attempts,
    httpStatus,
    batch,
    at,
    value,
    messageId,
    members,
  ] = columns;
  return {
    row,
    line,
    original,
    status: outcomeOf(outcome),
    code: code ?? '',
    message: message ?? '',
    region: region === null ? '' : regionOf(region),
    guid: guid ?? '',
    uid: uid ?? '',
    scope: typeof scope === 'number' ? scopeOf(scope) : (scope ?? ''),
    attempts: attempts ?? 0,
    httpStatus,
    batch,
    finishedAt: at,
    created: createdFor(region, guid ?? '', uid ?? ''),
    messageId: messageId ?? '',
    members,
    value: value ?? '',
  };
}

/** SQL that is true for those rows of `memberships m`, the ones that are sent, which have one of these outcomes. */
export function sentWith(outcomes: ReadonlySet<Outcome>): string {
  const sent = [...outcomes].filter((outcome) => !NOT_SENT_OUTCOMES.has(outcome));
  if (sent.length === 0) return 'false';
  // A row without an outcome yet is unprocessed.
  return `coalesce(m.outcome_id, ${outcomeId('unprocessed')}) in (${sent.map(outcomeId).join(', ')})`;
}
