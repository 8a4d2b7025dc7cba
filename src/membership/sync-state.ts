import { wrongMove } from '../errors/rollcall-error.ts';

export const SYNC_STATES = [
  'planning', // the file is being read and the groups are being listed; nothing is sent
  'planned', // the plan is stored, and no guard objects to it
  'held', // a guard objects to the plan: nothing is sent unless a user approves it
  'unchanged', // there is nothing to do
  'tried', // a try of a schedule: its plan shows what a run would do, and is never carried out
  'failed', // the file or the service could not be read; nothing was sent
  'cancelled', // a user stopped the planning; nothing was sent
  'rejected', // a user looked at the plan and rejected it
  'applying', // looked at once more, then carried out by an import
  'stale', // file or groups have moved too far since the plan was made; nothing was sent
  'applied', // the import has run to its end
  'incomplete', // the import was ended before
] as const;
export type SyncState = (typeof SYNC_STATES)[number];

/** The outcome of one run of a schedule. */
export const RUN_STATES = [
  'running',
  'waiting', // a person decides: its plan is held, or its import is blocked or has failed
  'ran', // its sync has the result
  'skipped-unchanged', // all rows are in place, and the source is the same
  'skipped-running', // the run before had not finished
  'missed', // nothing was running
  'failed', // the source could not be read, or the plan could not be made; nothing was changed
] as const;
export type RunState = (typeof RUN_STATES)[number];

/** For every state the states that may follow, and why. A state without an entry is final. */
export const SYNC_TRANSITIONS: Readonly<Partial<Record<SyncState, Readonly<Partial<Record<SyncState, string>>>>>> = {
  planning: {
    planned: 'the plan is made, and no guard objects to it',
    held: 'a guard objects to the plan',
    unchanged: 'there is nothing to do',
    tried: 'it was a try: nothing of the plan is carried out',
    failed: 'the file or the service could not be read',
    cancelled: 'a user cancelled it',
  },
  planned: {
    applying: 'a user asked for it',
    rejected: 'a user rejected it',
  },
  held: {
    applying: 'a user approved it',
    rejected: 'a user rejected it',
  },
  applying: {
    planned: 'a user stopped it before anything was sent',
    applied: 'every change has its outcome',
    unchanged: 'there was nothing to do',
    incomplete: 'its import was ended before every change was carried out',
    stale: 'the file or the groups have changed too much since the plan was made',
    failed: 'file or groups could not be read again',
  },
};

export function isFinalSync(state: SyncState): boolean {
  return SYNC_TRANSITIONS[state] === undefined;
}

/** Whether a process should be working on it: it has not finished and does not wait for a person. */
export function isSyncUnderWay(state: SyncState): boolean {
  return state === 'planning' || state === 'applying';
}

/** Whether what it planned is done, if there was anything to do. */
export function isCarriedOut(state: SyncState): boolean {
  return state === 'applied' || state === 'unchanged';
}

/** The reason of a move, or WRONG_STATE: the one place that says what may follow what. */
export function syncTransition(from: SyncState, to: SyncState): string {
  const next = SYNC_TRANSITIONS[from] ?? {};
  const reason = next[to];
  if (reason === undefined) throw wrongMove('a sync', from, to, Object.keys(next), ': make a new plan');
  return reason;
}
