import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ImportView } from '../../api/imports.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { CHECK_SCHEMA, checkFiles, leftOutOf } from '../../imports/predictions/row-check.ts';
import type { SurveyProgress } from '../../imports/survey/crawl.ts';
import { surveyOf } from '../../imports/survey/survey.ts';
import type { ImportState } from '../../membership/import-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { readIfThere } from '../../platform/sqlite.ts';
import type { Works } from '../../platform/works.ts';
import { type CheckView, checkSummary } from './operations.ts';

/** Returns the record of an import's check; undefined if there is none. @param folder of the import */
export function checkOf(folder: string) {
  return readIfThere(checkFiles(folder).check, CHECK_SCHEMA, undefined, (database) => {
    const survey = surveyOf<'done'>(database);
    // A process that was killed at the beginning leaves a file without a survey.
    return survey.sql('run').get() && survey.record();
  });
}

/** The result of an import's check; undefined until it has finished. @param folder of the import @param record where it was read already */
export async function checkSummaryOf(folder: string, record = checkOf(folder)) {
  const { summary } = checkFiles(folder);
  if (record?.state !== 'done' || !existsSync(summary)) return undefined;
  return checkSummary.parse(JSON.parse(await readFile(summary, 'utf8')));
}

/** The check of an import as it is shown. @param works the checks that this process makes @throws NO_CHECK_YET */
export async function checkIn(dir: DataDir, id: string, works?: Works<SurveyProgress>): Promise<CheckView> {
  const folder = dir.folder(id);
  const record = checkOf(folder);
  if (record === undefined) throw noCheck(id);
  const { state, reason, calls, price } = record;
  return {
    importId: id,
    state,
    underWay: works?.isUnderWay(id) ?? false,
    reason,
    calls,
    price,
    progress: works?.progress(id) ?? null,
    summary: (await checkSummaryOf(folder, record)) ?? null,
  };
}

export function noCheck(id: string) {
  return new RollcallError('NO_CHECK_YET', { id, why: 'has no check that is done' });
}

/**
 * @param record of the check
 * @param skipped rows that are left out by now: rows that would fail are among them where a start was interrupted
 * @returns also `refused`: rows that would fail, or were left out because they would
 */
export async function checkFacts(
  record: ReturnType<typeof checkOf>,
  folder: string,
  state: ImportState,
  skipped: number,
): Promise<Pick<ImportView, 'hasCheck' | 'checkedRows'> & { readonly refused: number }> {
  if (record === undefined) return { refused: 0 };
  const leftOut = skipped === 0 ? 0 : leftOutOf(folder);
  const summary = state === 'staged' ? await checkSummaryOf(folder, record) : undefined;
  if (summary === undefined) return { hasCheck: true, refused: leftOut };
  const { rows, checkedAt } = summary;
  const canBeSent = rows.read - rows.fail - rows.invalid - rows.duplicate - rows.skipped - rows.not_checked;
  // Less those that were left out after this check.
  const wouldFail = rows.fail - (skipped - rows.skipped);
  return { hasCheck: true, checkedRows: { canBeSent, wouldFail, at: checkedAt }, refused: wouldFail + leftOut };
}
