import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { RollcallError } from '../errors/rollcall-error.ts';

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

export function busyTimeoutMs(): number {
  return timeoutMs;
}

/** From now on this thread stands still for a moment only: it serves others, and tries again later. */
export function shortenBusyTimeout(): void {
  timeoutMs = 250;
}

/** Another program holds a file of the data directory. */
export class DatabaseBusy extends RollcallError {
  constructor(path: string, cause: Error) {
    super('DATABASE_BUSY', `another program holds ${path}, such as sqlite3, a backup or an antivirus`, {
      cause,
      remedy: 'close it, and try again',
      facts: { path },
    });
  }
}

/** The error that says which database is held; undefined for another error. */
export function busyIn(error: unknown): DatabaseBusy | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof DatabaseBusy) return cause;
  return undefined;
}

/** Whether it is held still. */
export function isHeld({ facts }: DatabaseBusy): boolean {
  const path = String(facts['path']);
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

/** A signal came while something waited for another program. */
class WaitInterrupted extends RollcallError {
  constructor({ facts }: DatabaseBusy) {
    const path = String(facts['path']);
    super('INTERRUPTED', `interrupted while another program held ${path}; nothing was begun, and nothing was sent`, {
      remedy: 'run it again when that program lets go',
      facts,
    });
  }
}

interface WhenFree {
  /** Called once, if it has to wait. */
  readonly waits: (busy: DatabaseBusy) => void;
  /** Ends the wait. Default: it lasts as long as it takes. */
  readonly signal: AbortSignal | undefined;
}

/** Does the work as soon as no other program holds its database. @throws WaitInterrupted where the signal comes first */
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
      if (signal?.aborted) throw new WaitInterrupted(busy);
      if (!isTold) waits(busy);
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
  }
}
