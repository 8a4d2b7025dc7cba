import type { CallRate, ProblemCount, RowDetailFacts } from '../../api/rows.ts';
import { MAX_IMPORTED_PER_CALL, MAX_UIDS_PER_CALL, MEMBERS_WITH_ALL_FEATURES } from '../../chat/service/limits.ts';
import type { Region } from '../../membership/membership.ts';
import { FULFILLED, OUTCOMES, RETRYABLE } from '../../membership/outcome.ts';
import { manyMembers } from '../../membership/outcome-words.ts';
import type { InputKind } from '../../options/input-kinds.ts';
import type { RowFilter } from '../../options/row-filter.ts';
import { openForReading, type Statements, statementsOf } from '../../platform/sqlite.ts';
import { isObject, isText, listOf, mapOf, storedJson } from '../../platform/stored-json.ts';
import { isoTime } from '../../text/wording.ts';
import { columnsOfInput, type InputDescription, type IntakeNote } from '../read/notes.ts';
import { type Counters, checkCounters, readCounters, type SumCheck, totalRows } from '../record/counters.ts';
import { actionId, outcomeId } from '../record/enum-ids.ts';
import { IMPORT_SCHEMA } from '../schemas.ts';
import { chosenRows, statementText } from './chosen-rows.ts';
import type { MembershipToRetry, OwnColumn, ReportRow } from './report-table.ts';
import {
  countRows,
  type FoundUids,
  foundRows,
  type RowOrder,
  type RowPlace,
  type RowsPage,
  retryable,
  searchRows,
  searchUids,
} from './row-search.ts';

const UNFULFILLED = OUTCOMES.filter((outcome) => !FULFILLED.has(outcome));
const FULFILLED_IDS = JSON.stringify([...FULFILLED].map(outcomeId));
const RETRYABLE_IDS = JSON.stringify([...RETRYABLE].map(outcomeId));

interface RetryWork {
  readonly region: Region;
  readonly groups: number;
  readonly calls: number;
}

interface CountedProblem
  extends Pick<ProblemCount, 'status' | 'code'>,
    Record<'n' | 'first' | 'middle' | 'last', number> {
  readonly place: string;
}

/** The progress of an import, and its time. */
export interface ImportProgress {
  /** ms, by a clock that all threads share and nobody sets */
  readonly at: number;
  readonly counters: Counters;
  readonly callsLeft: ReadonlyMap<Region, number>;
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

/** An import's file, open for reading while the coordinator may be writing it. */
export class ImportReader {
  readonly #database: ReturnType<typeof openForReading>;
  readonly #sql: Statements;
  readonly #importSql: Statements;

  constructor(path: string) {
    this.#database = openForReading(path, IMPORT_SCHEMA);
    this.#sql = statementsOf(this.#database, new URL('reading.sql', import.meta.url));
    this.#importSql = statementsOf(this.#database, new URL('../record/import.sql', import.meta.url));
  }

  input(): InputDescription & Required<Pick<InputDescription, 'kind' | 'notes'>> {
    const row = this.#importSql('input').get();
    return {
      format: (row?.['format'] ?? 'csv') as InputDescription['format'],
      kind: (row?.['kind'] ?? 'csv') as InputKind,
      notes: storedJson(String(row?.['notes'] ?? '[]'), 'notes about a file', listOf(isNote)),
      delimiter: String(row?.['delimiter'] ?? ','),
      columns: columnsOfInput(row),
      recognised: storedJson(String(row?.['recognised'] ?? '{}'), 'recognised columns', mapOf(isText)),
      ...(row?.['shaped'] === 1 && { shaped: true, rowsRead: Number(row['rows_read']) }),
    };
  }

  counters(): Counters {
    return readCounters(this.#importSql);
  }

  /** The least number of calls left, by region: unfinished batches. `held`: also those that are sent only when a person resumes. */
  callsLeft({ held = false }: { readonly held?: boolean } = {}): Map<Region, number> {
    const left = this.#sql<{ region: Region; n: number }>('calls_left').all({ held: Number(held) });
    return new Map(left.map(({ region, n }) => [region, n]));
  }

  /** Returns the progress of the import, and its time. */
  progress(): ImportProgress {
    const counters = this.counters();
    const at = Number(process.hrtime.bigint() / 1_000_000n);
    return { at, counters, callsLeft: this.callsLeft() };
  }

  /** Returns the rows and calls of a retry, by region. */
  retryWork(): RetryWork[] {
    return this.#sql<RetryWork>('retry_work').all({
      retryable: RETRYABLE_IDS,
      call: MAX_UIDS_PER_CALL,
      together: MAX_IMPORTED_PER_CALL,
    });
  }

  /** Rows in the order of the input, all or those that pass the filter; one at a time, not kept in memory. */
  rows(filter: RowFilter = {}): IteratorObject<ReportRow> {
    if (Object.values(filter).every((value) => value === undefined)) return chosenRows(this.#database, 'true');
    const { sql, values } = foundRows(this.#database, filter);
    return chosenRows(this.#database, `r.id in (select id from (${sql}))`, values);
  }

  /** The first `limit` rows behind a place that pass the filter. Without an order: in that of the input. */
  rowsPage(filter: RowFilter, limit: number, order?: RowOrder, after?: RowPlace): RowsPage {
    return searchRows(this.#database, filter, limit, order, after);
  }

  /** Returns the number of rows that pass the filter. */
  countRows(filter: RowFilter): number {
    return countRows(this.#database, filter, () => this.counters());
  }

  /** One row with its batch and calls; undefined where there is none of this number. */
  rowDetail(number: number): RowDetail | undefined {
    const [row] = chosenRows(this.#database, 'r.id = :row', { row: number }).toArray();
    if (row === undefined) return undefined;
    const { batch } = row;
    const { action = null, onBehalfOf = '' } = this.#sql<Asked>('asked_of_row').get({ row: number }) ?? {};
    return {
      row,
      facts: {
        action,
        onBehalfOf,
        batch: this.#sql<Facts['batch'] & object>('batch_of_row').get({ batch }) ?? null,
        calls: this.#sql<Facts['calls'][number]>('calls_of_batch').all({ batch }),
        creations: this.#sql<Facts['creations'][number]>('creations_of_row').all({ row: number }),
      },
    };
  }

  problems(): ProblemCount[] {
    // Most imports have none, and looking for them reads all outcomes.
    const counted = totalRows(this.counters());
    if (UNFULFILLED.every((outcome) => counted[outcome] === 0)) return [];
    const shapesOf = valueShapes(this.#sql);
    return this.#sql<CountedProblem>('problem_counts')
      .all({ fulfilled: FULFILLED_IDS })
      .map(({ status, code, place, n: count, first, middle, last }) => {
        const found = status === 'invalid' ? shapesOf(code, place) : undefined;
        return {
          status,
          code,
          ...(place !== '' && { column: place }),
          count,
          examples:
            found?.shapes.flatMap(({ row, rows }) =>
              this.#examplesOf([row]).map((example) => ({ ...example, rows })),
            ) ?? this.#examplesOf([first, middle, last]),
          ...(found !== undefined && found.examined < count && { examined: found.examined }),
        };
      });
  }

  /**
   * Returns the rows of a shaped input that pass the filter, as memberships to send again, in the order of the input.
   */
  toRetry(filter: RowFilter): Iterable<MembershipToRetry> {
    const { sql: found, values } = foundRows(this.#database, filter);
    const chosen = statementText('memberships_to_retry').replace(
      '/* chosen */ true',
      () => `r.id in (select id from (${found}))`,
    );
    return this.#database.prepare(chosen).iterate(values) as Iterable<unknown> as Iterable<MembershipToRetry>;
  }

  /** Returns the users and groups that the import created, and the users that it made active again; groups first. */
  created(): Iterable<CreatedThing> {
    return this.#sql<CreatedThing>('created').iterate();
  }

  /** Whether a row that may be sent again passes the filter. @param without lines of rows that do not count */
  hasToRetry(filter: RowFilter, without: ReadonlySet<number> = new Set()): boolean {
    return this.rows(retryable(filter)).some(({ line }) => !without.has(line));
  }

  /** The first `limit` users behind a row whose UID has `text` in it. */
  uidsWith(text: string, limit: number, after: number): FoundUids {
    return searchUids(this.#sql, text, limit, after);
  }

  /** Columns that memberships to send again need in addition. */
  moreColumns(): OwnColumn[] {
    return this.#sql<{ name: OwnColumn }>('more_columns')
      .all({ add: actionId('add') })
      .map(({ name }) => name);
  }

  /** Calls of all regions over time. */
  callRates(): CallRate[] {
    const { first, last } = this.#sql<{ first: number | null; last: number }>('call_span').get() ?? {};
    if (typeof first !== 'number' || last === undefined) return [];
    const stepMs = Math.max(MIN_RATE_MS, Math.ceil((last - first + 1) / MAX_RATES));
    return ratesOf(this.#sql<CallsOfStep>('call_steps').all({ step: stepMs }), stepMs);
  }

  /** A note on groups that the additions took beyond the size with all features; undefined where there is none. */
  growthNote(): IntakeNote | undefined {
    const grown = this.#sql<{ n: number; guid: string; members: number }>('grown_groups').get({
      most: MEMBERS_WITH_ALL_FEATURES,
      call: MAX_UIDS_PER_CALL,
      added: outcomeId('added'),
    });
    if (grown === undefined) return undefined;
    return { code: 'MANY_MEMBERS', text: manyMembers(grown.n, grown, 'grew') };
  }

  /** Counts outcomes from the rows themselves and compares: promise 1 of the design. */
  check(): SumCheck {
    return checkCounters(this.#importSql);
  }

  close(): void {
    this.#database[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Returns examples among these rows, with different values. */
  #examplesOf(rows: readonly number[]) {
    const examples = [...chosenRows(this.#database, `r.id in (${[...new Set(rows)].join(', ')})`)].map(
      ({ row, line, uid, message }) => {
        const cell = this.#sql('problem_value').get({ row })?.['value'];
        return { line, value: String(cell ?? uid ?? ''), message };
      },
    );
    return examples.filter(({ value }, at) => examples.findIndex((one) => one.value === value) === at);
  }
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
export function ratesOf(steps: readonly CallsOfStep[], stepMs: number): CallRate[] {
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

export const openImportReader = (path: string): ImportReader => new ImportReader(path);

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

/** The most frequent shapes of a problem's values. */
interface FoundShapes {
  /** Rows of the problem that were compared. */
  readonly examined: number;
  readonly shapes: readonly Shape[];
}

/**
 * Compares the values of the first invalid rows, and returns what was found for a problem: undefined where its values
 * have one shape. A shape is a value with one sign for each run of letters and of digits.
 */
function valueShapes(sql: Statements): (code: string, column: string) => FoundShapes | undefined {
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
  return (code, column) => {
    const all = [...(problems.get(keyOf(code, column))?.values() ?? [])];
    if (all.length < 2) return undefined;
    const examined = all.reduce((sum, { rows }) => sum + rows, 0);
    return { examined, shapes: all.toSorted((a, b) => b.rows - a.rows).slice(0, MAX_SHAPES) };
  };
}

/** All that is known of one row: as in lists, with its batch and every call that was made for it. */
export interface RowDetail {
  readonly row: ReportRow;
  readonly facts: RowDetailFacts;
}

type Facts = RowDetailFacts;
type Asked = Pick<Facts, 'action' | 'onBehalfOf'>;
