import type { ImportState } from '../membership/import-state.ts';
import { type RowCounts, sumOfOutcomes } from '../membership/outcome.ts';

/** Exit codes of every command (design.md, section 7). */
export const EXIT = {
  /** Every row is added, banned or a member already; duplicates of such rows included. */
  ok: 0,
  /** Finished, and some rows failed, are invalid or unconfirmed. */
  rowsFailed: 1,
  /** Wrong use, wrong configuration, or an input that cannot be used. Nothing was sent. */
  usage: 2,
  /** Stopped: too many errors, a refused key, cancelled. */
  stopped: 3,
  /** A fault: disk full, damaged ledger, a sum that does not hold. */
  fatal: 4,
  /** Interrupted or paused; can be resumed. */
  interrupted: 5,
  /** The wait ran out; the import goes on. */
  stillRunning: 6,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code that an import has earned. */
export function exitCodeOf(state: ImportState, rows: RowCounts): ExitCode {
  switch (state) {
    case 'completed':
      if (sumOfOutcomes(rows) !== rows.read || rows.unprocessed > 0) return EXIT.fatal;
      return rows.failed + rows.invalid + rows.unconfirmed === 0 ? EXIT.ok : EXIT.rowsFailed;
    case 'staged':
      return rows.invalid === 0 ? EXIT.ok : EXIT.rowsFailed;
    case 'rejected':
      return EXIT.usage;
    case 'blocked':
    case 'aborted':
    case 'cancelled':
    case 'cancelling':
      return EXIT.stopped;
    case 'staging':
    case 'running':
    case 'pausing':
    case 'paused':
      return EXIT.interrupted;
  }
}
