import { foldId } from '../../../membership/membership.ts';
import { inChunks } from '../../../text/chunks.ts';
import { csvLine } from '../../../text/csv-line.ts';
import { importable } from '../../../text/spreadsheet.ts';
import type { PlanAction } from '../api-plan.ts';
import type { GroupName, PlanReader } from './plan-reading.ts';
import { CHANGES } from './reasons.ts';

const COLUMNS = ['uid', 'guid', 'scope', 'region'] as const;

/** Groups in which a plan changes or removes memberships; where it only adds people, nothing can be lost. */
export function groupsThatLose(
  plan: Pick<PlanReader, 'actions'>,
  chosen: (change: PlanAction) => boolean = () => true,
): GroupName[] {
  const groups = new Map<string, GroupName>();
  for (const change of plan.actions({ actions: CHANGES })) {
    const { region, guid, from } = change;
    const key = `${region} ${foldId(guid)}`;
    if (from !== '' && !groups.has(key) && chosen(change)) groups.set(key, { region, guid });
  }
  return [...groups.values()];
}

/**
 * All users in these groups as the plan found them, as rows that `import` and `sync` read: the banned with the scope `ban`.
 * Yields chunks of some 64 KB.
 */
export function beforeCsv(plan: Pick<PlanReader, 'live'>, groups: readonly GroupName[]): Generator<string> {
  return inChunks(lines(plan, groups));
}

function* lines(plan: Pick<PlanReader, 'live'>, groups: readonly GroupName[]): Generator<string> {
  yield csvLine(COLUMNS, ',');
  for (const { region, guid } of groups) {
    for (const { uid, place } of plan.live({ region, guid })) {
      yield csvLine([uid, guid, place, region].map(importable), ',');
    }
  }
}
