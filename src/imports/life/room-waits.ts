import { rmSync, writeFileSync } from 'node:fs';
import { messageOf } from '../../errors/message-of.ts';
import { type ImportState, nextStates } from '../../membership/import-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { freeBytes, isDiskFull } from '../../platform/disk-full.ts';
import { type Repeated, repeatedly } from '../../platform/repeatedly.ts';
import { asClause } from '../../text/wording.ts';
import type { Catalog } from '../catalog.ts';
import type { Sending } from '../send/sending.ts';
import { NoRoom } from '../stage/room.ts';
import type { States } from './requests.ts';

/** Imports that wait for room on the disk. */
export interface RoomWaits {
  /** Lets an import wait that has met a full disk. Resolves when it does. */
  begin(id: string, error: unknown): Promise<void>;
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
    waiting.set(id, error instanceof NoRoom ? Number(error.facts['needed']) : ENOUGH);
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
    if (waiting.size === 0) return;
    const bytes = await free();
    if (bytes > ENOUGH) keepReserve();
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
    close: giveReserve,
    watch: (onError, everyMs = LOOK_MS) => {
      isWatched = true;
      return repeatedly(everyMs, onError, look);
    },
  };
}

/** Whether an import in this state becomes `blocked`. A pause or a cancellation stays one. */
function mayWait(state: ImportState): boolean {
  return state === 'staging' || state === 'staged' || state === 'running';
}

function roomSentence(error: unknown): string {
  if (error instanceof NoRoom) return error.what;
  return `the disk of the data directory takes no more (${asClause(messageOf(error))})`;
}
