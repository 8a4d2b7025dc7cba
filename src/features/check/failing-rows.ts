import type { ImportOptions } from '../../imports/import-options.ts';
import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { attachCheck } from '../../imports/predictions/row-check.ts';
import type { FindLeftOut, UnsentImport } from '../../imports/stage/leave-out.ts';
import { statementsOf } from '../../platform/sqlite.ts';
import { NoCheckYet } from './check-errors.ts';
import { readCheck } from './check-ledger.ts';

const STATEMENTS = new URL('failing-rows.sql', import.meta.url);

/** Returns the options on which the verdicts of a check depend. Limits do not change them. */
export function optionsOfCheck({ create, bans }: Pick<ImportOptions, 'create' | 'bans'>): string {
  return JSON.stringify({ create: create === undefined ? null : { ...create, max: null }, keepsBans: bans === 'keep' });
}

/** Rows that would fail, as the check of the import says. @throws NoCheckYet */
export const findFailing: FindLeftOut = (ledger, unsent) => {
  requireCheck(unsent);
  attachCheck(ledger, unsent.folder);
  const sql = statementsOf(ledger, STATEMENTS);
  for (const { code } of sql<{ code: string }>('codes').all()) {
    sql('find_failing').run({ code, message: `not sent: the check found that ${reasonOf(code)} (${code})` });
  }
};

/** Only a check that is done, and was made with the same options, says which rows would fail. */
function requireCheck({ id, folder, options }: UnsentImport): void {
  const check = readCheck(folder, (ledger) => ({
    ...ledger.record(),
    options: ledger.sql('options').get()?.['options'],
  }));
  if (check === undefined) throw new NoCheckYet(id, 'was not checked with the service', 'check it first');
  if (check.state !== 'done') throw new NoCheckYet(id, 'has a check that is not done', 'continue the check');
  if (check.options === optionsOfCheck(options)) return;
  const why = 'has a check that was made with other options for creating and bans, or by an older rollcall';
  throw new NoCheckYet(id, why, 'check it again with the options that it has now');
}
