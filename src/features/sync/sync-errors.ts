import type { SyncAction, SyncEntry } from '../../api/sync-entry.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import type { SyncState } from '../../membership/sync-state.ts';

/**
 * Reasons for the state of a sync, for programs; one may also be the code of the error that ended its planning.
 * docs/errors.md explains each.
 */
export const SYNC_REASON_CODES = [
  'GUARDS_OBJECT', // held
  'PLAN_OUTDATED', // stale: file or groups have changed too much
  'IMPORT_ENDED', // incomplete: its import was cancelled or aborted
  'CANCELLED', // cancelled: while it was planned
  'PLANNING_FAILED', // failed: an unexpected error
  'PROCESS_DIED', // under way: it waits; at last failed: the process ended again and again while it was planned
  'WRONG_TARGET', // under way: it waits for a process that sends where it belongs
  'DISK_FULL', // under way: it waits for room on the disk; failed: where no server waits
  'DATABASE_BUSY', // under way: it waits until no other program holds a file of the data directory
] as const;
export type SyncReasonCode = (typeof SYNC_REASON_CODES)[number];

/** Returns the actions that a user can request for a sync in this state. */
export function syncActionsOf(state: SyncState): readonly SyncAction[] {
  if (state === 'planned') return ['apply', 'reject'];
  return state === 'held' ? ['approve', 'reject'] : [];
}

const DONE = { apply: 'applied', approve: 'approved', reject: 'rejected' } as const;

/** Refuses a decision that the state of a sync does not allow. @throws SYNC_HELD, WRONG_STATE */
export function checkDecision(
  { id, state, reason }: Pick<SyncEntry, 'id' | 'state' | 'reason'>,
  action: SyncAction,
): void {
  const possible = syncActionsOf(state);
  if (possible.includes(action)) return;
  const facts = { id, state, possible };
  if (action === 'apply' && state === 'held') throw new RollcallError('SYNC_HELD', { ...facts, reason });
  if (action !== 'approve') {
    throw new RollcallError('WRONG_STATE', { ...facts, what: `sync ${id} is ${state} and cannot be ${DONE[action]}` });
  }
  const command = state === 'planned' ? `\`rollcall sync apply ${id}\` carries it out` : undefined;
  throw new RollcallError('WRONG_STATE', {
    ...facts,
    what: `sync ${id} is ${state}; only a plan that a guard holds can be approved`,
    command,
  });
}
