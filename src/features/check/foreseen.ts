import { RollcallError } from '../../errors/rollcall-error.ts';
import type { Foreseen } from '../../imports/life/feature.ts';
import { reasonOf } from '../../imports/predictions/check-verdict.ts';
import { attachCheck } from '../../imports/predictions/row-check.ts';
import type { FindLeftOut, UnsentImport } from '../../imports/stage/leave-out.ts';
import { statementsOf } from '../../platform/sqlite.ts';
import { CHECK_STATEMENTS, readCheck } from './check-ledger.ts';
import { optionsOfCheck } from './check-summary.ts';
import { checkSummaryOf } from './checks.ts';

/** It is not known which rows of an import would fail. */
class NoCheckYet extends RollcallError {
  /** @param why completes "import … " @param remedy what to do, in a few words */
  constructor(id: string, why: string, remedy: string) {
    super('NO_CHECK_YET', `import ${id} ${why}, so it is not known which rows would fail; nothing was sent`, {
      remedy: `${remedy}: \`rollcall check ${id}\``,
      facts: { id },
    });
  }
}

/** Rows that would fail, as the check of the import says. @throws NoCheckYet */
export const findFailing: FindLeftOut = (ledger, unsent) => {
  requireCheck(unsent);
  attachCheck(ledger, unsent.folder);
  const sql = statementsOf(ledger, CHECK_STATEMENTS);
  for (const { code } of sql<{ code: string }>('failing_codes').all()) {
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

/** Predictions about sending an import, from its check. */
export const foreseen: Foreseen = {
  missing: async (folder) => (await checkSummaryOf(folder))?.create?.missing,
  failing: findFailing,
};
