import { existsSync } from 'node:fs';
import { type GroupName, openPlanReader, type PlanReader } from './plan-reading.ts';

/** The base of the guards' comparisons: the last run of the same sync that was applied. */
export interface PreviousRun {
  readonly rows: number;
  /** Fields that its file had a column for. */
  readonly fields: readonly string[];
  readonly groups: readonly PreviousGroup[];
}

interface PreviousGroup extends GroupName {
  /** Members when its plan had been applied. */
  readonly members: number;
}

/** Reads the first of these plans that is there. */
export function previousRunIn(plans: readonly string[]): PreviousRun | undefined {
  const path = plans.find((plan) => existsSync(plan));
  if (path === undefined) return undefined;
  const reader = openPlanReader(path);
  try {
    return previousRun(reader);
  } finally {
    reader.close();
  }
}

/** Reads a stored plan as the run that the next one is compared with. */
export function previousRun(plan: Pick<PlanReader, 'facts' | 'groups'>): PreviousRun {
  const { rows, fields } = plan.facts();
  const groups = plan
    .groups()
    .map(({ region, guid, members, actions, leaving }) => ({ region, guid, members: members + actions.add - leaving }));
  return { rows, fields, groups };
}
