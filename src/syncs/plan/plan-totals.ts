import { counted } from '../../text/wording.ts';
import type { PlanGroup } from './plan-reading.ts';
import { ACTIONS, type Action, CHANGES } from './reasons.ts';

/** A plan in numbers. */
export interface PlanTotals {
  readonly groups: number;
  /** Groups among them that could not be listed. */
  readonly unlisted: number;
  /** Members in the groups that were listed. */
  readonly members: number;
  readonly actions: Readonly<Record<Action, number>>;
  /** Among `keep`: as the file says. */
  readonly right: number;
  /** What would be sent: additions, changes, removals and bans. 0: there is nothing to apply. */
  readonly changes: number;
}

export function planTotals(groups: readonly PlanGroup[]): PlanTotals {
  const sum = (number: (group: PlanGroup) => number) => groups.reduce((total, group) => total + number(group), 0);
  const actions = Object.fromEntries(
    ACTIONS.map((action) => [action, sum((group) => group.actions[action])]),
  ) as PlanTotals['actions'];
  return {
    groups: groups.length,
    unlisted: groups.filter(({ listing }) => listing !== 'listed').length,
    members: sum(({ members }) => members),
    actions,
    right: sum(({ right }) => right),
    changes: sum(changesOf),
  };
}

/** What would be sent for this group. */
export function changesOf({ actions }: Pick<PlanGroup, 'actions'>): number {
  return ACTIONS.reduce((total, action) => total + (CHANGES.has(action) ? actions[action] : 0), 0);
}

/** Why nothing is done in a group, once for all its rows; '' where it was listed. Without capital and full stop. */
export function groupProblem({
  listing,
  code,
  message,
  wanted,
}: Pick<PlanGroup, 'listing' | 'code' | 'message' | 'wanted'>): string {
  if (listing === 'listed') return '';
  const what = {
    not_found: 'the service does not know the group',
    failed: 'its members could not be listed as a whole',
    pending: 'its members have not been listed yet',
  }[listing];
  const said = [code, message].filter((part) => part !== '').join(': ');
  return `${what}${said === '' ? '' : ` (${said})`}; ${counted(wanted, 'row')} of the file ${wanted === 1 ? 'waits' : 'wait'} for it`;
}
