import type { GroupPages } from '../../imports/ask/group-pages.ts';
import type { Region } from '../../membership/membership.ts';
import type { CheckLedger } from './check-ledger.ts';

/** The progress of a check: answered questions and their total. */
export interface CheckProgress {
  readonly step: 'groups' | 'members' | 'users';
  readonly done: number;
  readonly of: number;
}

/** Shared by every step. Its pages count calls, and refuse more than allowed. */
export interface Checking {
  readonly ledger: CheckLedger;
  readonly pages: (region: Region) => GroupPages;
  readonly signal: AbortSignal;
  /** Calls that are still allowed. */
  readonly left: () => number;
  /** A step asks `of` more questions; call the result once for each answer. */
  readonly progress: (step: CheckProgress['step'], of: number) => () => void;
}
