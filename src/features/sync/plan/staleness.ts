import { foldId } from '../../../membership/membership.ts';
import { statementsOf } from '../../../platform/sqlite.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { PlanAction } from '../api-plan.ts';
import { type PlanLedger, withAttached } from './plan-ledger.ts';

/**
 * Maximum difference between a stored plan and one made now at which it is still applied, in percent of its changes.
 */
const DEFAULT_TOLERANCE_PERCENT = 5;

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
  /** All of it in a sentence. */
  readonly sentence: string;
  /** Whether the newer plan has a change of the stored one unchanged. Known where it is within the tolerance. */
  readonly isCalledFor: (change: PlanAction) => boolean;
}

/** Compares a plan with a newer one, whose file is at `newer`, and says whether it may still be applied. */
export function staleness(plan: PlanLedger, newer: string, tolerancePercent = DEFAULT_TOLERANCE_PERCENT): Staleness {
  const sql = statementsOf(plan.database, new URL('staleness.sql', import.meta.url));
  const key = (row: Readonly<Record<string, unknown>>) => foldId(`${row['region']} ${row['guid']} ${row['uid']}`);
  return withAttached(plan.database, newer, 'newer', () => {
    sql('find_moves').run();
    const counts = sql('count_moves').get();
    const [gone = 0, different = 0, fresh = 0] = ['gone', 'other', 'fresh'].map((kind) => Number(counts?.[kind] ?? 0));
    const fileMoved = sql('compare_sources').get()?.['moved'] === 1;
    const planned = Number(sql('count_changes').get()?.['n']);
    const found = judged({ fileMoved, planned, gone, different, fresh }, tolerancePercent);
    const moved = new Set(found.within ? sql('moved_changes').all().map(key) : []);
    sql('forget_moves').run();
    return { ...found, isCalledFor: (change) => !moved.has(key({ ...change })) };
  });
}

function judged(
  found: Pick<Staleness, 'fileMoved' | 'planned' | 'gone' | 'different' | 'fresh'>,
  tolerancePercent: number,
): Omit<Staleness, 'isCalledFor'> {
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
