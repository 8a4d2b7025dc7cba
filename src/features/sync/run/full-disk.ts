import { RollcallError } from '../../../errors/rollcall-error.ts';
import { type RoomWaits, roomSentence } from '../../../imports/life/room-waits.ts';
import { isSyncUnderWay } from '../../../membership/sync-state.ts';
import { isDiskFull } from '../../../platform/disk-full.ts';
import { removePlan } from '../plan/prepare.ts';
import type { SyncCatalog, SyncRecord } from '../sync-catalog.ts';
import type { SyncReasonCode } from '../sync-errors.ts';

export const DISK_FULL = 'DISK_FULL' satisfies SyncReasonCode;

interface RoomOptions extends Pick<RoomWaits, 'whenRoom'> {
  readonly catalog: Pick<SyncCatalog, 'find' | 'noteObstacle'>;
  readonly folder: (id: string) => string;
}

/**
 * Lets a sync wait that has met a full disk: it keeps its state and says why it stands still, and `goOn` is called when there
 * is room. False for another error, and where no one watches for room.
 */
export function roomWaits({ catalog, folder, whenRoom }: RoomOptions, changed: (record: SyncRecord) => void) {
  return async (id: string, error: unknown, goOn: () => void): Promise<boolean> => {
    if (!isDiskFull(error) || !whenRoom(error, goOn)) return false;
    // Half a plan is of no use, and the catalog needs the room.
    await removePlan(folder(id));
    const record = catalog.find(id);
    // Cancelled meanwhile?
    if (record === undefined || !isSyncUnderWay(record.state)) return true;
    try {
      changed(catalog.noteObstacle(id, { reason: roomSentence(error), code: DISK_FULL }));
    } catch (catalogError) {
      if (!isDiskFull(catalogError)) throw catalogError;
    }
    return true;
  };
}

/** The code of a sync that failed. */
export function failureCode(error: unknown): string {
  if (error instanceof RollcallError) return error.code;
  const code: SyncReasonCode = isDiskFull(error) ? DISK_FULL : 'PLANNING_FAILED';
  return code;
}
