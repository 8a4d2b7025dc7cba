import type { Region } from '../../membership/membership.ts';
import type { ImportLedger, PendingBatch } from '../record/import-ledger.ts';
import type { GroupSlots } from './fair-queue.ts';

/** While a group has all its calls, the batches of other groups behind it are looked for again after this time, in ms. */
const LOOK_BEHIND_MS = 1_000;

/** The batches of an import in a region that are sent next. */
export function nextBatches(
  ledger: Pick<ImportLedger, 'pendingBatches' | 'pendingOfGroup'>,
  region: Region,
  slots: Pick<GroupSlots, 'room'>,
) {
  /** Groups of which batches were passed over, with their GUIDs. */
  const passedOver = new Map<number, string>();
  let lookAt = 0;

  /** Reads batches of groups that were passed over, which does not grow with what waits. */
  const ofPassedOver = (most: number): PendingBatch[] => {
    const taken: PendingBatch[] = [];
    for (const [group, guid] of passedOver) {
      const room = Math.min(slots.room(guid), most - taken.length);
      if (room === 0) continue;
      const found = ledger.pendingOfGroup(region, group, room);
      if (found.length === 0) passedOver.delete(group);
      taken.push(...found);
    }
    return taken;
  };

  const ofOthers = (most: number): PendingBatch[] => {
    const taken: PendingBatch[] = [];
    const used = new Map<number, number>();
    for (let last: PendingBatch | undefined; taken.length < most; ) {
      const limit = most - taken.length;
      const found = ledger.pendingBatches(region, limit, last, [...passedOver.keys()]);
      for (const batch of found) {
        const count = used.get(batch.group) ?? 0;
        if (batch.guid !== undefined && count >= slots.room(batch.guid)) {
          passedOver.set(batch.group, batch.guid);
          continue;
        }
        if (batch.guid !== undefined) used.set(batch.group, count + 1);
        taken.push(batch);
      }
      last = found.at(-1);
      if (found.length === limit) continue;
      if (passedOver.size > 0) lookAt = performance.now() + LOOK_BEHIND_MS;
      break;
    }
    return taken;
  };

  return {
    /** Returns up to `most` of them. Those of a group that has all its calls wait. */
    take: (most: number) => {
      const first = ofPassedOver(most);
      return performance.now() < lookAt ? first : [...first, ...ofOthers(most - first.length)];
    },
    lookAgain: () => {
      lookAt = 0;
    },
  };
}
