import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openProfiles } from '../../../imports/record/profiles.ts';
import type { CreateOptions } from '../../../options/create-options.ts';
import { writeWhole } from '../../../platform/whole-file.ts';
import type { PlanAction } from '../api-plan.ts';
import { beforeCsv, changesCsv, groupsThatLose } from '../plan/plan-csv.ts';
import { planFiles } from '../plan/plan-files.ts';
import { openPlanLedger } from '../plan/plan-ledger.ts';
import { openPlanReader, type PlanReader } from '../plan/plan-reading.ts';
import { type PlanningPorts, type PlanningTask, planFor } from '../plan/prepare.ts';
import { staleness } from '../plan/staleness.ts';

/** The result of comparing a stored plan with file and groups as they are now. */
export interface Checked {
  /** Whether it may still be carried out; its changes are written then. */
  readonly within: boolean;
  /** Changes that both have. */
  readonly changes: number;
  /** The difference, in a sentence. */
  readonly sentence: string;
}

/**
 * Plans once more, beside the stored plan, and compares. If they differ by no more than the tolerance, the changes that
 * both have are written: the others were never reviewed, or are no longer needed.
 * @throws as planFor
 */
export async function checkPlan(
  folder: string,
  task: Omit<PlanningTask, 'folder'>,
  ports: PlanningPorts,
): Promise<Checked> {
  const again = join(folder, 'again');
  await rm(again, { recursive: true, force: true });
  try {
    // Users were counted for the stored plan; the import counts those whom it finds missing.
    const create = task.create && { ...task.create, users: false, reactivate: false };
    const newer = await planFor({ ...task, create, folder: again }, ports);
    newer.close();
    const plan = openPlanLedger(planFiles(folder).plan);
    try {
      const { within, sentence, planned, gone, different, isCalledFor } = staleness(plan, planFiles(again).plan);
      if (within) {
        const now = openPlanReader(planFiles(again).plan);
        try {
          await writeChanges(folder, plan, { live: now, chosen: isCalledFor, create: task.create });
        } finally {
          now.close();
        }
      }
      return { within, sentence, changes: planned - gone - different };
    } finally {
      plan.close();
    }
  } finally {
    await rm(again, { recursive: true, force: true });
  }
}

interface ChangesRequest {
  /** The plan with the newest lists of these groups. */
  readonly live: PlanReader;
  /** Chooses changes. Undefined: all. */
  readonly chosen?: ((change: PlanAction) => boolean) | undefined;
  /** The users and groups that may be created. Undefined: none. */
  readonly create: CreateOptions | undefined;
}

/**
 * Writes a plan's changes as the input of the import that is to carry them out; and who is in the groups that are about to
 * lose members, as rows that an import reads: a way back that does not depend on the record of the changes. Each file is
 * written whole, or not at all.
 */
export async function writeChanges(
  folder: string,
  plan: PlanReader,
  { live, chosen, create }: ChangesRequest,
): Promise<void> {
  const { changes, before, desired } = planFiles(folder);
  const losing = groupsThatLose(plan, chosen);
  if (losing.length === 0) await rm(before, { force: true });
  else await writeWhole(before, beforeCsv(live, losing));
  const profiles = create && openProfiles(desired, create);
  try {
    await writeWhole(changes, changesCsv(plan, chosen, profiles));
  } finally {
    profiles?.close();
  }
}

/** Returns the file for checking a stored plan again: the present one, or the plan's copy if it was deleted. */
export function sourceNow(folder: string, source: string): string {
  return existsSync(source) ? source : planFiles(folder).input;
}
