import { messageOf } from '../../errors/message-of.ts';
import { sqliteCode } from '../../platform/sqlite-code.ts';
import { asClause } from '../../text/wording.ts';
import type { FaultCode } from '../happening.ts';

/** Unexpected errors: each ends one import, or the process if every import would meet it. */

/** What was being done when the error came, as its sentence says it. */
const STEPS: Readonly<Record<FaultCode, string>> = {
  READING_FAILED: 'its input was read',
  SENDING_FAILED: 'it was sent',
  RECORDING_FAILED: 'results were recorded',
  CLOSING_FAILED: 'its sum was checked and its reports were written',
};

/** After so many deaths of the process, an import is set to `failed`, so that it does not kill the process again. */
export const DEATHS_ALLOWED = 2;

/** Why an import is set to `failed` after too many deaths of the process. */
export function deathSentence(deaths: number): string {
  return `PROCESS_DIED: rollcall ended unexpectedly ${deaths} times while it worked on this import, so it does not try again by itself`;
}

/** Why an import is set to `failed`: code, step and error in a sentence. */
export function faultSentence(code: FaultCode, error: unknown): string {
  const kind = error instanceof Error && error.name !== 'Error' ? ` (${error.name})` : '';
  return `${code}: an unexpected error came while ${STEPS[code]}: ${asClause(messageOf(error))}${kind}`;
}

/** System codes for a machine that cannot continue: no space, broken disk, no file handles, no memory, a server that is away. */
const SYSTEM: ReadonlySet<unknown> = new Set([
  ...['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
]);
/** The same as primary result codes of SQLite: SQLITE_NOMEM, SQLITE_IOERR, SQLITE_FULL. */
const SQLITE: ReadonlySet<number | undefined> = new Set([7, 10, 13]);
/** Errors of the queue's server, as ioredis and pg throw them. */
const QUEUE: ReadonlySet<string> = new Set(['ReplyError', 'MaxRetriesPerRequestError', 'DatabaseError']);

/** What ioredis and pg say, without a code, when a connection breaks. */
const LOST_CONNECTION =
  /^Connection (is closed|terminated)|connection error and is not queryable|timeout exceeded when trying to connect/;

/**
 * Whether an error is the machine's and not one import's. Every import would meet it, so the process stops, and continues
 * all of them when it is started again.
 */
export function isMachineFault(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (QUEUE.has(cause.name) || LOST_CONNECTION.test(cause.message)) return true;
    if ('severity' in cause || ('code' in cause && SYSTEM.has(cause.code))) return true;
    if (SQLITE.has(sqliteCode(cause))) return true;
  }
  return false;
}
