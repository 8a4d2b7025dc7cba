import type { ImportView } from '../../api/imports.ts';
import type { ImportState } from '../../membership/import-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { CheckView } from './api.ts';
import { type Checks, checkOf, checkSummaryOf } from './checks.ts';

/** The check of an import as it is shown; undefined if there is none. @param checks those that this process runs */
export async function checkView(
  dir: DataDir,
  id: string,
  checks?: Pick<Checks, 'isRunning' | 'progress'>,
): Promise<CheckView | undefined> {
  const folder = dir.folder(id);
  const record = checkOf(folder);
  if (record === undefined) return undefined;
  const { state, reason, calls, price } = record;
  return {
    importId: id,
    state,
    underWay: checks?.isRunning(id) ?? false,
    reason,
    calls,
    price: price === null ? null : { ...price },
    progress: checks?.progress(id) ?? null,
    summary: (await checkSummaryOf(folder)) ?? null,
  };
}

/**
 * The part of the check in the view of an import.
 * @param folder of the import
 * @param skipped rows that are left out by now: rows that would fail are among them where a start was interrupted
 */
export async function checkFacts(
  folder: string,
  state: ImportState,
  skipped: number,
): Promise<Pick<ImportView, 'hasCheck' | 'checkedRows'>> {
  if (checkOf(folder) === undefined) return {};
  const { rows, checkedAt } = (state === 'staged' ? await checkSummaryOf(folder) : undefined) ?? {};
  if (rows === undefined || checkedAt === undefined) return { hasCheck: true };
  const canBeSent = rows.read - rows.fail - rows.invalid - rows.duplicate - rows.skipped - rows.not_checked;
  const wouldFail = rows.fail + rows.skipped - skipped;
  return { hasCheck: true, checkedRows: { canBeSent, wouldFail, at: checkedAt } };
}
