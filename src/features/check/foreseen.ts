import type { Foreseen } from '../../imports/life/feature.ts';
import { checkSummaryOf } from './checks.ts';
import { findFailing } from './leave-out.ts';

/** What the check of an import says of sending it. */
export const foreseen: Foreseen = {
  missing: async (folder) => (await checkSummaryOf(folder))?.create?.missing,
  failing: findFailing,
};
