import { rmSync, writeFileSync } from 'node:fs';
import { isError, messageOf } from '../../errors/rollcall-error.ts';
import { type ImportState, nextStates } from '../../membership/import-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { busyIn, isHeld } from '../../platform/database-errors.ts';
import { freeBytes, isDiskFull } from '../../platform/files.ts';
import { type Repeated, repeatedly } from '../../platform/repeatedly.ts';
import { asClause } from '../../text/wording.ts';
import type { Catalog } from '../catalog.ts';
import type { MachineWait } from '../reason-codes.ts';
import type { Sending } from '../send/sending.ts';
import { TakenUpLater } from './faults.ts';
import type { States } from './steps.ts';

/** A wait, as an error describes it. */
export interface Wait {
  readonly code: MachineWait;
  /** A clause. */
  readonly reason: string;
  /** The error that a piece of work met. */
  readonly error: unknown;
  /** Another try is worth while. @param free bytes on the disk */
  isOver(free: number): boolean;
}

/** A wait of other work, which no state of an import names. */
export type OtherWait = Omit<Wait, 'code'> & {
  readonly code: string;
  /** A clause: when it continues. Default: when the wait is over. */
  readonly next?: string;
};

/** Bytes that must be free before an import is tried again that was being sent. */
const ENOUGH = 4 * 1024 * 1024;
const LOOK_MS = 5_000;
/** The same where a person waits at the terminal. */
const LOOK_SOON_MS = 1_000;
/** Bytes of a file that gives way on a full disk, so that the catalog can say what waits. */
const RESERVE_BYTES = 128 * 1024;

/** Returns the wait before the failed work is tried again; undefined if waiting does not help. */
export function waitOf(error: unknown): Wait | undefined {
  if (error instanceof TakenUpLater) {
    return { code: 'PROCESS_DIED', reason: error.message, error, isOver: () => Date.now() >= error.until };
  }
  const busy = busyIn(error);
  if (busy !== undefined) return { code: 'DATABASE_BUSY', reason: busy.what, error, isOver: () => !isHeld(busy) };
  if (!isDiskFull(error)) return undefined;
  const needed = isError(error, 'DISK_FULL') ? Number(error.facts['needed']) : ENOUGH;
  const reason = isError(error, 'DISK_FULL')
    ? error.what
    : `the disk of the data directory takes no more (${asClause(messageOf(error))})`;
  return { code: 'DISK_FULL', reason, error, isOver: (free) => free >= needed };
}

/** The parts of an import's life that wait with it, and who learns of the wait. */
export interface WaitsOptions {
  readonly dir: Pick<DataDir, 'root' | 'reserve'>;
  readonly catalog: Pick<Catalog, 'find'>;
  readonly states: States;
  readonly sending: Pick<Sending, 'drop'>;
  readonly takeUp: (id: string) => Promise<void>;
  /** Gets for what it waits. */
  readonly tell: (wait: OtherWait) => void;
  /** The catalog cannot be written, and no one looks for the end of that. */
  readonly fail: (error: unknown) => void;
  /** Default: what the system says. */
  readonly free?: (() => Promise<number>) | undefined;
}

/** Imports that wait for something of this machine, and go on by themselves when that is over. */
export function openWaits({ dir, catalog, states, sending, takeUp, tell, fail, ...options }: WaitsOptions) {
  const { free = () => freeBytes(dir.root) } = options;
  /** Imports by their ids, and other work. */
  const waiting = new Map<unknown, { readonly wait: OtherWait; readonly goOn: () => unknown }>();
  let isWatched = false;
  let looking: Repeated | undefined;

  const look = async () => {
    if (waiting.size === 0) return;
    const bytes = await free();
    if (bytes > ENOUGH) keepReserve(dir);
    // What waits again meanwhile has its turn with the next look.
    for (const [what, entry] of [...waiting]) {
      if (waiting.get(what) !== entry || !entry.wait.isOver(bytes)) continue;
      waiting.delete(what);
      await entry.goOn();
    }
  };

  const isLookedFor = ({ code }: OtherWait) => {
    if (isWatched) return true;
    if (code !== 'DATABASE_BUSY') return false;
    looking ??= repeatedly(LOOK_SOON_MS, fail, look);
    return true;
  };

  const tellOnce = (wait: OtherWait) => {
    if (!waiting.values().some((known) => known.wait.reason === wait.reason)) tell(wait);
  };

  const begin = async (id: string, wait: Wait) => {
    const isLooked = isLookedFor(wait);
    if (isLooked) tellOnce(wait);
    waiting.set(id, { wait, goOn: () => continueImport(id, wait) });
    // Closing the ledger gives back what its journal takes.
    await sending.drop(id);
    if (wait.code === 'DISK_FULL') giveReserve(dir);
    try {
      const state = catalog.find(id)?.state;
      if (state === undefined) return;
      // A command goes on with it before it ends.
      if (mayWait(state) && (isWatched || !isLooked)) states.move(id, 'blocked', wait.reason, wait.code);
      // A person's request is carried out when the wait is over.
      else if ((state === 'pausing' || state === 'cancelling') && !isLooked) fail(wait.error);
    } catch (error) {
      const catalogWait = waitOf(error);
      if (catalogWait === undefined || !isLookedFor(catalogWait)) fail(error);
    }
  };

  const continueImport = async (id: string, { code }: Wait) => {
    const record = catalog.find(id);
    // A person may have acted on it. If the catalog could not note the wait, it does not wait there.
    const isOurs =
      record !== undefined && (record.state === 'blocked' ? record.code === code : code !== 'PROCESS_DIED');
    if (!isOurs || nextStates(record.state).length === 0) return;
    try {
      await takeUp(id);
    } catch (error) {
      const again = waitOf(error);
      if (again === undefined) throw error;
      await begin(id, again);
    }
  };

  keepReserve(dir);
  return {
    begin,
    /** For other work: calls `goOn` when the wait is over. Returns false where no one looks for that. */
    whenOver: (wait: OtherWait, goOn: () => void) => {
      if (!isLookedFor(wait)) return false;
      tellOnce(wait);
      // It may take long, and nothing waits for it.
      waiting.set(goOn, { wait, goOn: () => void goOn() });
      if (wait.code === 'DISK_FULL') giveReserve(dir);
      return true;
    },
    /**
     * From now on all continue by themselves when their wait is over, also those whose state cannot be written meanwhile.
     * Without it, only those do that wait for a database, which is not held for long; a person continues the others.
     * @param everyMs how often it looks. Default 5 seconds
     */
    watch: (onError: (error: Error) => void, everyMs = LOOK_MS) => {
      isWatched = true;
      return repeatedly(everyMs, onError, look);
    },
    /** Looks no more, and gives up the reserve. */
    close: async () => {
      giveReserve(dir);
      await looking?.stop();
    },
  };
}

function keepReserve({ reserve }: WaitsOptions['dir']) {
  try {
    writeFileSync(reserve, Buffer.alloc(RESERVE_BYTES), { mode: 0o600 });
  } catch {
    // The disk is full already.
  }
}

function giveReserve({ reserve }: WaitsOptions['dir']) {
  rmSync(reserve, { force: true });
}

/** An import in this state becomes `blocked`. A pause or a cancellation stays one. */
function mayWait(state: ImportState) {
  return state === 'staging' || state === 'staged' || state === 'running';
}
