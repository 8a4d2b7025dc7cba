import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { PLAN_ACTIONS } from '../../../membership/plan-words.ts';
import { cursorContent, cursorText, numberCursor, pageOf } from '../../../platform/cursors.ts';
import { openForReading, statementsOf } from '../../../platform/sqlite.ts';
import {
  type findingsQuery,
  type memberActionsPage,
  type memberActionsQuery,
  type SyncGroup,
  type SyncGroupsPage,
  syncGroup,
  type syncGroupsQuery,
} from '../api.ts';
import type { GuardFinding, GuardObjections } from '../api-plan.ts';
import { GUARDS } from './plan-guards.ts';
import { type ActionRow, actionOf, PLAN_SCHEMA, planReader } from './plan-reading.ts';
import { groupProblem } from './plan-totals.ts';

/** The place of an action in a plan: the number of its group, and its UID. */
const actionPlace = z.strictObject({ group: z.int().nonnegative(), uid: z.string() });
type ActionPlace = z.infer<typeof actionPlace>;

/** The place of an objection among those of its guard, the worst first. */
const findingPlace = z.strictObject({ value: z.number(), id: z.int() });
type FindingRow = GuardFinding & z.infer<typeof findingPlace> & { readonly remedy: string };

/** A plan a page at a time. */
export type PlanPages = ReturnType<typeof openPlanPages>;

/** Actions that are looked at before others have their turn: some milliseconds. */
const SLICE = 20_000;
const WORST = { value: Number.POSITIVE_INFINITY, id: 0 };

/**
 * Opens the plan at `path`, which must be complete, for a process with other work: it reads a bounded part, lets other work
 * run, and continues. Only a single group is read in one go.
 * @param slice actions that are looked at in one go
 */
export function openPlanPages(path: string, slice = SLICE) {
  const database = openForReading(path, PLAN_SCHEMA);
  const sql = statementsOf(database, new URL('plan-pages.sql', import.meta.url));
  const plan = planReader(database);

  const worstFirst = (guard: string, search: string, cursor: string | undefined, limit: number) =>
    sql<FindingRow>('findings_page').all({ guard, search, ...(cursorContent(findingPlace, cursor) ?? WORST), limit });

  return {
    ...plan,
    /** Groups in the order of the file: all, or those that have one of the actions or could not be listed. */
    groupPage: async ({ action, cursor, limit }: z.output<typeof syncGroupsQuery>): Promise<SyncGroupsPage> => {
      const groups: SyncGroup[] = [];
      for (let place = numberCursor(cursor) ?? 0; ; await setImmediate()) {
        const [group] = plan.groups(place, 1);
        if (group === undefined) return { groups, nextCursor: null };
        const problem = groupProblem(group);
        if (action === undefined || problem !== '' || action.some((one) => group.actions[one] > 0)) {
          if (groups.length === limit) return { groups, nextCursor: String(place) };
          groups.push(syncGroup.strip().parse({ ...group, problem }));
        }
        place = group.id;
      }
    },
    /** Actions in the order of the groups, then by UID. The GUID is a whole one, without regard to case. */
    actionPage: async ({
      action = PLAN_ACTIONS,
      region,
      guid,
      cursor,
      limit,
    }: z.output<typeof memberActionsQuery>): Promise<z.infer<typeof memberActionsPage>> => {
      const where = { region: region ?? null, guid: guid ?? null };
      const { first = 1, last = 0 } = sql<{ first: number; last: number }>('span').get(where) ?? {};
      const choice = { actions: JSON.stringify(action), ...where, most: slice, last };
      const found: (ActionRow & ActionPlace)[] = [];
      // No UID is empty: this is the place before a group's first.
      for (let place = cursorContent(actionPlace, cursor) ?? { group: first, uid: '' }; ; await setImmediate()) {
        const rest = limit + 1 - found.length;
        found.push(...sql<ActionRow & ActionPlace>('action_slice').all({ ...place, ...choice, limit: rest }));
        const end = sql<ActionPlace>('slice_end').get({ ...place, last, behind: slice - 1 });
        if (found.length > limit || end === undefined) break;
        place = { ...end };
      }
      const { items, nextCursor } = pageOf(found, limit, ({ group, uid }) => cursorText({ group, uid }));
      return { actions: items.map(({ group: _, ...row }) => actionOf(row)), nextCursor };
    },
    /** Objections of a guard, the worst first. */
    findingPage: ({ guard, search = '', cursor, limit }: z.output<typeof findingsQuery>) => {
      const found = worstFirst(guard, search, cursor, limit + 1);
      const { items, nextCursor } = pageOf(found, limit, ({ value, id }) => cursorText({ value, id }));
      return { findings: items.map(findingOf), nextCursor };
    },
    /** The numbers of each guard's objections: hundreds of groups are one objection of one guard. In the order of the guards. */
    guards: (): GuardObjections[] =>
      sql<Pick<GuardObjections, 'guard' | 'count' | 'total'>>('guard_counts')
        .all()
        .flatMap((counted) =>
          worstFirst(counted.guard, '', undefined, 1).map((worst) => {
            const meaning = GUARDS.find(({ name }) => name === counted.guard)?.meaning ?? '';
            return { ...counted, meaning, remedy: worst.remedy, worst: findingOf(worst) };
          }),
        ),
    /** Number of groups that the service does not know and that are not created. */
    unknownGroups: () => Number(sql('unknown_groups').get()?.['groups'] ?? 0),
  };
}

function findingOf({ id: _, remedy: __, ...finding }: FindingRow): GuardFinding {
  return finding;
}
