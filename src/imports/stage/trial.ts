import { foldId } from '../../membership/membership.ts';
import type { TrialChoices } from '../../options/sending-options.ts';
import type { StagedRow } from './staged-row.ts';

/**
 * Marks the rows that are sent later. All rows are read and checked in any case, so that the rest can follow in the same
 * import. Skipped rows do not count.
 */
export function trialOf({ first, only = [] }: TrialChoices): (rows: readonly StagedRow[]) => readonly StagedRow[] {
  const chosen = only.map(({ field, is }) => ({ field, ids: new Set(is.map(foldId)) }));
  let count = 0;
  let line = 0;
  const isLater = (row: StagedRow): boolean => {
    if (row.shaped?.skipped === true) return false;
    if (!chosen.every(({ field, ids }) => ids.has(foldId(row[field])))) return true;
    if (row.line !== line) count += 1;
    line = row.line;
    return first !== undefined && count > first;
  };
  return (rows) => rows.map((row) => (isLater(row) ? { ...row, later: true } : row));
}
