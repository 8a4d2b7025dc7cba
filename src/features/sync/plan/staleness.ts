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
interface Differences {
  /** Changes of the stored plan. */
  readonly planned: number;
  /** Those among them that are no longer called for. */
  readonly gone: number;
  /** Those among them with another change now, or from another place. */
  readonly different: number;
  /** Changes that the stored plan does not have. */
  readonly fresh: number;
  /** 1 where the bytes of the file differ. */
  readonly fileMoved: number;
}

type Place = Pick<PlanAction, 'region' | 'guid' | 'uid'>;

/** Compares a plan with a newer one, whose file is at `newer`, and says whether it may still be applied. */
export function staleness(plan: PlanLedger, newer: string, tolerancePercent = DEFAULT_TOLERANCE_PERCENT) {
  const sql = statementsOf(plan.database, new URL('staleness.sql', import.meta.url));
  const key = ({ region, guid, uid }: Place) => foldId(`${region} ${guid} ${uid}`);
  return withAttached(plan.database, newer, 'newer', () => {
    sql('find_moves').run();
    const found = sql<Differences>('compare').get() as Differences;
    const judged = judge(found, tolerancePercent);
    const moved = new Set(judged.within ? sql<Place>('moved_changes').all().map(key) : []);
    sql('forget_moves').run();
    /** Whether the newer plan has a change of the stored one unchanged. Known where it is within the tolerance. */
    const isCalledFor = (change: PlanAction) => !moved.has(key(change));
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
  ].filter((part) => part !== '');
  const what =
    moved === 0
      ? `All ${counted(planned, 'change')} of the plan are still called for`
      : `Of ${counted(planned, 'change')} planned, ${parts.join(', ')}${planned === 0 ? '' : ` (${Number(percent.toFixed(1))} %)`}`;
  const file = fileMoved ? '; the file has changed since' : '';
  const end = within ? '' : `; ${tolerancePercent} % are allowed: plan again, and apply the new plan`;
  return { percent, within, sentence: `${what}${file}${end}.` };
}
