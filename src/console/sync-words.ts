/** Words for syncs: states, plans, and actions for each member. Pure. */
import type { PlanAction, SyncEntry, SyncState, Tone } from './answers.ts';
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
export const REASONED: readonly SyncState[] = ['failed', 'stale', 'incomplete'];

/** Whether it is under way and waits. */
export function standsStill({ state, code }: Pick<SyncEntry, 'state' | 'code'>) {
  return endsByItself(code) && (state === 'planning' || state === 'applying');
}

/** Returns the name of the file that it reads, or of the import that it reverses. */
export function titleOf({ file, mode }: Pick<SyncEntry, 'file' | 'mode'>) {
  return `${mode === 'undo' ? 'Undo of ' : ''}${fileName(file)}`;
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
