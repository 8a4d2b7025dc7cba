import { foldId } from '../../../membership/membership.ts';
import type { PlanActionName } from '../../../membership/plan-words.ts';
import { statementsOf } from '../../../platform/sqlite.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { PlanAction } from '../api-plan.ts';
import { type PlanLedger, withAttached } from './plan-ledger.ts';
import { type GroupName, placeOf } from './plan-reading.ts';
import type { Place } from './reasons.ts';

/**
 * Maximum difference between a stored plan and one made now at which it is still applied, in percent of its changes.
 */
const DEFAULT_TOLERANCE_PERCENT = 5;

const EXAMPLES = 10;

interface Step {
  /** Empty where the plan does not know the UID in this group. */
  readonly action: PlanActionName | '';
  readonly from: Place;
  readonly to: Place;
}

interface Move extends GroupName {
  readonly uid: string;
  readonly was: Step;
  readonly now: Step;
}

/** The differences between a stored plan and one that was made later from the file and the live state. */
export interface Staleness {
  /** Whether the bytes of the file differ. */
  readonly fileMoved: boolean;
  /** Changes of the stored plan. */
  readonly planned: number;
  /** Those among them that are no longer called for. */
  readonly gone: number;
  /** Those among them with another change now, or from another place. */
  readonly different: number;
  /** Changes that the stored plan does not have. */
  readonly fresh: number;
  /** All three, in percent of the planned ones; more than 100 where there are more, or where nothing was planned. */
  readonly percent: number;
  readonly within: boolean;
  /** At most 10. */
  readonly examples: readonly Move[];
  /** All of it in a sentence. */
  readonly sentence: string;
}

/** Compares a plan with a newer one, whose file is at `newer`, and says whether it may still be applied. */
export function staleness(plan: PlanLedger, newer: string, tolerancePercent = DEFAULT_TOLERANCE_PERCENT): Staleness {
  const sql = statementsOf(plan.database, new URL('staleness.sql', import.meta.url));
  return withAttached(plan.database, newer, 'newer', () => {
    sql('find_moves').run();
    const counts = sql('count_moves').get();
    const examples = sql('moves').all({ limit: EXAMPLES }).map(moveOf);
    const fileMoved = sql('compare_sources').get()?.['moved'] === 1;
    const planned = Number(sql('count_changes').get()?.['n']);
    sql('forget_moves').run();
    const [gone, different, fresh] = ['gone', 'other', 'fresh'].map((kind) => Number(counts?.[kind] ?? 0));
    return judged(
      { fileMoved, planned, gone: gone ?? 0, different: different ?? 0, fresh: fresh ?? 0, examples },
      tolerancePercent,
    );
  });
}

/** Finds the changes of a plan that a newer one, whose file is at `newer`, has unchanged. */
export function stillCalledFor(plan: PlanLedger, newer: string): (change: PlanAction) => boolean {
  const sql = statementsOf(plan.database, new URL('staleness.sql', import.meta.url));
  const key = (row: Readonly<Record<string, unknown>>) => foldId(`${row['region']} ${row['guid']} ${row['uid']}`);
  const moved = withAttached(plan.database, newer, 'newer', () => {
    sql('find_moves').run();
    const found = new Set(sql('moved_changes').all().map(key));
    sql('forget_moves').run();
    return found;
  });
  return (change) => !moved.has(key({ ...change }));
}

function judged(found: Omit<Staleness, 'percent' | 'within' | 'sentence'>, tolerancePercent: number): Staleness {
  const { planned, gone, different, fresh, fileMoved } = found;
  const moved = gone + different + fresh;
  const percent = moved === 0 ? 0 : planned === 0 ? Number.POSITIVE_INFINITY : (moved / planned) * 100;
  const within = percent <= tolerancePercent;
  const parts = [
    gone > 0 ? `${grouped(gone)} no longer called for` : '',
    different > 0 ? `${grouped(different)} different` : '',
    fresh > 0 ? `${grouped(fresh)} new` : '',
  ].filter((part) => part !== '');
  const what =
    moved === 0
      ? `All ${counted(planned, 'change')} of the plan are still called for`
      : `Of ${counted(planned, 'change')} planned, ${parts.join(', ')}${planned === 0 ? '' : ` (${Number(percent.toFixed(1))} %)`}`;
  const file = fileMoved ? '; the file has changed since' : '';
  const end = within ? '' : `; ${tolerancePercent} % are allowed: plan again, and apply the new plan`;
  return { ...found, percent, within, sentence: `${what}${file}${end}.` };
}

function moveOf(row: Readonly<Record<string, unknown>>): Move {
  const step = (action: string, from: string, to: string): Step => ({
    action: row[action] as Step['action'],
    from: placeOf(Number(row[from])),
    to: placeOf(Number(row[to])),
  });
  return {
    region: row['region'] as Move['region'],
    guid: String(row['guid']),
    uid: String(row['uid']),
    was: step('was_action', 'was_from', 'was_to'),
    now: step('action', 'from_id', 'to_id'),
  };
}
