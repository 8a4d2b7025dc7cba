import { existsSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { checkFiles } from '../../imports/predictions/check-paths.ts';
import { CHECK_SCHEMA } from '../../imports/predictions/row-check.ts';
import { scopeId, scopeOf } from '../../imports/record/enum-ids.ts';
import { IMPORT_SCHEMA } from '../../imports/schemas.ts';
import { Survey } from '../../imports/survey/survey.ts';
import {
  attachForReading,
  openForReading,
  openForWriting,
  type Statements,
  statementsOf,
} from '../../platform/sqlite.ts';

/** A user's place in a group, as a number: that of the scope in the ledger, or one of these. */
export const BANNED = scopeId('ban');
export const OUTSIDE = 0;
export const OTHER_SCOPE = 9;

/** In words, for people. */
export function placeWord(place: number): string {
  if (place === OUTSIDE) return 'not a member';
  if (place === BANNED) return 'banned';
  return place === OTHER_SCOPE ? 'another scope' : scopeOf(place);
}

const CHECK_STATEMENTS = new URL('check-ledger.sql', import.meta.url);

/** The file of a check. The ledger of the import is attached as `staged`. */
export interface CheckLedger {
  readonly survey: Survey<'done'>;
  /** Statements of a check's beginning and end. */
  readonly sql: Statements;
}

/** Starts a new check, beside the ledger of a staged import; `fillCheck` adds what it asks about. */
export function createCheckLedger(folder: string): CheckLedger {
  const { check } = checkFiles(folder);
  for (const ending of ['', '-wal', '-shm']) rmSync(`${check}${ending}`, { force: true });
  const ledger = openCheckLedger(folder);
  ledger.survey.begin();
  return ledger;
}

export function openCheckLedger(folder: string): CheckLedger {
  return ledgerOf(openForWriting(checkFiles(folder).check, CHECK_SCHEMA, 'soon'), folder);
}

/** Results of a check; undefined if there is none. */
export function readCheck<Result>(folder: string, read: (ledger: CheckLedger) => Result): Result | undefined {
  const { check } = checkFiles(folder);
  if (!existsSync(check)) return undefined;
  const ledger = ledgerOf(openForReading(check, CHECK_SCHEMA), folder);
  try {
    // A process that was killed at the beginning leaves a file without a survey.
    return ledger.survey.sql('run').get() && read(ledger);
  } finally {
    ledger.survey.close();
  }
}

function ledgerOf(database: DatabaseSync, folder: string): CheckLedger {
  try {
    attachForReading(database, checkFiles(folder).ledger, 'staged', IMPORT_SCHEMA);
    const sql = statementsOf(database, CHECK_STATEMENTS);
    for (const view of ['open_checked', 'open_growing', 'open_inputs', 'open_sent']) sql(view).run();
    return { survey: new Survey(database), sql };
  } catch (error) {
    database.close();
    throw error;
  }
}
