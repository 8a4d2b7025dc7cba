import type { ReasonCode } from '../imports/reason-codes.ts';
import { type ImportState, isFinal } from '../membership/import-state.ts';
import { type RowCounts, sumOfOutcomes } from '../membership/outcome.ts';
import type { Io } from './screen/io.ts';

export const EXIT = {
  ok: 0,
  rowsFailed: 1,
  usage: 2,
  stopped: 3,
  fatal: 4,
  interrupted: 5,
  stillRunning: 6,
} as const;

/** Meaning of each, as `rollcall --help` prints it. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'every row is added, banned, already a member, a duplicate of such a row, or left out on purpose',
  rowsFailed: 'finished, and some rows failed, are invalid or unconfirmed',
  usage: 'wrong usage or settings, or a file that cannot be used; nothing was sent',
  stopped: 'stopped: too many errors, held by a guard, key or plan refused, or cancelled',
  fatal: 'a fault: disk full, damaged ledger, unexpected error, rows that do not add up',
  interrupted: 'interrupted or paused; `rollcall resume` continues',
  stillRunning: 'no longer waited for, because of --timeout or Ctrl-C; the import continues',
};
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The work of a command, with its arguments and flags. Its exit code is `ok` where it returns none. */
type Doing<Given extends unknown[]> = (io: Io, ...given: Given) => Promise<ExitCode | undefined> | Promise<void>;

/** Makes the action of a command, which commander calls. */
export type Action = <Given extends unknown[]>(does: Doing<Given>) => (...given: Given) => Promise<void>;

interface Ended {
  readonly state: ImportState;
  /** A ReasonCode; a newer server may have others. */
  readonly code?: string | null | undefined;
}

export function exitCodeOf({ state, code }: Ended, rows: RowCounts) {
  if (code === ('WRONG_SUM' satisfies ReasonCode) || (isFinal(state) && sumOfOutcomes(rows) !== rows.read))
    return EXIT.fatal;
  switch (state) {
    case 'completed':
      if (rows.unprocessed > 0) return EXIT.fatal;
      return rows.failed + rows.invalid + rows.unconfirmed === 0 ? EXIT.ok : EXIT.rowsFailed;
    case 'staged':
      if (code === ('REGION_WITHOUT_APP' satisfies ReasonCode)) return EXIT.usage;
      if (code === ('CREATE_WITHOUT_NAME' satisfies ReasonCode)) return EXIT.usage;
      if (code === ('TOO_MANY_REMOVALS' satisfies ReasonCode)) return EXIT.stopped;
      return rows.invalid === 0 ? EXIT.ok : EXIT.rowsFailed;
    case 'rejected':
      return EXIT.usage;
    case 'failed':
      return EXIT.fatal;
    case 'blocked':
      return (['DISK_FULL', 'DATABASE_BUSY'] satisfies ReasonCode[]).some((one) => one === code)
        ? EXIT.fatal
        : EXIT.stopped;
    case 'aborted':
    case 'cancelled':
    case 'cancelling':
      return EXIT.stopped;
    case 'paused':
      if (code !== ('FIRST_ROWS' satisfies ReasonCode)) return EXIT.interrupted;
      return rows.failed + rows.invalid + rows.unconfirmed === 0 ? EXIT.ok : EXIT.rowsFailed;
    case 'staging':
    case 'running':
    case 'pausing':
      return EXIT.interrupted;
  }
}
