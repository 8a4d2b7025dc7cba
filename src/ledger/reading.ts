import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { OUTCOMES, type Outcome, type RowCounts } from '../membership/outcome.ts';
import type { StoppedRegion } from './batch-result.ts';
import { openForReading, readStatements, statementsOf } from './database.ts';
import { readTallies, type Tallies } from './import-ledger.ts';
import type { InputDescription } from './staged-row.ts';
import { outcomeId } from './words.ts';

/** A row of the input with what came of it. Texts are '' when there is nothing to say; times are ms since 1970. */
export interface RowWithOutcome {
  readonly line: number;
  readonly original: string;
  readonly status: Outcome;
  readonly code: string;
  readonly message: string;
  readonly region: string;
  readonly guid: string;
  readonly uid: string;
  readonly scope: string;
  readonly attempts: number;
  readonly httpStatus: number | null;
  readonly batch: number | null;
  readonly finishedAt: number | null;
}

export interface ProblemTally {
  readonly status: Outcome;
  readonly code: string;
  readonly count: number;
  readonly example: { readonly line: number; readonly value: string; readonly message: string };
}

export interface GroupTally {
  readonly region: string;
  readonly guid: string;
  readonly rows: RowCounts;
}

export interface CallTally {
  readonly at: number;
  readonly widthMs: number;
  readonly calls: number;
  readonly failed: number;
  readonly rateLimited: number;
  readonly p50Ms: number;
  readonly maxMs: number;
  readonly region: string;
}

/** An import's file, open for anyone to read while the coordinator may be writing it. */
export interface ImportReader {
  input(): InputDescription;
  tallies(): Tallies;
  stoppedRegions(): StoppedRegion[];
  /** Rows in the order of the input, all or those with one of these outcomes; one at a time, not kept in memory. */
  rows(outcomes?: ReadonlySet<Outcome>): IteratorObject<RowWithOutcome>;
  problems(): ProblemTally[];
  /** The groups most in need of attention, then the largest; and how many groups there are. */
  groups(limit: number): { readonly groups: GroupTally[]; readonly total: number };
  /** Calls over time, in at most `buckets` buckets per region. */
  calls(buckets: number): CallTally[];
  /** Calls that began at `at` (ms since 1970) or later. */
  callsSince(at: number): number;
  close(): void;
}

const READING = new URL('reading.sql', import.meta.url);

export function openImportReader(path: string): ImportReader {
  const database = openForReading(path);
  const sql = statementsOf(database, READING);
  const importSql = statementsOf(database, new URL('import.sql', import.meta.url));
  return {
    input: () => {
      const row = importSql('input').get();
      return {
        format: (row?.['format'] ?? 'csv') as InputDescription['format'],
        delimiter: String(row?.['delimiter'] ?? ','),
        columns: JSON.parse(String(row?.['columns'] ?? '[]')) as string[],
        recognised: JSON.parse(String(row?.['recognised'] ?? '{}')) as Record<string, string>,
      };
    },
    tallies: () => readTallies(importSql),
    stoppedRegions: () => importSql('stopped_regions').all() as unknown as StoppedRegion[],
    rows: (outcomes) => chosenRows(database, outcomes === undefined ? 'true' : choiceOf(outcomes)),
    problems: () =>
      sql('problem_counts')
        .all()
        .map((problem) => {
          const id = Number(problem['example_row']);
          const [example] = chosenRows(database, 'r.id = ?', id).take(1);
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
      groups: groupTallies(sql('group_counts').all({ limit })),
      total: Number(sql('group_total').get()?.['n']),
    }),
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
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

function chosenRows(
  database: DatabaseSync,
  choice: string,
  ...values: SQLInputValue[]
): IteratorObject<RowWithOutcome> {
  const text = readStatements(READING).get('report_rows') ?? '';
  const statement = database.prepare(text.replace('/* chosen */ true', choice));
  return Iterator.from(statement.iterate(...values) as Iterable<unknown> as Iterable<RowWithOutcome>);
}

/** SQL that chooses rows by outcome, from the tables that hold them. */
function choiceOf(outcomes: ReadonlySet<Outcome>): string {
  const sources: string[] = [];
  const sent = [...outcomes].filter((outcome) => outcome !== 'invalid' && outcome !== 'duplicate').map(outcomeId);
  if (sent.length > 0) {
    const unset = outcomeId('unprocessed');
    sources.push(`select row_id from memberships where coalesce(outcome_id, ${unset}) in (${sent.join(', ')})`);
  }
  if (outcomes.has('invalid')) sources.push('select row_id from problems');
  if (outcomes.has('duplicate')) sources.push('select row_id from duplicates');
  return sources.length === 0 ? 'false' : `r.id in (${sources.join(' union all ')})`;
}

function groupTallies(rows: Record<string, unknown>[]): GroupTally[] {
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
