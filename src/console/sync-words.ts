/** Words for syncs: states, plans, and actions for each member. Pure. */
import { planningWords } from '../membership/plan-words.ts';
import { asClause, counted } from '../text/wording.ts';
import type { PlanAction, PlanTotals, SyncEntry, SyncState, Tone } from './answers.ts';
import { endsByItself, fileName } from './import-words.ts';

/** Colour of an action: that of the outcome which it leads to. */
export const ACTION_COLOURS: Readonly<Record<PlanAction, string>> = {
  add: 'added',
  change: 'changed',
  remove: 'removed',
  ban: 'banned',
  report: 'invalid',
  keep: 'already_member',
};

/** Choices of the list's filter: name → states. */
export const SYNC_STATE_GROUPS: Readonly<Record<string, readonly SyncState[]>> = {
  'waiting to be applied': ['planned', 'held'],
  'in progress': ['planning', 'applying'],
  'carried out': ['applied', 'unchanged'],
  'not carried out': ['tried', 'rejected', 'cancelled', 'stale', 'failed', 'incomplete'],
};

export const SYNC_TONES: Readonly<Record<SyncState, Tone>> = {
  planning: 'busy',
  planned: 'still',
  held: 'attention',
  unchanged: 'good',
  tried: 'still',
  failed: 'attention',
  rejected: 'still',
  cancelled: 'still',
  applying: 'busy',
  stale: 'attention',
  applied: 'good',
  incomplete: 'attention',
};

/** States whose reason says more than the state. */
export const REASONED: readonly SyncState[] = ['failed', 'rejected', 'stale', 'incomplete'];

/** Whether it is under way and waits. */
export function standsStill({ state, code }: Pick<SyncEntry, 'state' | 'code'>) {
  return endsByItself(code) && (state === 'planning' || state === 'applying');
}

/** Returns the name of the file that it reads, or of the import that it reverses. */
export function titleOf({ file, mode }: Pick<SyncEntry, 'file' | 'mode'>) {
  return `${mode === 'undo' ? 'Undo of ' : ''}${fileName(file)}`;
}

/** Describes the state of the sync and its meaning, in one or two sentences of its own for each state. */
export function syncSentence({ state, code, reason, totals, importId, planning }: SyncEntry): string {
  if (standsStill({ state, code }))
    return `Waiting: ${asClause(reason)}. It continues by itself, and nothing is sent meanwhile.`;
  const changes = totals === null ? '' : changesIn(totals);
  switch (state) {
    case 'planning':
      return `${planning === null ? 'The plan is being made' : planningWords(planning)}. Nothing is sent.`;
    case 'planned':
      return `Planned: ${changes}. Nothing has been sent.`;
    case 'held':
      return `Held: guards object to the plan (${changes}). Nothing is sent unless someone approves it.`;
    case 'unchanged':
      return 'There is nothing to do: nothing was sent.';
    case 'tried':
      return `A try: ${totals?.changes === 0 ? 'there is nothing to do' : changes}. Nothing is sent, and the plan is not carried out.`;
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

function changesIn({ changes, groups, changedGroups = groups }: PlanTotals) {
  return `${counted(changes, 'change')} in ${counted(changedGroups, 'group')}`;
}

export function modeWords({
  mode,
  missing,
  whose,
}: Pick<SyncEntry, 'mode' | 'missing'> & { readonly whose?: string | undefined }) {
  if (mode === 'undo') return 'reverses an import';
  if (mode === 'add') return 'only adds';
  if (mode === 'expiry') return 'removes members whose memberships are over';
  const what = { report: 'reported', remove: 'removed', ban: 'banned' }[missing];
  const own = whose === 'ours' ? ' whom this sync made members and' : '';
  return `mirrors the file; members${own} who are not in it are ${what}`;
}
