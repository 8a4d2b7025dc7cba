import type { Foreseen } from '../../imports/life/feature.ts';
import { checkSummaryOf } from './checks.ts';
import { findFailing } from './failing-rows.ts';

/** Predictions about sending an import, from its check. */
export const foreseen: Foreseen = {
  missing: async (folder) => (await checkSummaryOf(folder))?.create?.missing,
  failing: findFailing,
};
