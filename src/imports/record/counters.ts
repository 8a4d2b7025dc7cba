import type { Created, RegionCounts, Ways, Writes } from '../../api/import-summary.ts';
import { REGIONS, type Region } from '../../membership/membership.ts';
import { OUTCOMES, type RowCounts, sumOfOutcomes } from '../../membership/outcome.ts';
import type { Statements } from '../../platform/sqlite.ts';

/** Counters of one region. */
interface RegionCounters extends RegionCounts {
  /** Absent where there are none. */
  readonly created?: Created;
  /** Absent where there are none. */
  readonly writes?: Writes;
  /** Absent where it does not only add. */
  readonly ways?: Ways;
}

/** Counters of an import; `unprocessed` counts rows without an outcome. `''` holds rows whose region is not known. */
export type Counters = ReadonlyMap<Region | '', RegionCounters>;

/** Counts from the rows themselves, and how the counters differ; `difference` is empty when they agree. */
export interface SumCheck {
  readonly holds: boolean;
  readonly rows: RowCounts;
  readonly difference: string;
}

/** Reads the counters by the statements of import.sql. */
export function readCounters(sql: Statements): Counters {
  const numbers = new Map<string, number>();
  const seen = new Set<Region | ''>();
  for (const row of sql('counters').all()) {
    seen.add(row['region'] as Region | '');
    numbers.set(`${row['region']} ${row['name']}`, Number(row['n']));
  }
  const counters = new Map<Region | '', RegionCounters>();
  for (const region of ['' as const, ...REGIONS]) {
    if (!seen.has(region)) continue;
    const n = (name: string) => numbers.get(`${region} ${name}`) ?? 0;
    const read = n('read');
    const settled = OUTCOMES.filter((outcome) => outcome !== 'unprocessed').map(
      (outcome) => [outcome, n(outcome)] as const,
    );
    const unprocessed = read - settled.reduce((sum, [, count]) => sum + count, 0);
    counters.set(region, {
      calls: n('calls'),
      retries: n('retries'),
      rateLimited: n('rateLimited'),
      ...createdBy(n),
      ...(n('bansToAsk') > 0 && { banQuestions: { asked: n('bansAsked'), of: n('bansToAsk') } }),
      ...(n('messages') > 0 && { writes: { messages: n('messages'), groups: n('messageGroups') } }),
      ...(n('silentCalls') > 0 && {
        ways: {
          added: { messages: n('addedMessages'), calls: n('addedCalls') },
          silent: { calls: n('silentCalls') },
        },
      }),
      rows: { read, ...Object.fromEntries(settled), unprocessed } as RowCounts,
    });
  }
  return counters;
}

function createdBy(n: (name: string) => number): Pick<RegionCounters, 'created'> {
  const created = { users: n('createdUsers'), groups: n('createdGroups'), reactivated: n('reactivatedUsers') };
  return created.users + created.groups + created.reactivated === 0 ? {} : { created };
}

/** Counts outcomes from the rows and compares them with the counters, by the statements of import.sql. */
export function checkCounters(sql: Statements): SumCheck {
  const counted = new Map(
    sql('recount')
      .all()
      .map((row) => [String(row['name']), Number(row['n'])]),
  );
  const names = ['read', ...OUTCOMES] as const;
  const rows = Object.fromEntries(names.map((name) => [name, counted.get(name) ?? 0])) as RowCounts;
  const kept = totalRows(readCounters(sql));
  const difference = [
    ...names
      .filter((name) => kept[name] !== rows[name])
      .map((name) => `${name}: ${kept[name]} counted, ${rows[name]} in the rows`),
    ...(sumOfOutcomes(rows) === rows.read ? [] : [`${sumOfOutcomes(rows)} outcomes for ${rows.read} rows`]),
    ...lostRows(sql),
  ].join('; ');
  return { holds: difference === '', rows, difference };
}

/** Compares the rows of the input and their memberships with what the reader counted. */
function lostRows(sql: Statements): string[] {
  const counts = sql('rows_and_memberships').get();
  if (counts === undefined || counts['rows_read'] === null) return [];
  const { rows_read: read, entries, rows_kept: kept, read_kept: readKept, gaps } = counts;
  return [
    ...(entries === kept ? [] : [`${entries} memberships and empty rows were read, ${kept} are kept`]),
    ...(read === readKept ? [] : [`${read} rows of the input were read, ${readKept} are kept`]),
    ...(gaps === 0 ? [] : [`${gaps} rows of the input lack one of their memberships`]),
  ];
}

export function totalRows(counters: Counters): RowCounts {
  const total = Object.fromEntries((['read', ...OUTCOMES] as const).map((name) => [name, 0])) as Record<
    keyof RowCounts,
    number
  >;
  for (const { rows } of counters.values())
    for (const name of Object.keys(total) as (keyof RowCounts)[]) total[name] += rows[name];
  return total;
}
