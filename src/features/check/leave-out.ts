import type { DatabaseSync } from 'node:sqlite';
import { MAX_UIDS_PER_CALL } from '../../chat/service/limits.ts';
import { checkFiles } from '../../imports/check-paths.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import type { UnsentImport, WorkLeft } from '../../imports/life/feature.ts';
import { actionId, scopeId } from '../../imports/record/enum-ids.ts';
import { IMPORT_MIGRATIONS } from '../../imports/schemas.ts';
import { cutAgain } from '../../imports/stage/cut.ts';
import {
  attachForReading,
  inTransaction,
  openForReading,
  openForWriting,
  statementsOf,
} from '../../platform/sqlite.ts';
import { NoCheckYet } from './check-errors.ts';
import { CHECK_MIGRATIONS, readCheck } from './check-ledger.ts';
import { reasonOf } from './check-summary.ts';

const STATEMENTS = new URL('leave-out.sql', import.meta.url);

/** Returns the options on which the verdicts of a check depend. Limits do not change them. */
export function optionsOfCheck({ create, bans }: Pick<ImportOptions, 'create' | 'bans'>): string {
  return JSON.stringify({ create: create === undefined ? null : { ...create, max: null }, keepsBans: bans === 'keep' });
}

/**
 * Gives rows that would fail, as the check of the import says, the outcome `skipped`, in one transaction: a crash leaves
 * out all of them or none. The other rows of their batches are cut into batches again. Doing it once more changes nothing.
 * @returns how many rows were left out
 * @throws NoCheckYet
 */
export function leaveOutFailing(checked: UnsentImport): number {
  requireCheck(checked);
  const database = openForWriting(checkFiles(checked.folder).ledger, IMPORT_MIGRATIONS);
  try {
    attachCheck(database, checked);
    return inTransaction(database, () => leaveOut(database));
  } finally {
    database.close();
  }
}

function leaveOut(database: DatabaseSync): number {
  const sql = statementsOf(database, STATEMENTS);
  sql('find_failing').run();
  let rows = 0;
  for (const { code, n } of sql<{ code: string; n: number }>('codes').all()) {
    const message = `not sent: the check found that ${reasonOf(code)} (${code})`;
    sql('skip').run({ code, message });
    rows += n;
  }
  if (rows === 0) return 0;
  sql('count_skipped').run();
  sql('forget_messages').run();
  cutAgain(database);
  return rows;
}

/** Returns the work of sending all rows except those that would fail, by region. @throws NoCheckYet */
export function workWithoutFailing(checked: UnsentImport): WorkLeft[] {
  requireCheck(checked);
  const database = openForReading(checkFiles(checked.folder).ledger, IMPORT_MIGRATIONS);
  try {
    attachCheck(database, checked);
    const given = { add: actionId('add'), size: MAX_UIDS_PER_CALL, ban: scopeId('ban') };
    return statementsOf(database, STATEMENTS)<WorkLeft>('work_left').all(given);
  } finally {
    database.close();
  }
}

function attachCheck(database: DatabaseSync, { folder }: UnsentImport): void {
  attachForReading(database, checkFiles(folder).check, 'checked', CHECK_MIGRATIONS);
}

/** Only a check that is done, and was made with the same options, says which rows would fail. */
function requireCheck({ id, folder, options }: UnsentImport): void {
  const check = readCheck(folder, (checked) => ({
    ...checked.record(),
    options: checked.sql('options').get()?.['options'],
  }));
  if (check === undefined) throw new NoCheckYet(id, 'was not checked with the service', 'check it first');
  if (check.state !== 'done') throw new NoCheckYet(id, 'has a check that is not done', 'continue the check');
  if (check.options === optionsOfCheck(options)) return;
  const why = 'has a check that was made with other options for creating and bans, or by an older rollcall';
  throw new NoCheckYet(id, why, 'check it again with the options that it has now');
}
