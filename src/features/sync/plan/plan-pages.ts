import { setImmediate } from 'node:timers/promises';
import type { Region } from '../../../membership/membership.ts';
import { PLAN_ACTIONS, type PlanActionName } from '../../../membership/plan-words.ts';
import { openForReading, statementsOf } from '../../../platform/sqlite.ts';
import type { PlanAction, PlanGroup } from '../api-plan.ts';
import { actionOf, newGroupOf, PLAN_SCHEMA } from './plan-reading.ts';
import { groupProblem } from './plan-totals.ts';

/** A group of a plan, with its actions counted. */
export interface GroupSummary
  extends Pick<PlanGroup, 'region' | 'guid' | 'listing' | 'members' | 'actions' | 'right' | 'creates'> {
  /** The reason why nothing is done in it, as a sentence without capital and full stop; empty if it was listed. */
  readonly problem: string;
}

/** Filter of actions; an absent condition is always met. The GUID is a whole one, without regard to case. */
interface ActionFilter {
  readonly actions?: ReadonlySet<PlanActionName>;
  readonly region?: Region;
  readonly guid?: string;
}

/** The first and last group of a choice. */
interface Span {
  readonly first: number;
  readonly last: number;
}

/** The place of an action in a plan: the number of its group, and its UID. */
interface ActionPlace {
  readonly group: number;
  readonly uid: string;
}

/**
 * A plan a page at a time, for a process with other work: it reads a bounded part, lets other work
 * run, and continues. Only a single group is read in one go.
 */
export interface PlanPages {
  /**
   * Groups behind number `after` (0: from the first), in the order of the file. `actions`: only those that have such an
   * action, or could not be listed.
   */
  groups(
    request: { readonly actions?: ReadonlySet<PlanActionName> },
    after: number,
    limit: number,
  ): Promise<{ groups: GroupSummary[]; next?: number }>;
  /** Actions behind a place, in the order of the groups, then by UID. */
  actions(
    filter: ActionFilter,
    after: ActionPlace | undefined,
    limit: number,
  ): Promise<{ actions: PlanAction[]; next?: ActionPlace }>;
  close(): void;
}

/** Actions that are looked at before others have their turn: some milliseconds. */
const SLICE = 20_000;

/** Opens the plan at `path`, which must be complete. @param slice actions that are looked at in one go */
export function openPlanPages(path: string, slice = SLICE): PlanPages {
  const database = openForReading(path, PLAN_SCHEMA);
  const sql = statementsOf(database, new URL('plan-pages.sql', import.meta.url));

  const summary = (row: GroupRow): GroupSummary => {
    const { correct, ...counts } = sql<Counts>('counts').get({ group: row.id }) as Counts;
    const { adds: add, changes: change, keeps: keep, removes: remove, bans: ban, reports: report } = counts;
    const { region, guid, listing, members } = row;
    const actions = { add, change, keep, remove, ban, report };
    const { creates: _, ...plain } = row;
    const created = newGroupOf({ ...row });
    const problem = groupProblem({ ...plain, ...created });
    return { region, guid, listing, problem, members, actions, right: correct, ...created };
  };

  return {
    groups: async ({ actions }, after, limit) => {
      const found: GroupSummary[] = [];
      for (let place = after; ; await setImmediate()) {
        const row = sql<GroupRow>('next_group').get({ after: place });
        if (row === undefined) return { groups: found };
        const group = summary(row);
        if (
          actions === undefined ||
          group.problem !== '' ||
          PLAN_ACTIONS.some((one) => actions.has(one) && group.actions[one] > 0)
        ) {
          if (found.length === limit) return { groups: found, next: place };
          found.push(group);
        }
        place = row.id;
      }
    },
    actions: async ({ actions = new Set(PLAN_ACTIONS), region = null, guid = null }, after, limit) => {
      const { first, last } = sql<Span>('span').get({ region, guid }) as Span;
      const choice = { actions: JSON.stringify([...actions]), region, guid, most: slice };
      const found: (PlanAction & ActionPlace)[] = [];
      // No UID is empty: this is the place before a group's first.
      for (let place = after ?? { group: first, uid: '' }; ; await setImmediate()) {
        // One more than asked for tells whether there is a next page.
        const rest = limit + 1 - found.length;
        const chosen = sql('action_slice').all({ ...place, ...choice, last, limit: rest });
        found.push(...chosen.map((row) => ({ ...actionOf(row), group: Number(row['number']) })));
        const end = sql('slice_end').get({ ...place, last, behind: slice - 1 });
        if (found.length > limit || end === undefined) break;
        place = { group: Number(end['number']), uid: String(end['uid']) };
      }
      const page = found.slice(0, limit).map(({ group: _, ...action }) => action);
      const edge = found[limit - 1];
      return found.length > limit && edge !== undefined
        ? { actions: page, next: { group: edge.group, uid: edge.uid } }
        : { actions: page };
    },
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

type GroupRow = Pick<PlanGroup, 'region' | 'guid' | 'listing' | 'code' | 'message' | 'wanted' | 'members'> & {
  readonly id: number;
  /** JSON. */
  readonly creates: string | null;
};

type Counts = Readonly<Record<'adds' | 'changes' | 'keeps' | 'removes' | 'bans' | 'reports' | 'correct', number>>;
