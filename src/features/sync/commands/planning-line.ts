import type { Planning } from '../../../api/sync-entry.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { PlanningProgress } from '../plan/prepare.ts';

/** Returns the progress line of a sync's planning. */
export function planningLine(progress: PlanningProgress | Planning): string {
  if (progress.step === 'reading') return `reading  ${counted(progress.rows, 'row')}`;
  const { step, done, groups } = progress;
  const what = {
    members: 'listing',
    owner: 'asking for owners',
    banned: 'asking for the banned',
    users: 'asking for users who may be missing',
  }[step];
  return `${what}  ${grouped(done)} of ${counted(groups, step === 'users' ? 'user' : 'group')}`;
}
