import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { isError, RollcallError } from '../errors/rollcall-error.ts';

/** Databases that another program holds: SQLite waits by standing still, and does not say for which file. */

/** SQLITE_BUSY, the primary result code. */
export const BUSY = 5;
/** Interval between two looks at a locked database, in ms. */
const LOOK_MS = 500;

/** Maximum time that a statement waits for another connection, in ms. */
let timeoutMs = 10_000;

/** The primary result code of an error of SQLite; undefined for other errors. The upper bits would say more. */
export function sqliteCode(error: Error): number | undefined {
  return 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

export function busyTimeoutMs() {
  return timeoutMs;
}

/** From now on this thread stands still for a moment only: it serves others, and tries again later. */
export function shortenBusyTimeout() {
  timeoutMs = 250;
}

/** Another program holds a database. */
type DatabaseBusy = RollcallError<'DATABASE_BUSY'>;

/** The error that says which database is held; undefined for another error. */
export function busyIn(error: unknown): DatabaseBusy | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (isError(cause, 'DATABASE_BUSY')) return cause;
  return undefined;
}

/** Whether it is held still. */
export function isHeld({ facts: { path } }: DatabaseBusy) {
  if (!existsSync(path)) return false;
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('begin immediate; rollback;');
    return false;
  } catch (error) {
    return error instanceof Error && sqliteCode(error) === BUSY;
  } finally {
    database.close();
  }
}

interface WhenFree {
  /** Called once, if it has to wait. */
  readonly waits: (busy: DatabaseBusy) => void;
  /** Ends the wait. Default: it lasts as long as it takes. */
  readonly signal: AbortSignal | undefined;
}

/** Does the work as soon as no other program holds its database. @throws INTERRUPTED where the signal comes first */
export async function whenFree<Result>(
  work: () => Result | Promise<Result>,
  { waits, signal }: WhenFree,
): Promise<Result> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await work();
    } catch (error) {
      const busy = busyIn(error);
      if (busy === undefined) throw error;
      if (signal?.aborted) throw new RollcallError('INTERRUPTED', { path: busy.facts.path });
      if (!isTold) waits(busy);
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
  }
}
