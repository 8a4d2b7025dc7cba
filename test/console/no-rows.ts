import { OUTCOMES, type RowCounts } from '../../src/membership/outcome.ts';

/** The counts of an import without a row. */
export const NO_ROWS = Object.fromEntries(['read', ...OUTCOMES].map((count) => [count, 0])) as RowCounts;
