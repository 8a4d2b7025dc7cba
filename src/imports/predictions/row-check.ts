import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ledgerFile } from '../../platform/data-dir.ts';
import { attachForReading, readIfThere, statementsOf } from '../../platform/sqlite.ts';
import type { ImportOptions } from '../import-options.ts';
import { IMPORT_SCHEMA, SURVEY_SCHEMA } from '../schemas.ts';

/** The check's predictions for the rows of the ledger beside it, such as `add` or `fail:NO_NAME`. */

/** Tables of `check.sqlite`, which the feature `check` writes. */
export const CHECK_SCHEMA = [SURVEY_SCHEMA, new URL('check-schema.sql', import.meta.url)];
const STATEMENTS = new URL('row-check.sql', import.meta.url);

/** Attaches the check in the folder of an import as `checked`, to be read; false where there is none. */
export function attachCheck(database: DatabaseSync, folder: string) {
  const { check } = checkFiles(folder);
  if (!existsSync(check)) return false;
  attachForReading(database, check, 'checked', CHECK_SCHEMA);
  return true;
}

/** Returns the state of the check of an import, and the options that its verdicts depend on; undefined if there is none. */
export function checkRun(folder: string) {
  const [run] = asked<{ readonly state: string; readonly options: string | null }>(folder, 'run');
  return run;
}

/** Returns the options on which the verdicts of a check depend. Limits do not change them. */
export function optionsOfCheck({ create, bans }: Pick<ImportOptions, 'create' | 'bans'>) {
  return JSON.stringify({ create: create === undefined ? null : { ...create, max: null }, keepsBans: bans === 'keep' });
}

interface Prediction {
  readonly row_id: number;
  readonly verdict: string;
  readonly code: string;
}

/** Rows with a verdict, with a code behind a colon or without; none where nothing was checked. */
export function rowsOfCheck(ledger: DatabaseSync, wanted: string) {
  const [verdict = '', code = null] = wanted.split(':', 2);
  return asked<Prediction>(folderOf(ledger), 'rows_of_verdict', { verdict, code }).map(({ row_id }) => row_id);
}

/** The verdicts of these rows; those that were not checked have none. */
export function checkOfRows(ledger: DatabaseSync, rows: readonly number[]): ReadonlyMap<number, string> {
  const verdicts = asked<Prediction>(folderOf(ledger), 'verdicts_of_rows', { rows: JSON.stringify(rows) });
  return new Map(verdicts.map(({ row_id, verdict, code }) => [row_id, code === '' ? verdict : `${verdict}:${code}`]));
}

/** Counts the rows of an import that were left out, because they would fail or were edited. */
export function leftOutOf(folder: string) {
  return readIfThere(checkFiles(folder).ledger, IMPORT_SCHEMA, 0, (ledger) =>
    Number(statementsOf(ledger, STATEMENTS)('left_out').get()?.['n']),
  );
}

function folderOf(ledger: DatabaseSync) {
  return dirname(ledger.location() ?? '');
}

/** Asks the check in the folder of an import. */
function asked<Row>(folder: string, statement: string, values: Readonly<Record<string, string | null>> = {}) {
  return readIfThere<Row[]>(checkFiles(folder).check, CHECK_SCHEMA, [], (check) =>
    statementsOf(check, STATEMENTS)<Row>(statement).all(values),
  );
}

/** Files of a check, in the folder of its import. */
export const checkFiles = (folder: string) => ({
  ledger: ledgerFile(folder),
  check: join(folder, 'check.sqlite'),
  rows: join(folder, 'check.csv'),
  groups: join(folder, 'check-groups.csv'),
  summary: join(folder, 'check.json'),
});
