import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { option, type Words, words } from '../errors/named-options.ts';
import { isError, RollcallError } from '../errors/rollcall-error.ts';

const CODES = ['UNKNOWN_LEDGER', 'DAMAGED_LEDGER', 'LEDGER_MISSING'] as const;
export type LedgerCode = (typeof CODES)[number];

/** Whether a file of the data directory is gone, damaged, or of another version. */
export const isLedgerError = (error: unknown) => isError(error, ...CODES);

export function damagedFile(path: string, cause: Error) {
  const remedy = REMEDIES[basename(path)] ?? NO_LEDGER;
  return new RollcallError(
    'DAMAGED_LEDGER',
    { path, what: `${path} is damaged (${cause.message})`, remedy },
    { cause },
  );
}

/** @param what in a clause: what SQLite reads and rollcall never writes */
export function ledgerContradiction(what: string) {
  return new RollcallError('DAMAGED_LEDGER', { what: `the ledger is damaged: ${what}`, remedy: NO_LEDGER });
}

export function missingLedger(path: string) {
  return new RollcallError('LEDGER_MISSING', { path, remedy: NO_LEDGER });
}

/** Names of the files of a data directory that go on without their content, and what is lost with it. */
export const CATALOG = 'catalog.sqlite';
export const ENDS = 'ends.sqlite';
export const MEMORY = 'memberships.sqlite';
const REMEDIES: Readonly<Record<string, Words>> = {
  [CATALOG]: '`rollcall doctor --rebuild-catalog` makes a new one from the folders of the imports',
  [ENDS]:
    'put it back from a backup, or move it away and import the files again whose memberships end: none ends until a row says so',
  [MEMORY]:
    'put it back from a backup, or move it away: the next run of each sync then counts every member as made by others',
};
/** Without it no one knows which rows were sent; a repeat finds that out, and changes nothing that is as it should be. */
const NO_LEDGER = words`put it back from a backup, or import the input again, with another ${option('dataDir')} if this one's disk fails: members who were added before are reported as already members`;

/** Databases that another program holds: SQLite waits by standing still, and does not say for which file. */

/** SQLITE_BUSY, the primary result code. */
export const BUSY = 5;
/** Interval between two looks at a locked database, in ms. */
const LOOK_MS = 500;

/** Maximum time that a statement waits for another connection, in ms. */
let timeoutMs = 10_000;

/** The primary result code of an error of SQLite; undefined for other errors. The upper bits would say more. */
export function sqliteCode(error: Error) {
  return 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

export function busyTimeoutMs() {
  return timeoutMs;
}

/** From now on this thread stands still for a moment only: it serves others, and tries again later. */
export function shortenBusyTimeout() {
  timeoutMs = 250;
}

type DatabaseBusy = RollcallError<'DATABASE_BUSY'>;

/** The error that says which database is held; undefined for another error. */
export function busyIn(error: unknown): DatabaseBusy | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (isError(cause, 'DATABASE_BUSY')) return cause;
  return undefined;
}

/** Whether it is held still. */
export function isHeld({ facts: { path } }: DatabaseBusy) {
  if (!existsSync(String(path))) return false;
  using database = new DatabaseSync(String(path), { timeout: 0 });
  try {
    database.exec('begin immediate; rollback;');
    return false;
  } catch (error) {
    return error instanceof Error && sqliteCode(error) === BUSY;
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
