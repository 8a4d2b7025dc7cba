import type { Words } from '../../errors/named-options.ts';
import { messageOf, RollcallError } from '../../errors/rollcall-error.ts';
import { isLedgerError, sqliteCode } from '../../platform/database-errors.ts';
import { asClause, utcTime } from '../../text/wording.ts';
import type { FaultCode } from '../import-event.ts';
import type { ReasonCode } from '../reason-codes.ts';

/** Unexpected errors: each ends one import, or the process if every import would meet it. */

const STEPS: Readonly<Record<FaultCode, string>> = {
  READING_FAILED: 'its input was read',
  SENDING_FAILED: 'it was sent',
  RECORDING_FAILED: 'results were recorded',
  CLOSING_FAILED: 'its sum was checked and its reports were written',
};

/** After so many deaths of the process in a row, an import or sync is set to `failed`, so that it does not kill the process again. */
const DEATHS_ALLOWED = 6;
/** Deaths from which on it is not taken up at once: so many come without any fault of the import. */
const DEATHS_AT_ONCE = 2;
const FIRST_WAIT_MS = 60_000;

/** An import or sync is not taken up yet: the process died too often while it worked on it. */
export class TakenUpLater extends Error {
  /** Ms since 1970. */
  readonly until: number;

  constructor(why: string, until: number) {
    super(`${why}; it continues at ${utcTime(until)} by itself`);
    this.until = until;
  }
}

/**
 * Whether an import or sync is set to `failed` for this reason, or left alone for 1, 2, 4 and 8 minutes from the second
 * death on. Those that do not end the process themselves are then not worked on when others do.
 * @param deaths of the process while it worked on it, since it last made progress
 * @param since the beginning of the wait, in ms since 1970
 */
export function afterDeaths(
  what: 'import' | 'sync',
  deaths: number,
  since: number,
): { readonly reason?: string; readonly later?: TakenUpLater } {
  const why = `rollcall ended unexpectedly ${deaths} times while it worked on this ${what} and it made no progress`;
  if (deaths >= DEATHS_ALLOWED) return { reason: `PROCESS_DIED: ${why}, so it is not begun again by itself` };
  const until = since + (deaths < DEATHS_AT_ONCE ? 0 : FIRST_WAIT_MS * 2 ** (deaths - DEATHS_AT_ONCE));
  return until > Date.now() ? { later: new TakenUpLater(why, until) } : {};
}

/** The reason why an import is set to `failed`, and the remedy if another try would not help. */
export interface Fault {
  readonly code: ReasonCode;
  /** Code, step and error. */
  readonly reason: string;
  readonly remedy?: Words | undefined;
}

export function faultOf(step: FaultCode, error: unknown): Fault {
  const lost = lostLedger(error);
  if (lost !== undefined) {
    return { code: lost.code as ReasonCode, reason: `${lost.code}: ${lost.what}`, remedy: lost.remedyOn('command') };
  }
  const kind =
    error instanceof RollcallError
      ? ` (${error.code})`
      : error instanceof Error && error.name !== 'Error'
        ? ` (${error.name})`
        : '';
  const reason = `${step}: an unexpected error came while ${STEPS[step]}: ${asClause(messageOf(error))}${kind}`;
  return { code: step, reason };
}

/** The error that says that the ledger is gone or damaged; undefined for any other. */
function lostLedger(error: unknown) {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // One that is neither gone nor damaged is read by another version.
    if (isLedgerError(cause) && cause.code !== 'UNKNOWN_LEDGER') return cause;
  }
  return undefined;
}

/** System codes for a machine that cannot continue: no space, broken disk, no file handles, no memory. */
const SYSTEM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM']);
/** The same as primary result codes of SQLite: SQLITE_NOMEM, SQLITE_IOERR, SQLITE_FULL. */
const SQLITE: ReadonlySet<number | undefined> = new Set([7, 10, 13]);
/** An error of Redis that does not pass by itself: others are waited for (src/queue/patience.ts). */
const QUEUE = 'ReplyError';

/**
 * Whether an error is the machine's and not one import's. Every import would meet it, so the process stops, and continues
 * all of them when it is started again.
 */
export function isMachineFault(error: unknown) {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === QUEUE || ('code' in cause && SYSTEM.has(cause.code))) return true;
    if (SQLITE.has(sqliteCode(cause))) return true;
  }
  return false;
}
