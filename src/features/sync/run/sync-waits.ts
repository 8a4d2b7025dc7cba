import { RollcallError } from '../../../errors/rollcall-error.ts';
import { afterDeaths } from '../../../imports/life/faults.ts';
import { waitOf } from '../../../imports/life/waits.ts';
import { isSyncUnderWay } from '../../../membership/sync-state.ts';
import type { SyncMove, SyncReasonCode } from '../kept-sync.ts';
import { removePlan } from '../plan/plan-files.ts';
import type { Place } from './sync-imports.ts';

/** In the history of a sync: how a process left it, and how the next one took it up. */
export const STOPPED = 'the process was stopped';
const CONTINUED = 'continued';
/** A process died while it worked on it, and the next one began it again, or left it alone for a time. */
export const AGAIN = 'begun again: the process ended unexpectedly while it worked on it';
const LEFT_ALONE = 'not begun again yet: the process ended unexpectedly more than once while it worked on it';

/** Syncs that stand still for a time. */
export function syncWaits({ catalog, dir, coordinator: { whenOver } }: Place) {
  /**
   * Lets a sync wait for something of this machine, such as room on the disk: it keeps its state and says why it stands still, and
   * `goOn` is called when that is over. False for another error, and where no one watches for the end.
   */
  const letWait = async (id: string, error: unknown, goOn: () => void) => {
    const wait = waitOf(error);
    if (wait === undefined || !whenOver(wait, goOn)) return false;
    // Half a plan is of no use, and the catalog needs the room.
    await removePlan(dir.sync(id));
    const record = catalog.find(id);
    // Cancelled meanwhile?
    if (record === undefined || !isSyncUnderWay(record.state)) return true;
    try {
      catalog.noteObstacle(id, wait);
    } catch (catalogError) {
      if (waitOf(catalogError) === undefined) throw catalogError;
    }
    return true;
  };
  return {
    letWait,
    /**
     * Notes that a process takes up a sync that another one left. False: processes died at it again and again, so it is
     * left alone for longer each time, until `goOn` is called, and at last for good.
     */
    takeUp: async (id: string, goOn: () => void) => {
      const history = catalog.find(id)?.moves ?? [];
      const last = history.at(-1);
      if (last?.reason === STOPPED) {
        catalog.note(id, CONTINUED);
        return true;
      }
      const { reason, later } = afterDeaths(
        'sync',
        deathsIn(history),
        last?.reason === LEFT_ALONE ? Date.parse(last.at) : Date.now(),
      );
      if (reason !== undefined) {
        const code: SyncReasonCode = 'PROCESS_DIED';
        catalog.move(id, 'failed', { reason: `${reason}; nothing was sent`, code });
        return false;
      }
      const isLeftAlone = later !== undefined && (await letWait(id, later, goOn));
      if (!isLeftAlone) catalog.note(id, AGAIN);
      else if (last?.reason !== LEFT_ALONE) catalog.note(id, LEFT_ALONE);
      return !isLeftAlone;
    },
  };
}

/** Deaths of processes in a row at a sync, the one that left it now among them. */
function deathsIn(history: readonly SyncMove[]) {
  const before = history.findLastIndex(({ reason }) => reason !== AGAIN && reason !== LEFT_ALONE);
  return 1 + history.slice(before + 1).filter(({ reason }) => reason === AGAIN).length;
}

/** The code of a sync that failed. */
export function failureCode(error: unknown) {
  if (error instanceof RollcallError) return error.code;
  const code: SyncReasonCode = waitOf(error)?.code ?? 'PLANNING_FAILED';
  return code;
}
