import type { ImportView } from '../api/imports.ts';
import type { ReasonCode } from '../imports/reason-codes.ts';
import { isFinal } from '../membership/import-state.ts';
import { sumOfOutcomes } from '../membership/outcome.ts';
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

/** Turns a command's work into the action that commander calls. The exit code is `ok` where the work returns none. */
export type Action = <Given extends unknown[]>(
  does: (io: Io, ...given: Given) => Promise<ExitCode | undefined> | Promise<void>,
) => (...given: Given) => Promise<void>;

/** Exit codes of imports that wait for a person or this machine, by the reason. */
const OF_WAITS = new Map<string | null | undefined, ExitCode>(
  Object.entries({
    REGION_WITHOUT_APP: EXIT.usage,
    CREATE_WITHOUT_NAME: EXIT.usage,
    TOO_MANY_REMOVALS: EXIT.stopped,
    DISK_FULL: EXIT.fatal,
    DATABASE_BUSY: EXIT.fatal,
  } satisfies Partial<Record<ReasonCode, ExitCode>>),
);

export function exitCodeOf({ state, code, rows }: Pick<ImportView, 'state' | 'code' | 'rows'>): ExitCode {
  if (code === ('WRONG_SUM' satisfies ReasonCode) || (isFinal(state) && sumOfOutcomes(rows) !== rows.read))
    return EXIT.fatal;
  const ofRows = rows.failed + rows.invalid + rows.unconfirmed === 0 ? EXIT.ok : EXIT.rowsFailed;
  switch (state) {
    case 'completed':
      return rows.unprocessed > 0 ? EXIT.fatal : ofRows;
    case 'staged':
      return OF_WAITS.get(code) ?? ofRows;
    case 'rejected':
      return EXIT.usage;
    case 'failed':
      return EXIT.fatal;
    case 'blocked':
      return OF_WAITS.get(code) ?? EXIT.stopped;
    case 'aborted':
    case 'cancelled':
    case 'cancelling':
      return EXIT.stopped;
    case 'paused':
      return code === ('FIRST_ROWS' satisfies ReasonCode) ? ofRows : EXIT.interrupted;
    case 'staging':
    case 'running':
    case 'pausing':
      return EXIT.interrupted;
  }
}
