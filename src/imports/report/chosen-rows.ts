import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { foldId } from '../../membership/membership.ts';
import type { Outcome } from '../../membership/outcome.ts';
import { ledgerContradiction } from '../../platform/database-errors.ts';
import { readStatements } from '../../platform/sqlite.ts';
import { isNumber, isText, listOf, storedJson } from '../../platform/stored-json.ts';
import { outcomeId, outcomeOf, regionOf, scopeOf } from '../record/enum-ids.ts';
import type { ReportRow } from './report-table.ts';

/** Values of the names in a choice. */
export type Values = Readonly<Record<string, SQLInputValue>>;

const STATEMENTS = readStatements(new URL('reading.sql', import.meta.url));
export const statementText = (name: string) => STATEMENTS.get(name) ?? '';

/** Outcomes of rows that are in no batch. */
const NOT_SENT_OUTCOMES: ReadonlySet<Outcome> = new Set(['invalid', 'duplicate', 'skipped']);

/** SQL of the outcome and the code of a row, in statements that join the tables which hold them. */
export const OUTCOME_OF_ROW = `case when p.row_id is not null then ${outcomeId('invalid')} when d.row_id is not null then ${outcomeId('duplicate')} when k.row_id is not null then ${outcomeId('skipped')} else coalesce(m.outcome_id, ${outcomeId('unprocessed')}) end`;
export const CODE_OF_ROW =
  "case when p.row_id is not null then p.code when d.row_id is not null then 'DUPLICATE' when k.row_id is not null then k.code else coalesce(m.code, '') end";

/** Columns of the statement `report_rows`. */
type ReportColumns = [
  row: number,
  line: number,
  original: string,
  outcome: number,
  code: string,
  message: string | null,
  region: number | null,
  group: number | null,
  /** The GUID of an invalid row, as it was read. */
  guid: string | null,
  uid: string | null,
  /** The scope of an invalid row, as it was read. */
  scope: number | string | null,
  batch: number | null,
  value: string | null,
];

interface BatchOfRows {
  readonly attempts: number;
  readonly httpStatus: number | null;
  readonly finishedAt: string | null;
  readonly members: number | null;
  /** Ids of the messages about additions: JSON of [row, id], as it is stored. */
  readonly messages: string;
}

/** Groups and batches that are kept for further rows of theirs, at most of each: rows of one group are close together, or mixed with others. */
const MAX_KEPT = 20_000;

/** Rows in the order of the input, one at a time. `choice` is SQL that is true for those wanted; `r` is the row in it. */
export function chosenRows(database: DatabaseSync, choice: string, values: Values = {}) {
  return rowReader(database, choice)(values);
}

/** The same, for repeated use with other values. */
export function rowReader(database: DatabaseSync, choice: string): (values: Values) => IteratorObject<ReportRow> {
  const text = statementText('report_rows')
    .replace('/* outcome */ null', OUTCOME_OF_ROW)
    .replace('/* code */ null', CODE_OF_ROW)
    .replace('/* chosen */ true', () => choice);
  const statement = database.prepare(text);
  // All rows of a report are read here: named objects, and words from SQL, would take half as long again.
  statement.setReturnArrays(true);
  const groups = database.prepare(statementText('group_of_rows'));
  const batches = database.prepare(statementText('batch_of_rows'));
  const createdFor = creationsIn(database);
  return (values) => {
    const guidOf = kept((group) => String(groups.get({ group })?.['guid']));
    const batchOf = kept((batch) => foundBatch(batches, batch));
    const found = statement.iterate(values) as Iterable<unknown> as Iterable<ReportColumns>;
    return Iterator.from(found).map((columns) => {
      const [row, line, original, outcome, code, message, region, group, asRead, uid, scope, batch, value] = columns;
      const guid = group === null ? (asRead ?? '') : guidOf(group);
      const sent = batch === null ? undefined : batchOf(batch);
      const messageId = sent === undefined ? '' : messageOfRow(sent.messages, row);
      return {
        row,
        line,
        original,
        status: outcomeOf(outcome),
        code,
        message: message ?? '',
        region: region === null ? '' : regionOf(region),
        guid,
        uid: uid ?? '',
        scope: typeof scope === 'number' ? scopeOf(scope) : (scope ?? ''),
        attempts: sent?.attempts ?? 0,
        httpStatus: sent?.httpStatus ?? null,
        batch,
        finishedAt: sent?.finishedAt ?? null,
        created: createdFor(region, guid, uid ?? ''),
        messageId,
        members: messageId === '' ? null : (sent?.members ?? null),
        value: value ?? '',
      };
    });
  };
}

function foundBatch(batches: StatementSync, batch: number) {
  const found = batches.get({ batch });
  if (!isText(found?.['messages'])) throw ledgerContradiction(`batch ${batch} has rows and is not as it was written`);
  return found as unknown as BatchOfRows;
}

/** Remembers what was found for the latest ids. */
function kept<Found>(find: (id: number) => Found): (id: number) => Found {
  const known = new Map<number, Found>();
  return (id) => {
    let found = known.get(id);
    if (found === undefined) {
      if (known.size === MAX_KEPT) known.clear();
      found = find(id);
      known.set(id, found);
    }
    return found;
  };
}

/**
 * The id of the message about the addition of `row`; '' if there is none. It is looked for in the text: where a file mixes
 * many groups, a batch is read again for each of its rows, and parsing the ids of all would cost most of a report.
 */
function messageOfRow(messages: string, row: number) {
  const before = `[${row},"`;
  const at = messages.indexOf(before);
  if (at === -1) return '';
  const start = at + before.length;
  const id = messages.slice(start, messages.indexOf('"', start));
  // A quote in an id is escaped, so that this is the entry of the row, or another id that ends in `[57,`: then `"]` follows.
  if (!id.includes('\\') && !id.startsWith(']')) return id;
  return new Map(storedJson(messages, 'ids of messages', listOf(isMessage))).get(row) ?? '';
}

function isMessage(value: unknown): value is [row: number, id: string] {
  return Array.isArray(value) && isNumber(value[0]) && isText(value[1]);
}

/** Returns the things that were created for each row. They are few beside the rows, and most imports create nothing. */
function creationsIn(database: DatabaseSync): (region: number | null, guid: string, uid: string) => string {
  const made = new Map<string, string>();
  const found = database.prepare(
    "select kind, region_id, name, outcome from creations where outcome in ('created', 'reactivated')",
  );
  for (const { kind, region_id, name, outcome } of found.iterate()) {
    made.set(`${kind} ${region_id} ${name}`, String(outcome === 'created' ? kind : outcome));
  }
  if (made.size === 0) return () => '';
  return (region, guid, uid) => {
    const user = made.get(`user ${region} ${foldId(uid)}`);
    const group = made.get(`group ${region} ${foldId(guid)}`);
    return [user, group].filter((one) => one !== undefined).join('+');
  };
}

/** SQL that is true for those rows of `memberships m`, the ones that are sent, which have one of these outcomes. */
export function sentWith(outcomes: readonly Outcome[]) {
  const sent = outcomes.filter((outcome) => !NOT_SENT_OUTCOMES.has(outcome));
  if (sent.length === 0) return 'false';
  // A row without an outcome yet is unprocessed.
  return `coalesce(m.outcome_id, ${outcomeId('unprocessed')}) in (${sent.map(outcomeId).join(', ')})`;
}
