import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openProfiles } from '../../../imports/record/profile.ts';
import { foldId } from '../../../membership/membership.ts';
import type { CreateOptions } from '../../../options/create-options.ts';
import { writeWhole } from '../../../platform/files.ts';
import { counted, grouped } from '../../../text/wording.ts';
import { planFiles } from './plan-files.ts';
import { openPlanLedger, withAttached } from './plan-ledger.ts';
import { type ChangeChoice, type ChangedPlace, openPlanReader, type PlanReader } from './plan-reading.ts';
import { beforeCsv, changesCsv } from './plan-tables.ts';
import { type PlanningTask, planFor } from './prepare.ts';

/** Maximum difference between a stored plan and one made now at which it is still applied, in percent of its changes. */
const DEFAULT_TOLERANCE_PERCENT = 5;

/**
 * The differences between a stored plan and one that was made later from the file and the live state: changes of the stored one, those of
 * them that are no longer called for or are others now, changes that it does not have, and whether the bytes of the file differ.
 */
type Differences = Readonly<Record<'planned' | 'gone' | 'different' | 'fresh' | 'fileMoved', number>>;

/** Compares the plan at `stored` with a newer one at `newer`, and says whether it may still be applied. */
export function staleness(stored: string, newer: string, tolerancePercent = DEFAULT_TOLERANCE_PERCENT) {
  using plan = openPlanLedger(stored);
  const { sql } = plan;
  const key = ({ region, guid, uid }: ChangedPlace) => foldId(`${region} ${guid} ${uid}`);
  return withAttached(plan.database, newer, 'newer', () => {
    sql('find_moves').run();
    const found = sql<Differences>('compare').get() as Differences;
    const judged = judge(found, tolerancePercent);
    const moved = new Set(judged.within ? sql<ChangedPlace>('moved_changes').all().map(key) : []);
    /** Whether both plans have a change of one of them. Known where the newer one is within the tolerance. */
    const isCalledFor: ChangeChoice = (change) => !moved.has(key(change));
    return { ...found, ...judged, isCalledFor };
  });
}

function judge({ planned, gone, different, fresh, fileMoved }: Differences, tolerancePercent: number) {
  const moved = gone + different + fresh;
  // More than 100 where more are new than were planned.
  const percent = moved === 0 ? 0 : planned === 0 ? Number.POSITIVE_INFINITY : (moved / planned) * 100;
  const within = percent <= tolerancePercent;
  const parts = [
    gone > 0 ? `${grouped(gone)} no longer called for` : '',
    different > 0 ? `${grouped(different)} different` : '',
    fresh > 0 ? `${grouped(fresh)} new` : '',
  ].filter(Boolean);
  const what =
    moved === 0
      ? `All ${counted(planned, 'change')} of the plan are still called for`
      : `Of ${counted(planned, 'change')} planned, ${parts.join(', ')}${planned === 0 ? '' : ` (${Number(percent.toFixed(1))} %)`}`;
  const file = fileMoved ? '; the file has changed since' : '';
  const end = within ? '' : `; ${tolerancePercent} % are allowed: plan again, and apply the new plan`;
  return { percent, within, sentence: `${what}${file}${end}.` };
}

/**
 * Plans once more, beside the stored plan, and compares. If they differ by no more than the tolerance, the changes that
 * both have are written: the others were never reviewed, or are no longer needed. @throws as planFor
 */
export async function checkPlan(task: PlanningTask) {
  const { folder } = task;
  const again = join(folder, 'again');
  await rm(again, { recursive: true, force: true });
  try {
    // Users were counted for the stored plan; the import counts those whom it finds missing.
    const create = task.create && { ...task.create, users: false, reactivate: false };
    const newer = await planFor({ ...task, create, folder: again });
    const now = newer.totals();
    newer.close();
    // Nothing is left to do, so nothing can be done that nobody has reviewed.
    if (now.changes + now.unlisted === 0) return { within: true, sentence: '', changes: 0 };
    const [stored, latest] = [planFiles(folder).plan, planFiles(again).plan];
    const { within, sentence, planned, gone, different, isCalledFor } = staleness(stored, latest);
    if (within) {
      using plan = openPlanReader(stored);
      using live = openPlanReader(latest);
      await writeChanges(folder, plan, task.create, live, isCalledFor);
    }
    return { within, sentence, changes: planned - gone - different };
  } finally {
    await rm(again, { recursive: true, force: true });
  }
}

/**
 * Writes a plan's changes as the input of the import that is to carry them out; and who is in the groups that are about to
 * lose members, as rows that an import reads: a way back that does not depend on the record of the changes. Each file is
 * written whole, or not at all.
 * @param create the users and groups that may be created; undefined: none
 * @param live the plan with the newest lists of these groups @param chosen chooses changes; default: all
 */
export async function writeChanges(
  folder: string,
  plan: PlanReader,
  create: CreateOptions | undefined,
  live = plan,
  chosen: ChangeChoice = () => true,
) {
  const { changes, before, desired } = planFiles(folder);
  const losing = live.losingGroups(chosen);
  if (losing.length === 0) await rm(before, { force: true });
  else await writeWhole(before, beforeCsv(live, losing));
  using profiles = create && openProfiles(desired, create);
  await writeWhole(changes, changesCsv(plan, chosen, profiles));
}

/** Returns the file for checking a stored plan again: the present one, or the plan's copy if it was deleted. */
export function sourceNow(folder: string, source: string) {
  return existsSync(source) ? source : planFiles(folder).input;
}
