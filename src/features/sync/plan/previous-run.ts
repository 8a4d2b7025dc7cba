import { existsSync } from 'node:fs';
import { openPlanReader, type PlanReader } from './plan-reading.ts';

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

/** Reads a stored plan as the run with which the guards compare the next one: the members of its groups when it had been applied. */
export function previousRun(plan: Pick<PlanReader, 'facts' | 'groups'>) {
  const { rows, fields } = plan.facts();
  const groups = plan
    .groups()
    .map(({ region, guid, members, actions, leaving }) => ({ region, guid, members: members + actions.add - leaving }));
  return { rows, fields, groups };
}
export type PreviousRun = ReturnType<typeof previousRun>;
