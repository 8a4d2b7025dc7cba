import { setImmediate } from 'node:timers/promises';
import type { Region } from '../../../membership/membership.ts';
import { PLAN_ACTIONS, type PlanActionName } from '../../../membership/plan-words.ts';
import { openForReading, statementsOf } from '../../../platform/sqlite.ts';
import type { SyncGroup } from '../api.ts';
import type { GuardFinding, GuardObjections, PlanAction } from '../api-plan.ts';
import { GUARDS } from './plan-guards.ts';
import { type ActionRow, actionOf, PLAN_SCHEMA, planReader } from './plan-reading.ts';
import { groupProblem } from './plan-totals.ts';

/** Filter of actions; an absent condition is always met. The GUID is a whole one, without regard to case. */
interface ActionFilter {
  readonly actions?: ReadonlySet<PlanActionName> | undefined;
  readonly region?: Region | undefined;
  readonly guid?: string | undefined;
}

/** The place of an action in a plan: the number of its group, and its UID. */
interface ActionPlace {
  readonly group: number;
  readonly uid: string;
}

/** The place of an objection among those of its guard, the worst first. */
interface FindingPlace {
  readonly value: number;
  readonly id: number;
}

/** A page, and the start of the next one; null on the last one. */
interface Page<Item, Place> {
  readonly items: Item[];
  readonly next: Place | null;
}

/** A plan a page at a time. */
export type PlanPages = ReturnType<typeof openPlanPages>;

/** Actions that are looked at before others have their turn: some milliseconds. */
const SLICE = 20_000;
const WORST: FindingPlace = { value: Number.POSITIVE_INFINITY, id: 0 };

/**
 * Opens the plan at `path`, which must be complete, for a process with other work: it reads a bounded part, lets other work
 * run, and continues. Only a single group is read in one go.
 * @param slice actions that are looked at in one go
 */
export function openPlanPages(path: string, slice = SLICE) {
  const database = openForReading(path, PLAN_SCHEMA);
  const sql = statementsOf(database, new URL('plan-pages.sql', import.meta.url));
  const plan = planReader(database);

  const worstFirst = (guard: string, search: string, after: FindingPlace, limit: number) =>
    sql<GuardFinding & FindingPlace & { readonly remedy: string }>('findings_page').all({
      guard,
      search,
      ...after,
      limit,
    });

  return {
    ...plan,
    /**
     * Groups behind number `after` (0: from the first), in the order of the file. `actions`: only those that have such an
     * action, or could not be listed.
     */
    groupPage: async (
      actions: ReadonlySet<PlanActionName> | undefined,
      after: number,
      limit: number,
    ): Promise<Page<SyncGroup, number>> => {
      const items: SyncGroup[] = [];
      for (let place = after; ; await setImmediate()) {
        const [group] = plan.groups(place, 1);
        if (group === undefined) return { items, next: null };
        const { id, region, guid, listing, members, actions: counts, right, creates } = group;
        const problem = groupProblem(group);
        if (
          actions === undefined ||
          problem !== '' ||
          PLAN_ACTIONS.some((one) => actions.has(one) && counts[one] > 0)
        ) {
          if (items.length === limit) return { items, next: place };
          const created = creates && { creates };
          items.push({ region, guid, listing, problem, members, actions: counts, right, ...created });
        }
        place = id;
      }
    },
    /** Actions behind a place, in the order of the groups, then by UID. */
    actionPage: async (
      { actions = new Set(PLAN_ACTIONS), region, guid }: ActionFilter,
      after: ActionPlace | undefined,
      limit: number,
    ): Promise<Page<PlanAction, ActionPlace>> => {
      const where = { region: region ?? null, guid: guid ?? null };
      const { first = 1, last = 0 } = sql<{ first: number; last: number }>('span').get(where) ?? {};
      const choice = { actions: JSON.stringify([...actions]), ...where, most: slice };
      const found: (ActionRow & ActionPlace)[] = [];
      // No UID is empty: this is the place before a group's first.
      for (let place: ActionPlace = after ?? { group: first, uid: '' }; ; await setImmediate()) {
        // One more than asked for tells whether there is a next page.
        const rest = limit + 1 - found.length;
        found.push(...sql<ActionRow & ActionPlace>('action_slice').all({ ...place, ...choice, last, limit: rest }));
        const end = sql<ActionPlace>('slice_end').get({ ...place, last, behind: slice - 1 });
        if (found.length > limit || end === undefined) break;
        place = { ...end };
      }
      return pageOf(
        found,
        limit,
        ({ group: _, ...row }) => actionOf(row),
        ({ group, uid }) => ({ group, uid }),
      );
    },
    /** Objections of a guard behind a place, the worst first. @param search part of a group's GUID; empty: all */
    findingPage: (
      { guard, search }: { readonly guard: string; readonly search: string },
      after: FindingPlace | undefined,
      limit: number,
    ): Page<GuardFinding, FindingPlace> =>
      pageOf(worstFirst(guard, search, after ?? WORST, limit + 1), limit, findingOf, ({ value, id }) => ({
        value,
        id,
      })),
    /** The numbers of each guard's objections: hundreds of groups are one objection of one guard. In the order of the guards. */
    guards: (): GuardObjections[] =>
      sql<Pick<GuardObjections, 'guard' | 'count' | 'total'>>('guard_counts')
        .all()
        .flatMap((counted) =>
          worstFirst(counted.guard, '', WORST, 1).map((worst) => {
            const meaning = GUARDS.find(({ name }) => name === counted.guard)?.meaning ?? '';
            return { ...counted, meaning, remedy: worst.remedy, worst: findingOf(worst) };
          }),
        ),
    /** Number of groups that the service does not know and that are not created. */
    unknownGroups: () => Number(sql('unknown_groups').get()?.['groups'] ?? 0),
  };
}

/** A page of rows, of which one more than asked for tells whether there is a next page. */
function pageOf<Row, Item, Place>(
  rows: readonly Row[],
  limit: number,
  itemOf: (row: Row) => Item,
  placeOf: (row: Row) => Place,
): Page<Item, Place> {
  const items = rows.slice(0, limit).map(itemOf);
  const last = rows[limit - 1];
  return { items, next: rows.length > limit && last !== undefined ? placeOf(last) : null };
}

function findingOf({ id: _, remedy: __, ...finding }: GuardFinding & FindingPlace & { readonly remedy: string }) {
  return finding;
}
