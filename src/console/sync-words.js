/** How people read syncs: states, plans, and what is done about each member. Pure. */
import { counted, grouped } from './format.js';
import { fileName } from './words.js';

/** @import { PlanAction, PlanCounts, Planning, PlanTotals, SyncAction, SyncEntry, SyncState } from './sync-answers.d.ts' */

/** Actions in the order in which people look for them. @type {readonly PlanAction[]} */
export const PLAN_ACTIONS = ['add', 'change', 'remove', 'ban', 'report', 'keep'];
/** Actions that send something. @type {readonly PlanAction[]} */
export const CHANGES = ['add', 'change', 'remove', 'ban'];

/** @type {Readonly<Record<PlanAction, string>>} */
export const ACTION_LABELS = {
  add: 'to add',
  change: 'to change',
  remove: 'to remove',
  ban: 'to ban',
  report: 'to look at',
  keep: 'unchanged',
};

/** Of one member. @type {Readonly<Record<PlanAction, string>>} */
export const MEMBER_LABELS = {
  add: 'add',
  change: 'change',
  remove: 'remove',
  ban: 'ban',
  report: 'look at',
  keep: 'stays',
};

/** Colour of an action: that of the outcome which it leads to. @type {Readonly<Record<PlanAction, string>>} */
export const ACTION_COLOURS = {
  add: 'added',
  change: 'changed',
  remove: 'removed',
  ban: 'banned',
  report: 'invalid',
  keep: 'already_member',
};

/** @type {Readonly<Record<SyncAction, string>>} */
export const SYNC_ACTION_LABELS = { apply: 'Apply', approve: 'Approve…', reject: 'Reject…' };

/** What the list's filter offers: name → states. @type {Readonly<Record<string, readonly SyncState[]>>} */
export const SYNC_STATE_GROUPS = {
  'waiting to be applied': ['planned', 'held'],
  'in progress': ['planning', 'applying'],
  'carried out': ['applied', 'unchanged'],
  'not carried out': ['rejected', 'cancelled', 'stale', 'failed', 'incomplete'],
};

/** Tone of a state's badge. @type {Readonly<Record<SyncState, 'busy' | 'still' | 'good' | 'attention'>>} */
export const SYNC_TONES = {
  planning: 'busy',
  planned: 'still',
  held: 'attention',
  unchanged: 'good',
  failed: 'attention',
  rejected: 'still',
  cancelled: 'still',
  applying: 'busy',
  stale: 'attention',
  applied: 'good',
  incomplete: 'attention',
};

/** Why a sync that is under way stands still. */
export const DISK_FULL = 'DISK_FULL';

/** States whose reason says more than the state. @type {readonly SyncState[]} */
export const REASONED = ['failed', 'rejected', 'stale', 'incomplete'];

/** What it reads or reverses. @param {Pick<SyncEntry, 'file' | 'undoOf'>} sync */
export function titleOf({ file, undoOf }) {
  return `${undoOf === null ? '' : 'Undo of '}${fileName(file)}`;
}

/**
 * Where the sync stands and what that means, in one or two sentences of its own for each state.
 * @param {SyncEntry} sync
 * @returns {string}
 */
export function syncSentence({ state, code, totals, importId, planning }) {
  if (code === DISK_FULL && (state === 'planning' || state === 'applying')) {
    return 'Waiting for room on the disk of the data directory. It continues by itself, and nothing is sent meanwhile.';
  }
  const changes = totals === null ? '' : changesIn(totals);
  switch (state) {
    case 'planning':
      return `${planningSentence(planning)} Nothing is sent.`;
    case 'planned':
      return `Planned: ${changes}. Nothing has been sent.`;
    case 'held':
      return `Held: guards object to the plan (${changes}). Nothing is sent unless someone approves it.`;
    case 'unchanged':
      return 'There is nothing to do: nothing was sent.';
    case 'failed':
      return 'No plan could be made, and nothing was sent.';
    case 'cancelled':
      return 'Cancelled while the plan was made: nothing was sent.';
    case 'rejected':
      return `Rejected: the plan (${changes}) will not be carried out. Nothing was sent.`;
    case 'applying':
      return importId === null
        ? 'The file and the groups are being checked again, before anything is sent.'
        : `Being carried out by an import: ${changes}.`;
    case 'stale':
      return 'Not applied: the file or the groups have changed too much since the plan was made. Nothing was sent. Make a new plan.';
    case 'applied':
      return `Applied: ${changes}. The import shows the result of each.`;
    case 'incomplete':
      return 'Not carried out completely: its import ended early.';
  }
}

/** @param {Planning | null} planning */
function planningSentence(planning) {
  if (planning === null) return 'The plan is being made.';
  const { step, rows, done, groups } = planning;
  if (step === 'reading') return `The file is being read: ${counted(rows, 'row')} so far.`;
  if (step === 'users') return `Asking for users who may be missing: ${grouped(done)} of ${counted(groups, 'user')}.`;
  const of = `${grouped(done)} of ${counted(groups, 'group')}`;
  if (step === 'members') return `Listing the members of the groups: ${of}.`;
  return step === 'owner' ? `Checking who owns the groups: ${of}.` : `Checking who is banned from the groups: ${of}.`;
}

/** @param {PlanTotals} totals */
function changesIn({ changes, groups }) {
  return `${counted(changes, 'change')} in ${counted(groups, 'group')}`;
}

/**
 * "3 to add, 1 to remove"; what there is nothing of is left out.
 * @param {PlanCounts} actions
 * @param {readonly PlanAction[]} [which]
 */
export function countsSentence(actions, which = PLAN_ACTIONS) {
  return which
    .filter((action) => actions[action] > 0)
    .map((action) => `${grouped(actions[action])} ${ACTION_LABELS[action]}`)
    .join(', ');
}

/** How it was decided. @param {Pick<SyncEntry, 'mode' | 'missing'>} sync */
export function modeWords({ mode, missing }) {
  if (mode === 'undo') return 'reverses an import';
  if (mode === 'add') return 'only adds';
  const what = { report: 'reported', remove: 'removed', ban: 'banned' }[missing];
  return `mirrors the file; members who are not in it are ${what}`;
}

/** "2 groups, 14 users; 31 calls"; '' where nothing is created. @param {import('./sync-answers.d.ts').PlanTotals} totals */
export function createdWords({ create }) {
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

/** "users, groups; at most 100 users, 5% of the groups" @param {import('./sync-answers.d.ts').PlanCreate} create */
export function mayCreateWords({ users, groups, reactivate, maxCreate }) {
  const what = [users && 'users', groups && 'groups', reactivate && 'deactivated users made active'].filter(
    (part) => part !== false,
  );
  const most = maxCreate
    .split(',')
    .map((part) => part.replace(/^(\w+)=(.*%)$/, '$2 of the $1').replace(/^(\w+)=(.*)$/, '$2 $1'));
  return `${what.join(', ')}; at most ${most.join(', ')}`;
}

/** Guards whose numbers are members that would leave or be lowered. @type {ReadonlySet<string>} */
export const REMOVAL_GUARDS = new Set(['emptied-groups', 'group-removals', 'region-removals', 'run-removals']);
