import type { GroupCount, ProblemCount } from '../../api/rows.ts';
import type { Region } from '../../membership/membership.ts';
import { FULFILLED, OUTCOMES, type Outcome, RETRYABLE, type RowCounts } from '../../membership/outcome.ts';
import { openForReading, statementsOf } from '../../platform/sqlite.ts';
import type { InputKind } from '../read/detect.ts';
import type { IntakeNote } from '../read/intake-note.ts';
import type { StoppedRegion } from '../record/batch-result.ts';
import { actionId, outcomeId } from '../record/enum-ids.ts';
import { checkTallies, readTallies, type SumCheck, type Tallies } from '../record/import-ledger.ts';
import type { InputDescription } from '../stage/staged-row.ts';
import type { CallBucket } from './call-bucket.ts';
import { chosenRows, type RowWithOutcome, withOutcome } from './chosen-rows.ts';
import type { MembershipToRetry } from './retry.ts';
import { type RowFilter, type RowsPage, searchRows } from './row-search.ts';

const FULFILLED_IDS = JSON.stringify([...FULFILLED].map(outcomeId));

export type { RowWithOutcome } from './chosen-rows.ts';

export type { RowFilter } from './row-search.ts';

/** An import's file, open for anyone to read while the coordinator may be writing it. */
export interface ImportReader {
  input(): InputDescription & Required<Pick<InputDescription, 'kind' | 'notes'>>;
  tallies(): Tallies;
  stoppedRegions(): StoppedRegion[];
  /** Calls that are to be made at least, by region: batches without an end. */
  callsLeft(): Map<Region, number>;
  /** Rows in the order of the input, all or those with one of these outcomes; one at a time, not kept in memory. */
  rows(outcomes?: ReadonlySet<Outcome>): IteratorObject<RowWithOutcome>;
  /** The first `limit` rows behind row number `after` (0: from the start) that pass the filter, in the order of the input. */
  rowsPage(filter: RowFilter, after: number, limit: number): RowsPage;
  problems(): ProblemCount[];
  /** The groups most in need of attention, then the largest; and how many groups there are. */
  groups(limit: number): { readonly groups: GroupCount[]; readonly total: number };
  /** Of a shaped input: the memberships that may be sent again, in the order of the input. */
  toRetry(): Iterable<MembershipToRetry>;
  /** Whether anything but adding is asked for. */
  hasChanges(): boolean;
  /** Calls over time, in at most `buckets` buckets per region. */
  calls(buckets: number): CallBucket[];
  /** Calls that began at `at` (ms since 1970) or later. */
  callsSince(at: number): number;
  /** Users and groups that it created or made active again, the first `limit`. */
  created(limit: number): Creation[];
  /** Counts outcomes from the rows themselves and compares: promise 1 of the design. */
  check(): SumCheck;
  close(): void;
}

/** What an import has made. */
interface Creation {
  readonly kind: 'user' | 'group';
  readonly region: string;
  /** UID or GUID, in lower case. */
  readonly name: string;
  readonly outcome: 'created' | 'reactivated';
}

export function openImportReader(path: string): ImportReader {
  const database = openForReading(path);
  const sql = statementsOf(database, new URL('reading.sql', import.meta.url));
  const importSql = statementsOf(database, new URL('../record/import.sql', import.meta.url));
  return {
    input: () => {
      const row = importSql('input').get();
      return {
        format: (row?.['format'] ?? 'csv') as InputDescription['format'],
        kind: (row?.['kind'] ?? 'csv') as InputKind,
        notes: JSON.parse(String(row?.['notes'] ?? '[]')) as IntakeNote[],
        delimiter: String(row?.['delimiter'] ?? ','),
        columns: JSON.parse(String(row?.['columns'] ?? '[]')) as string[],
        recognised: JSON.parse(String(row?.['recognised'] ?? '{}')) as Record<string, string>,
        ...(row?.['shaped'] === 1 && { shaped: true, rowsRead: Number(row['rows_read']) }),
      };
    },
    tallies: () => readTallies(importSql),
    stoppedRegions: () => importSql('stopped_regions').all() as unknown as StoppedRegion[],
    callsLeft: () =>
      new Map(
        sql('calls_left')
          .all()
          .map(({ region, n }) => [region as Region, Number(n)] as const),
      ),
    rows: (outcomes) => chosenRows(database, outcomes === undefined ? 'true' : withOutcome(outcomes)),
    rowsPage: (filter, after, limit) => searchRows(database, filter, after, limit),
    problems: () =>
      sql('problem_counts')
        .all({ fulfilled: FULFILLED_IDS })
        .map((problem) => {
          const id = Number(problem['example_row']);
          const [example] = chosenRows(database, 'r.id = :row', { row: id }).take(1);
          const cell = sql('problem_value').get({ row: id })?.['value'];
          return {
            status: problem['status'] as Outcome,
            code: String(problem['code']),
            count: Number(problem['n']),
            example: {
              line: example?.line ?? 0,
              value: String(cell ?? example?.uid ?? ''),
              message: example?.message ?? '',
            },
          };
        }),
    groups: (limit) => ({
      groups: groupTallies(sql('group_counts').all({ fulfilled: FULFILLED_IDS, limit })),
      total: Number(sql('group_total').get()?.['n']),
    }),
    toRetry: () =>
      sql('memberships_to_retry').iterate({
        retryable: JSON.stringify([...RETRYABLE].map(outcomeId)),
        unprocessed: outcomeId('unprocessed'),
      }) as Iterable<unknown> as Iterable<MembershipToRetry>,
    hasChanges: () => sql('has_changes').get({ add: actionId('add') }) !== undefined,
    calls: (buckets) => {
      const span = sql('call_span').get();
      if (Number(span?.['n']) === 0) return [];
      const first = Number(span?.['first']);
      const width = Math.max(1, Math.ceil((Number(span?.['last']) - first + 1) / buckets));
      return sql('call_buckets')
        .all({ first, width })
        .map((bucket) => ({
          at: first + Number(bucket['bucket']) * width,
          widthMs: width,
          calls: Number(bucket['calls']),
          failed: Number(bucket['failed']),
          rateLimited: Number(bucket['limited']),
          p50Ms: Number(bucket['p50Ms']),
          maxMs: Number(bucket['maxMs']),
          region: String(bucket['region']),
        }));
    },
    callsSince: (at) => Number(sql('calls_since').get({ at })?.['n']),
    created: (limit) => sql('created').all({ limit }) as unknown as Creation[],
    check: () => checkTallies(importSql),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

function groupTallies(rows: Record<string, unknown>[]): GroupCount[] {
  const groups = new Map<number, { region: string; guid: string; rows: Record<keyof RowCounts, number> }>();
  for (const row of rows) {
    const id = Number(row['group_id']);
    let group = groups.get(id);
    if (group === undefined) {
      const none = Object.fromEntries((['read', ...OUTCOMES] as const).map((name) => [name, 0]));
      group = {
        region: String(row['region']),
        guid: String(row['guid']),
        rows: none as Record<keyof RowCounts, number>,
      };
      groups.set(id, group);
    }
    group.rows[row['outcome'] as Outcome] += Number(row['n']);
    group.rows.read += Number(row['n']);
  }
  return [...groups.values()];
}
