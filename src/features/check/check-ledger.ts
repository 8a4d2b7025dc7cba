import { rmSync } from 'node:fs';
import { CHECK_SCHEMA, checkFiles } from '../../imports/predictions/row-check.ts';
import { IMPORT_SCHEMA } from '../../imports/schemas.ts';
import { Survey } from '../../imports/survey/survey.ts';
import { attachForReading, openForWriting, type Statements, statementsOf } from '../../platform/sqlite.ts';

const CHECK_STATEMENTS = new URL('check-ledger.sql', import.meta.url);

/** The file of a check. The ledger of the import is attached as `staged`. */
export interface CheckLedger {
  readonly survey: Survey<'done'>;
  /** Statements of a check's beginning and end. */
  readonly sql: Statements;
}

/** Starts a new check, beside the ledger of a staged import. */
export function createCheckLedger(folder: string): CheckLedger {
  const { check } = checkFiles(folder);
  for (const ending of ['', '-wal', '-shm']) rmSync(`${check}${ending}`, { force: true });
  const ledger = openCheckLedger(folder);
  ledger.survey.begin();
  return ledger;
}

export function openCheckLedger(folder: string): CheckLedger {
  const { check, ledger } = checkFiles(folder);
  const database = openForWriting(check, CHECK_SCHEMA, 'soon');
  try {
    attachForReading(database, ledger, 'staged', IMPORT_SCHEMA);
    const sql = statementsOf(database, CHECK_STATEMENTS);
    for (const view of ['open_checked', 'open_results', 'open_growing', 'open_named']) sql(view).run();
    return { survey: new Survey(database), sql };
  } catch (error) {
    database.close();
    throw error;
  }
}
