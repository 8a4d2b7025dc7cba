import { existsSync } from 'node:fs';
import { IMPORT_MIGRATIONS } from '../../../imports/schemas.ts';
import type { Region } from '../../../membership/membership.ts';
import { attachForReading, openForReading, readStatements, statementsOf } from '../../../platform/sqlite.ts';
import type { ComparedCounts, ComparedGroup } from '../api.ts';
import { PLAN_MIGRATIONS } from './plan-reading.ts';

/** One of two syncs: its plan, and the ledger of the import that carried it out, where there is one. */
export interface ComparedSync {
  /** Path. */
  readonly plan: string;
  /** Path; null: nothing was sent. */
  readonly ledger: string | null;
}

export interface CompareRequest {
  readonly first: ComparedSync;
  readonly second: ComparedSync;
  /** Also groups in which both do the same. */
  readonly all: boolean;
  readonly after: { readonly region: string; readonly guid: string };
  readonly limit: number;
}

export interface ComparedPage {
  readonly groups: readonly ComparedGroup[];
  readonly next?: { readonly region: string; readonly guid: string };
  /** Rows that failed or were not confirmed. */
  readonly failed: { readonly first: number; readonly second: number };
}

const STATEMENTS = new URL('compare-plans.sql', import.meta.url);
const SIDES = ['first', 'second'] as const;
/** The statement that counts what a plan does in a group. */
const COUNTERS_OF = { first: 'first_counters', second: 'second_counters' } as const;
/** Groups that are looked up at a time. */
const AT_ONCE = 500;

/** A page of the groups of two plans, with what each does there. Memory does not grow with the plans. */
export function comparePlans({ first, second, all, after, limit }: CompareRequest): ComparedPage {
  const database = openForReading(first.plan, PLAN_MIGRATIONS);
  try {
    const sql = statementsOf(database, STATEMENTS);
    // Prepared again for each ledger: the name then refers to other tables.
    const noteFailures = readStatements(STATEMENTS).get('note_failures') ?? '';
    attachForReading(database, second.plan, 'second', PLAN_MIGRATIONS);
    sql('failures_table').run();
    for (const side of SIDES) {
      const { ledger } = side === 'first' ? first : second;
      if (ledger === null || !existsSync(ledger)) continue;
      attachForReading(database, ledger, 'ledger', IMPORT_MIGRATIONS);
      database.prepare(noteFailures).run({ side });
      database.exec('detach ledger');
    }
    const countersOf = (side: (typeof SIDES)[number], group: Place): ComparedCounts | null => {
      const counts = sql<Omit<ComparedCounts, 'failed'>>(COUNTERS_OF[side]).get({ ...group });
      if (counts === undefined) return null;
      const failed = Number(sql('failures_of').get({ side, ...group })?.['n'] ?? 0);
      return { ...counts, failed };
    };
    const failedIn = (side: string) => Number(sql('failures_in_all').get({ side })?.['n']);
    const failed = { first: failedIn('first'), second: failedIn('second') };
    const groups: ComparedGroup[] = [];
    for (let place: Place = after; ; ) {
      const found = sql<Place>('groups_after').all({ ...place, limit: AT_ONCE });
      if (found.length === 0) return { groups, failed };
      for (const group of found) {
        const counters = { first: countersOf('first', group), second: countersOf('second', group) };
        if (all || !isSame(counters.first, counters.second)) {
          if (groups.length === limit) return { groups, failed, next: { region: place.region, guid: place.guid } };
          groups.push({ region: group.region as Region, guid: group.guid, ...counters });
        }
        place = group;
      }
    }
  } finally {
    database.close();
  }
}

interface Place {
  readonly region: string;
  readonly guid: string;
}

function isSame(first: ComparedCounts | null, second: ComparedCounts | null): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}
