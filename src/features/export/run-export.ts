import { pay, runSurvey, type SurveyRun } from '../../imports/survey/crawl.ts';
import { listGroups, readGroups } from '../../imports/survey/read-groups.ts';
import { listUsers } from '../../imports/survey/read-users.ts';
import type { Part } from '../../imports/survey/survey.ts';
import type { ExportStore } from './export-store.ts';

export interface ExportRun extends Omit<SurveyRun, 'survey'> {
  readonly store: ExportStore;
}

/**
 * Reads an export's lists into its file, and continues where an earlier run was interrupted: with the lists and
 * groups that were not read to their end. Ends with the state that it writes: `completed`, `incomplete` where groups could
 * not be read, or as runSurvey says. Rejects with the signal's reason, and then the export can continue.
 */
export async function runExport({ store, ...run }: ExportRun): Promise<void> {
  const { survey } = store;
  const { regions, groups, groupsOnly, users } = store.record().options;
  const parts: Part[] = groupsOnly ? ['facts'] : ['facts', 'members', 'banned'];
  const whole = await runSurvey({ ...run, survey }, 'read', async (crawl) => {
    if (groups === undefined) await listGroups(crawl, regions);
    pay(crawl, survey.priceOf({ parts }));
    await readGroups(crawl, regions, 'members', { parts });
    if (users) await listUsers(crawl, regions);
  });
  if (!whole) return;
  const { failed, missing } = store.totals();
  // If all groups are exported, one may be deleted meanwhile: it is not reported as missing.
  const unread = failed.length + (groups === undefined ? 0 : missing.length);
  if (unread === 0) survey.move('completed');
  else survey.move('incomplete', `${unread} ${unread === 1 ? 'group' : 'groups'} could not be read`);
}
