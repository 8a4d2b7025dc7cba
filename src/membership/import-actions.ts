import { type ImportState, isFinal } from './import-state.ts';

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
