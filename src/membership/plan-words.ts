import { counted, grouped } from '../text/wording.ts';

/** The actions of a plan for one member of a group. */
export const PLAN_ACTIONS = [
  'add', // not a member, or banned: will become one
  'change', // will get another scope, or no place at all in place of a ban
  'keep', // stays as it is
  'remove', // will leave the group
  'ban', // will be banned, a member or not
  'report', // something ought to be done and is not; the reason says why
] as const;
export type PlanActionName = (typeof PLAN_ACTIONS)[number];

/** Actions that send something. */
export const CHANGES: readonly PlanActionName[] = ['add', 'change', 'remove', 'ban'];

/** Labels of the actions, in the order in which people look for them. */
export const ACTION_LABELS: Readonly<Record<PlanActionName, string>> = {
  add: 'to add',
  change: 'to change',
  remove: 'to remove',
  ban: 'to ban',
  report: 'to look at',
  keep: 'unchanged',
};
export const ACTIONS_SHOWN = Object.keys(ACTION_LABELS) as readonly PlanActionName[];

/** "3 to add, 1 to remove"; what there is nothing of is left out. */
export function countsSentence(
  actions: Readonly<Record<PlanActionName, number>>,
  which: readonly PlanActionName[] = ACTIONS_SHOWN,
): string {
  return which
    .filter((action) => actions[action] > 0)
    .map((action) => `${grouped(actions[action])} ${ACTION_LABELS[action]}`)
    .join(', ');
}

interface MayCreate {
  readonly users: boolean;
  readonly groups: boolean;
  readonly reactivate: boolean;
  readonly maxCreate: string;
}

/** "users, groups; at most 100 users, 5% of the groups" */
export function mayCreateWords({ users, groups, reactivate, maxCreate }: MayCreate): string {
  const what = [users && 'users', groups && 'groups', reactivate && 'deactivated users made active'].filter(
    (part) => part !== false,
  );
  const most = maxCreate
    .split(',')
    .map((part) => part.replace(/^(\w+)=(.*%)$/, '$2 of the $1').replace(/^(\w+)=(.*)$/, '$2 $1'));
  return `${what.join(', ')}; at most ${most.join(', ')}`;
}

interface Creation {
  readonly groups: number;
  /** Null where they are counted later. */
  readonly users: number | null;
  readonly reactivated: number | null;
  readonly calls: number;
}

/** "2 groups, 14 users; 31 calls"; '' where nothing is created. */
export function createdWords({ create }: { readonly create?: Creation | undefined }): string {
  if (create === undefined) return '';
  const { groups, users, reactivated, calls } = create;
  const counts = [
    groups > 0 && counted(groups, 'group'),
    users !== null && users > 0 && counted(users, 'user'),
    reactivated !== null && reactivated > 0 && `${counted(reactivated, 'user')} made active again`,
  ].filter((part) => part !== false);
  const known = counts.length === 0 ? '' : `${counts.join(', ')}; ${counted(calls, 'call')}`;
  if (users !== null && reactivated !== null) return known;
  return `${known === '' ? '' : `${known}; `}missing users are counted while the plan is carried out`;
}

/** The steps of planning after its file was read. */
const PLANNING_STEPS = {
  members: 'Listing the members of the groups',
  owner: 'Checking who owns the groups',
  banned: 'Checking who is banned from the groups',
  users: 'Asking for users who may be missing',
};

interface PlanningProgress extends Readonly<Record<'rows' | 'done' | 'groups', number>> {
  readonly step: 'reading' | keyof typeof PLANNING_STEPS;
}

/** "Listing the members of the groups: 1 of 3 groups" */
export function planningWords({ step, rows, done, groups }: PlanningProgress): string {
  if (step === 'reading') return `The file is being read: ${counted(rows, 'row')} so far`;
  return `${PLANNING_STEPS[step]}: ${grouped(done)} of ${counted(groups, step === 'users' ? 'user' : 'group')}`;
}
