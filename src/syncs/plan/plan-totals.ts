import type { PlanGroup, PlanTotals } from '../../api/plan.ts';
import { PLAN_ACTIONS } from '../../membership/plan-words.ts';
import { counted } from '../../text/wording.ts';
import { CHANGES } from './reasons.ts';

export function planTotals(groups: readonly PlanGroup[]): PlanTotals {
  const sum = (number: (group: PlanGroup) => number) => groups.reduce((total, group) => total + number(group), 0);
  const actions = Object.fromEntries(
    PLAN_ACTIONS.map((action) => [action, sum((group) => group.actions[action])]),
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
  return PLAN_ACTIONS.reduce((total, action) => total + (CHANGES.has(action) ? actions[action] : 0), 0);
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
