import { RollcallError } from '../../../errors/rollcall-error.ts';
import { type Waits, waitOf } from '../../../imports/life/waits.ts';
import { isSyncUnderWay } from '../../../membership/sync-state.ts';
import { removePlan } from '../plan/prepare.ts';
import type { SyncCatalog, SyncRecord } from '../sync-catalog.ts';
import type { SyncReasonCode } from '../sync-errors.ts';

interface WaitOptions extends Pick<Waits, 'whenOver'> {
  readonly catalog: Pick<SyncCatalog, 'find' | 'noteObstacle'>;
  readonly folder: (id: string) => string;
}

/**
 * Lets a sync wait for something of this machine, such as room on the disk: it keeps its state and says why it stands still, and
 * `goOn` is called when that is over. False for another error, and where no one watches for the end.
 */
export function syncWaits({ catalog, folder, whenOver }: WaitOptions, changed: (record: SyncRecord) => void) {
  return async (id: string, error: unknown, goOn: () => void): Promise<boolean> => {
    const wait = waitOf(error);
    if (wait === undefined || !whenOver(wait, goOn)) return false;
    // Half a plan is of no use, and the catalog needs the room.
    await removePlan(folder(id));
    const record = catalog.find(id);
    // Cancelled meanwhile?
    if (record === undefined || !isSyncUnderWay(record.state)) return true;
    try {
      changed(catalog.noteObstacle(id, wait));
    } catch (catalogError) {
      if (waitOf(catalogError) === undefined) throw catalogError;
    }
    return true;
  };
}

/** The code of a sync that failed. */
export function failureCode(error: unknown): string {
  if (error instanceof RollcallError) return error.code;
  const code: SyncReasonCode = waitOf(error)?.code ?? 'PLANNING_FAILED';
  return code;
}
