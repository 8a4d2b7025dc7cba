import type { DatabaseSync } from 'node:sqlite';
import type { CallRate, RowDetailFacts as Facts, ProblemCount } from '../../api/rows.ts';
import { MAX_IMPORTED_PER_CALL, MAX_UIDS_PER_CALL, MEMBERS_WITH_ALL_FEATURES } from '../../chat/service/limits.ts';
import type { Region } from '../../membership/membership.ts';
import { FULFILLED, OUTCOMES, RETRYABLE } from '../../membership/outcome.ts';
import { keptScopes, manyMembers } from '../../membership/outcome-words.ts';
import type { InputKind } from '../../options/input-kinds.ts';
import type { RowFilter } from '../../options/row-filter.ts';
import { openForReading, type Statements, statementsOf } from '../../platform/sqlite.ts';
import { isObject, isText, listOf, mapOf, storedJson } from '../../platform/stored-json.ts';
import { isoTime, sumOf } from '../../text/wording.ts';
import { columnsOfInput, type InputDescription, type IntakeNote } from '../read/notes.ts';
import { type Counters, checkCounters, readCounters, totalRows } from '../record/counters.ts';
import { actionId, outcomeId } from '../record/enum-ids.ts';
import { IMPORT_SCHEMA } from '../schemas.ts';
import { chosenRows, statementText } from './chosen-rows.ts';
import type { MembershipToRetry, OwnColumn } from './report-table.ts';
import { countRows, foundRows, type RowOrder, type RowPlace, retryable, searchRows, searchUids } from './row-search.ts';

const UNFULFILLED = OUTCOMES.filter((outcome) => !FULFILLED.has(outcome));
const FULFILLED_IDS = JSON.stringify([...FULFILLED].map(outcomeId));
const RETRYABLE_IDS = JSON.stringify([...RETRYABLE].map(outcomeId));

interface CountedProblem
  extends Pick<ProblemCount, 'status' | 'code'>,
    Record<'n' | 'first' | 'middle' | 'last', number> {
  readonly place: string;
}

/** A user or group that an import created, or a user that it made active again. */
export interface CreatedThing {
  readonly kind: 'user' | 'group';
  readonly region: string;
  /** UID or GUID, in lower case. */
  readonly id: string;
  readonly outcome: 'created' | 'reactivated';
  /** Not empty if it may have been there before: the reply of its creation was lost. */
  readonly code: string;
  readonly message: string;
  /** Time of the reply, in ms since 1970. */
  readonly at: number;
}

export type ImportReader = ReturnType<typeof openImportReader>;
export type ImportProgress = ReturnType<ImportReader['progress']>;

/** An import's file, open for reading while the coordinator may be writing it. */
export function openImportReader(path: string) {
  const database = openForReading(path, IMPORT_SCHEMA);
  const sql = statementsOf(database, [
    new URL('reading.sql', import.meta.url),
    new URL('../record/import.sql', import.meta.url),
  ]);
  const counters = () => readCounters(sql);
  /** The least number of calls left, by region: unfinished batches. `held`: also those that are sent only when a person resumes. */
  const callsLeft = ({ held = false } = {}) => {
    const left = sql<{ region: Region; n: number }>('calls_left').all({ held: Number(held) });
    return new Map(left.map(({ region, n }) => [region, n]));
  };
  const close = () => database[Symbol.dispose]();
  return {
    ...rowsIn(database, sql, counters),
    input: (): InputDescription & Required<Pick<InputDescription, 'kind' | 'notes'>> => {
      const row = sql('input').get();
      return {
        format: (row?.['format'] ?? 'csv') as InputDescription['format'],
        kind: (row?.['kind'] ?? 'csv') as InputKind,
        notes: storedJson(String(row?.['notes'] ?? '[]'), 'notes about a file', listOf(isNote)),
        delimiter: String(row?.['delimiter'] ?? ','),
        columns: columnsOfInput(row),
        recognised: storedJson(String(row?.['recognised'] ?? '{}'), 'recognised columns', mapOf(isText)),
        ...(row?.['shaped'] === 1 && { shaped: true, rowsRead: Number(row['rows_read']) }),
      };
    },
    counters,
    callsLeft,
    progress: () => ({
      counters: counters(),
      /** ms, by a clock that all threads share and nobody sets */
      at: Number(process.hrtime.bigint() / 1_000_000n),
      callsLeft: callsLeft(),
    }),
    /** Returns the rows and calls of a retry, by region. */
    retryWork: () =>
      sql<{ region: Region; groups: number; calls: number }>('retry_work').all({
        retryable: RETRYABLE_IDS,
        call: MAX_UIDS_PER_CALL,
        together: MAX_IMPORTED_PER_CALL,
      }),
    /** Returns the users and groups that the import created, and the users that it made active again; groups first. */
    created: () => sql<CreatedThing>('created').iterate(),
    /** Columns that memberships to send again need in addition. */
    moreColumns: () =>
      sql<{ name: OwnColumn }>('more_columns')
        .all({ add: actionId('add') })
        .map(({ name }) => name),
    /** Calls of all regions over time. */
    callRates: () => {
      const { first, last } = sql<{ first: number | null; last: number }>('call_span').get() ?? {};
      if (typeof first !== 'number' || last === undefined) return [];
      const stepMs = Math.max(MIN_RATE_MS, Math.ceil((last - first + 1) / MAX_RATES));
      return ratesOf(sql<CallsOfStep>('call_steps').all({ step: stepMs }), stepMs);
    },
    /** A note on members who keep their scope, although rows ask for a higher one; undefined where there is none. */
    scopeNote: () => {
      // Most imports have none, and looking for them reads all outcomes.
      if (totalRows(counters()).already_member === 0) return undefined;
      const asked = { member: outcomeId('already_member'), add: actionId('add') };
      const { n = 0 } = sql<{ n: number }>('kept_scopes').get(asked) ?? {};
      return n === 0 ? undefined : { code: 'SCOPE_NOT_CHANGED', text: keptScopes(n) };
    },
    /** A note on groups that the additions took beyond the size with all features; undefined where there is none. */
    growthNote: () => {
      const grown = sql<{ n: number; guid: string; members: number }>('grown_groups').get({
        most: MEMBERS_WITH_ALL_FEATURES,
        call: MAX_UIDS_PER_CALL,
        added: outcomeId('added'),
      });
      return grown && { code: 'MANY_MEMBERS', text: manyMembers(grown.n, grown, 'grew') };
    },
    /** Promise 1 of docs/architecture.md. */
    check: () => checkCounters(sql),
    close,
    [Symbol.dispose]: close,
  };
}

/** Its rows. */
function rowsIn(database: DatabaseSync, sql: Statements, counters: () => Counters) {
  /** Rows in the order of the input, all or those that pass the filter; one at a time, not kept in memory. */
  const rows = (filter: RowFilter = {}) => {
    if (Object.values(filter).every((value) => value === undefined)) return chosenRows(database, 'true');
    const found = foundRows(database, filter);
    return chosenRows(database, `r.id in (select id from (${found.sql}))`, found.values);
  };
  return {
    rows,
    /** The first `limit` rows behind a place that pass the filter. Without an order: in that of the input. */
    rowsPage: (filter: RowFilter, limit: number, order?: RowOrder, after?: RowPlace) =>
      searchRows(database, filter, limit, order, after),
    countRows: (filter: RowFilter) => countRows(database, filter, counters),
    /** One row with its batch and calls; undefined where there is none of this number. */
    rowDetail: (number: number) => {
      const [row] = chosenRows(database, 'r.id = :row', { row: number }).toArray();
      if (row === undefined) return undefined;
      const { batch } = row;
      const { action = null, onBehalfOf = '' } = sql<Partial<Facts>>('asked_of_row').get({ row: number }) ?? {};
      const facts: Facts = {
        action,
        onBehalfOf,
        batch: sql<Facts['batch'] & object>('batch_of_row').get({ batch }) ?? null,
        calls: sql<Facts['calls'][number]>('calls_of_batch').all({ batch }),
        creations: sql<Facts['creations'][number]>('creations_of_row').all({ row: number }),
      };
      return { row, facts };
    },
    problems: () => {
      // Most imports have none, and looking for them reads all outcomes.
      const counted = totalRows(counters());
      return UNFULFILLED.every((outcome) => counted[outcome] === 0) ? [] : problemCounts(database, sql);
    },
    /** Returns the rows of a shaped input that pass the filter, as memberships to send again, in the order of the input. */
    toRetry: (filter: RowFilter) => {
      const { sql: found, values } = foundRows(database, filter);
      const chosen = statementText('memberships_to_retry').replace(
        '/* chosen */ true',
        () => `r.id in (select id from (${found}))`,
      );
      return database.prepare(chosen).iterate(values) as Iterable<unknown> as Iterable<MembershipToRetry>;
    },
    /** Whether a row that may be sent again passes the filter. @param without lines of rows that do not count */
    hasToRetry: (filter: RowFilter, without: ReadonlySet<number> = new Set()) =>
      rows(retryable(filter)).some(({ line }) => !without.has(line)),
    /** The first `limit` users behind a row whose UID has `text` in it. */
    uidsWith: (text: string, limit: number, after: number) => searchUids(sql, text, limit, after),
  };
}

/** Counts the rows that went wrong by outcome, code and column, with examples. */
function problemCounts(database: DatabaseSync, sql: Statements): ProblemCount[] {
  /** Returns examples among these rows, with different values. */
  const examplesOf = (...rows: readonly number[]) => {
    const examples = [...chosenRows(database, `r.id in (${[...new Set(rows)].join(', ')})`)].map(
      ({ row, line, uid, message }) => {
        const cell = sql('problem_value').get({ row })?.['value'];
        return { line, value: String(cell ?? uid ?? ''), message };
      },
    );
    return examples.filter(({ value }, at) => examples.findIndex((one) => one.value === value) === at);
  };
  const shapesOf = valueShapes(sql);
  return sql<CountedProblem>('problem_counts')
    .all({ fulfilled: FULFILLED_IDS })
    .map(({ status, code, place, n: count, first, middle, last }) => {
      const problem = { status, code, ...(place !== '' && { column: place }), count };
      const shapes = status === 'invalid' ? shapesOf(code, place) : [];
      if (shapes.length < 2) return { ...problem, examples: examplesOf(first, middle, last) };
      const examined = sumOf(shapes.map(({ rows }) => rows));
      const examples = shapes
        .slice(0, MAX_SHAPES)
        .flatMap(({ row, rows }) => examplesOf(row).map((example) => ({ ...example, rows })));
      return { ...problem, examples, ...(examined < count && { examined }) };
    });
}

/** A rate over less time (ms) says nothing. */
const MIN_RATE_MS = 1_000;
const MAX_RATES = 200;
/** After so long without a call (ms) the import may have been paused or its server away. */
const QUIET_MS = 10_000;

interface CallsOfStep {
  /** Number of the step since 1970. */
  readonly step: number;
  readonly calls: number;
  readonly rateLimited: number;
}

/** Rates in the order of time, those of steps without a call included. @param steps those with calls, in the same order */
export function ratesOf(steps: readonly CallsOfStep[], stepMs: number) {
  const rates: CallRate[] = [];
  const add = (step: number, calls: number | null, rateLimited: number | null) =>
    rates.push({ at: isoTime((step + 0.5) * stepMs), calls, rateLimited });
  let next = steps[0]?.step ?? 0;
  for (const { step, calls, rateLimited } of steps) {
    if ((step - next) * stepMs >= QUIET_MS) add(next, null, null);
    else for (; next < step; next += 1) add(next, 0, 0);
    add(step, (calls * 1_000) / stepMs, (rateLimited * 1_000) / stepMs);
    next = step + 1;
  }
  return rates;
}

function isNote(value: unknown): value is IntakeNote {
  return isObject(value) && isText(value['code']) && isText(value['text']);
}

/** More invalid rows than these are not compared: ten times as many would take a second. */
const MAX_EXAMINED = 100_000;
const MAX_SHAPES = 3;

interface Shape {
  /** The first row that has it. */
  readonly row: number;
  rows: number;
}

/**
 * Compares the values of the first invalid rows: the shapes of a problem's values, the most frequent first. A shape is a value
 * with one sign for each run of letters and of digits.
 */
function valueShapes(sql: Statements): (code: string, column: string) => readonly Shape[] {
  const problems = new Map<string, Map<string, Shape>>();
  const keyOf = (code: string, column: string) => `${code} ${column}`;
  const invalid = sql<{ row: number; code: string; place: string; value: string }>('first_invalid');
  for (const { row, code, place, value } of invalid.iterate({ limit: MAX_EXAMINED })) {
    const key = keyOf(code, place);
    const shapes = problems.get(key) ?? new Map<string, Shape>();
    problems.set(key, shapes);
    const text = value.replace(/[\p{L}\p{M}]+/gu, 'a').replace(/\p{N}+/gu, '0');
    const shape = shapes.get(text);
    if (shape === undefined) shapes.set(text, { row, rows: 1 });
    else shape.rows += 1;
  }
  return (code, column) => [...(problems.get(keyOf(code, column))?.values() ?? [])].sort((a, b) => b.rows - a.rows);
}
