import type { Outcome } from '../../membership/outcome.ts';

/** Rows with the same outcome and code, with one of them as an example. */
export interface ProblemCount {
  readonly status: Outcome;
  readonly code: string;
  readonly count: number;
  /** `value` is what the row holds at the place of the problem: the UID, or the refused cell. */
  readonly example: { readonly line: number; readonly value: string; readonly message: string };
}
