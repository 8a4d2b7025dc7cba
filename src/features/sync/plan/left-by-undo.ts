import { existsSync } from 'node:fs';
import type { PlanReason } from '../../../membership/plan-words.ts';
import { isCarriedOut } from '../../../membership/sync-state.ts';
import { asSentence, counted, grouped } from '../../../text/wording.ts';
import type { SyncView } from '../api.ts';
import type { SyncRecord } from '../sync-catalog.ts';
import { openPlanReader } from './plan-reading.ts';
import { readTotals } from './plan-totals.ts';

/** The reasons of changes that `includeUncertain` takes back. */
const UNCERTAIN: ReadonlySet<PlanReason> = new Set(['undo_uncertain', 'undo_unconfirmed']);

/**
 * Returns the members whom a finished undo left in their place, with the reasons; null if it left none.
 * @param path of its plan
 */
export function leftByUndo(record: SyncRecord, path: string): SyncView['left'] {
  const users = readTotals(record)?.actions.report ?? 0;
  if (record.undoOf === null || !isCarriedOut(record.state) || users === 0 || !existsSync(path)) return null;
  const plan = openPlanReader(path);
  try {
    const reported = plan.reported();
    const why = reported.map(({ sentence, users: some }) => `${asSentence(sentence).slice(0, -1)}: ${grouped(some)}.`);
    const uncertain = reported.reduce((sum, { reason, users: some }) => sum + (UNCERTAIN.has(reason) ? some : 0), 0);
    return { users, uncertain, sentence: [`The undo left ${counted(users, 'user')} in place.`, ...why].join(' ') };
  } finally {
    plan.close();
  }
}
