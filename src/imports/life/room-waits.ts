import { rmSync, writeFileSync } from 'node:fs';
import { messageOf } from '../../errors/message-of.ts';
import { type ImportState, nextStates } from '../../membership/import-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { freeBytes, isDiskFull, NoRoom } from '../../platform/disk-full.ts';
import { type Repeated, repeatedly } from '../../platform/repeatedly.ts';
import { asClause } from '../../text/wording.ts';
import type { Catalog } from '../catalog.ts';
import type { Sending } from '../send/sending.ts';
import type { States } from './requests.ts';

/** Imports that wait for room on the disk. */
export interface RoomWaits {
  /** Lets an import wait that has met a full disk. Resolves when it does. */
  begin(id: string, error: unknown): Promise<void>;
  /**
   * For other work that has met a full disk: calls `goOn` when there is room. Returns false where no one watches for that.
   */
  whenRoom(error: unknown, goOn: () => void): boolean;
  /**
   * From now on they continue by themselves when there is room, also those whose state cannot be written meanwhile.
   * Without it, a person continues them.
   * @param everyMs how often it looks. Default 5 seconds
   */
  watch(onError: (error: Error) => void, everyMs?: number): Repeated;
  /** Gives up the reserve. */
  close(): void;
}

/** Bytes that must be free before an import is tried again that was being sent. */
const ENOUGH = 4 * 1024 * 1024;
const LOOK_MS = 5_000;
/** Bytes of a file that gives way on a full disk, so that the catalog can say what waits. */
const RESERVE_BYTES = 128 * 1024;

interface RoomWaitsOptions {
  readonly dir: Pick<DataDir, 'root' | 'reserve'>;
  readonly catalog: Pick<Catalog, 'find'>;
  readonly states: States;
  readonly sending: Pick<Sending, 'drop'>;
  readonly takeUp: (id: string) => Promise<void>;
  /** The catalog cannot be written, and nothing waits for room. */
  readonly fail: (error: unknown) => void;
  /** Default: what the system says. */
  readonly free?: (() => Promise<number>) | undefined;
}

export function createRoomWaits({
  dir,
  catalog,
  states,
  sending,
  takeUp,
  fail,
  ...options
}: RoomWaitsOptions): RoomWaits {
  const { free = () => freeBytes(dir.root) } = options;
  /** Bytes that each import needs. */
  const waiting = new Map<string, number>();
  /** Other work that waits, with the bytes that it needs. */
  const others = new Map<() => void, number>();
  let isWatched = false;

  const keepReserve = (): void => {
    try {
      writeFileSync(dir.reserve, Buffer.alloc(RESERVE_BYTES), { mode: 0o600 });
    } catch {
      // The disk is full already.
    }
  };
  const giveReserve = (): void => rmSync(dir.reserve, { force: true });

  const begin = async (id: string, error: unknown): Promise<void> => {
    waiting.set(id, neededBy(error));
    // Closing the ledger gives back what its journal takes.
    await sending.drop(id);
    giveReserve();
    try {
      const state = catalog.find(id)?.state;
      if (state !== undefined && mayWait(state)) states.move(id, 'blocked', roomSentence(error), 'DISK_FULL');
      // What a person has asked for is done when there is room.
      else if ((state === 'pausing' || state === 'cancelling') && !isWatched) fail(error);
    } catch (catalogError) {
      if (!isWatched || !isDiskFull(catalogError)) fail(catalogError);
    }
  };

  const look = async (): Promise<void> => {
    if (waiting.size + others.size === 0) return;
    const bytes = await free();
    if (bytes > ENOUGH) keepReserve();
    for (const [goOn, needed] of others) {
      if (needed > bytes) continue;
      others.delete(goOn);
      goOn();
    }
    for (const [id, needed] of waiting) {
      if (needed > bytes) continue;
      waiting.delete(id);
      const record = catalog.find(id);
      const isOurs = record?.state !== 'blocked' || record.code === 'DISK_FULL';
      if (record === undefined || !isOurs || nextStates(record.state).length === 0) continue;
      await takeUp(id).catch((error: unknown) => (isDiskFull(error) ? begin(id, error) : Promise.reject(error)));
    }
  };

  keepReserve();
  return {
    begin,
    whenRoom: (error, goOn) => {
      if (!isWatched) return false;
      others.set(goOn, neededBy(error));
      giveReserve();
      return true;
    },
    close: giveReserve,
    watch: (onError, everyMs = LOOK_MS) => {
      isWatched = true;
      return repeatedly(everyMs, onError, look);
    },
  };
}

function neededBy(error: unknown): number {
  return error instanceof NoRoom ? Number(error.facts['needed']) : ENOUGH;
}

/** Whether an import in this state becomes `blocked`. A pause or a cancellation stays one. */
function mayWait(state: ImportState): boolean {
  return state === 'staging' || state === 'staged' || state === 'running';
}

export function roomSentence(error: unknown): string {
  if (error instanceof NoRoom) return error.what;
  return `the disk of the data directory takes no more (${asClause(messageOf(error))})`;
}
