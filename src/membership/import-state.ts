import { wrongMove } from '../errors/rollcall-error.ts';

export const IMPORT_STATES = [
  'staging', // the input is being read; nothing is sent
  'staged', // read and cut into batches; nothing is sent yet
  'running', // batches are going out
  'pausing', // asked to pause; calls in flight are finishing
  'paused', // nothing is in flight, the rest waits
  'blocked', // it cannot go on: a region's key or plan was refused, more is missing than may be created, or the disk is full
  'cancelling', // asked to cancel; calls in flight are finishing
  'cancelled', // cancelled; what was not sent is unprocessed
  'aborted', // more errors than the import may have; what was not sent is unprocessed
  'completed', // every row has its outcome
  'rejected', // the input could not be used; nothing was sent
  'failed', // rollcall met an error that it did not expect; a person decides whether it is tried again
] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** For every state the states that may follow, and why. A state without an entry is final. */
export const TRANSITIONS: Readonly<Partial<Record<ImportState, Readonly<Partial<Record<ImportState, string>>>>>> = {
  staging: {
    staged: 'the whole input was read and checked',
    rejected: 'the input cannot be read or used',
    aborted: 'too many invalid rows',
    blocked: 'the machine cannot read it now',
    failed: 'an unexpected error ended the reading of its input',
    cancelled: 'cancelled while it was being read: nothing was sent',
  },
  staged: {
    running: 'started',
    blocked: 'its check has found that more is missing than it may create, or the disk is full',
    cancelled: 'cancelled before the start: nothing was sent',
    failed: 'an unexpected error came before anything was sent',
  },
  running: {
    pausing: 'a user asked to pause',
    paused: 'the rows to try first were sent, and the others wait',
    cancelling: 'a user asked to cancel',
    blocked: 'every batch that is left waits for a region that was refused, or for leave to create what is missing',
    aborted: 'more errors than it may have',
    completed: 'every row has its outcome',
    failed: 'an unexpected error ended it',
  },
  pausing: {
    paused: 'the last call in flight has answered',
    running: 'resumed before the pause was complete',
    cancelling: 'cancelled before the pause was complete',
    blocked: 'a region was refused while the last calls answered',
    aborted: 'the last calls brought more errors than it may have',
    completed: 'the calls in flight were the last ones',
    failed: 'an unexpected error ended it',
  },
  paused: {
    running: 'resumed',
    cancelling: 'cancelled while paused',
    failed: 'it could not continue',
  },
  blocked: {
    staging: 'its wait is over: the input is read',
    running: 'resumed after a fix, or its wait is over',
    cancelling: 'cancelled instead of a fix',
    cancelled: 'cancelled before anything was read',
    failed: 'it could not continue',
  },
  cancelling: {
    cancelled: 'the last call in flight has answered',
    completed: 'the calls in flight were the last ones',
    failed: 'an unexpected error ended it',
  },
  failed: {
    staging: 'resumed: the input is read again',
    running: 'resumed after an unexpected error',
    cancelling: 'cancelled after an unexpected error',
    cancelled: 'cancelled after an unexpected error',
  },
};

export function isFinal(state: ImportState): boolean {
  return TRANSITIONS[state] === undefined;
}

/** Whether a process should be working on it: it has not finished and does not wait for a person. */
export function isUnderWay(state: ImportState): boolean {
  return state === 'staging' || state === 'running' || state === 'pausing' || state === 'cancelling';
}

/** Whether something must be corrected before it can continue. */
export function needsPerson(state: ImportState): boolean {
  return state === 'blocked' || state === 'failed';
}

export function nextStates(from: ImportState): readonly ImportState[] {
  return Object.keys(TRANSITIONS[from] ?? {}) as ImportState[];
}

/** The reason of a move, or WRONG_STATE: the one place that says what may follow what. */
export function transition(from: ImportState, to: ImportState): string {
  const reason = TRANSITIONS[from]?.[to];
  if (reason === undefined) throw wrongMove('an import', from, to, nextStates(from));
  return reason;
}

/** The actions that a user can request for an import. */
export const ACTIONS = ['pause', 'resume', 'cancel', 'retry', 'delete'] as const;
export type ImportAction = (typeof ACTIONS)[number];

const BEFORE_THE_END: Readonly<Partial<Record<ImportState, readonly ImportAction[]>>> = {
  staging: ['cancel'],
  staged: ['resume', 'cancel', 'delete'],
  running: ['pause', 'cancel'],
  pausing: ['resume', 'cancel'],
  paused: ['resume', 'cancel'],
  blocked: ['resume', 'cancel'],
  failed: ['resume', 'cancel', 'delete'],
};

/**
 * Returns the actions that an import in this state allows.
 * @param retryable whether it has a retry file (report-paths.ts)
 */
export function actionsOf(state: ImportState, retryable: boolean): readonly ImportAction[] {
  if (isFinal(state)) return retryable ? ['retry', 'delete'] : ['delete'];
  return BEFORE_THE_END[state] ?? [];
}
