import { RollcallError } from '../../../errors/rollcall-error.ts';
import { DEATHS_ALLOWED, deathSentence, TakenUpLater, waitAfterDeaths } from '../../../imports/life/faults.ts';
import { type Waits, waitOf } from '../../../imports/life/waits.ts';
import { isSyncUnderWay } from '../../../membership/sync-state.ts';
import { removePlan } from '../plan/prepare.ts';
import type { SyncCatalog, SyncRecord, SyncTransition } from '../sync-catalog.ts';
import type { SyncReasonCode } from '../sync-errors.ts';

/** In the history of a sync: a process died while it worked on it, and the next one began it again, or left it alone for a time. */
export const AGAIN = 'begun again: the process ended unexpectedly while it worked on it';
export const LEFT_ALONE = 'not begun again yet: the process ended unexpectedly more than once while it worked on it';

/** Whether a sync that is taken up, and at which processes died, is set to `failed`, with this reason, or taken up later. */
export function afterDeaths(history: readonly SyncTransition[]): {
  readonly reason?: string;
  readonly later?: TakenUpLater;
} {
  const before = history.findLastIndex(({ reason }) => reason !== AGAIN && reason !== LEFT_ALONE);
  const deaths = 1 + history.slice(before + 1).filter(({ reason }) => reason === AGAIN).length;
  if (deaths >= DEATHS_ALLOWED) return { reason: `${deathSentence('sync', deaths)}; nothing was sent` };
  const last = history.at(-1);
  const until = (last?.reason === LEFT_ALONE ? last.at : Date.now()) + waitAfterDeaths(deaths);
  return until > Date.now() ? { later: new TakenUpLater('sync', deaths, until) } : {};
}

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
