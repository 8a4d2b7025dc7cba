import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ledgerFile } from '../platform/data-dir.ts';
import { attachForReading, openForReading, statementsOf } from '../platform/sqlite.ts';
import { IMPORT_SCHEMA } from './schemas.ts';

/** Rows that people edit (src/features/correct). They are sent with their edits, in an import of their own, and in no other way. */

export const CORRECTIONS_SCHEMA = new URL('corrections-schema.sql', import.meta.url);
const STATEMENTS = new URL('corrected-rows.sql', import.meta.url);

/** Returns the path of an import's edits. @param folder of the import */
export function correctionsFile(folder: string) {
  return join(folder, 'corrections.sqlite');
}

function attachCorrections(ledger: DatabaseSync, folder: string) {
  if (!existsSync(correctionsFile(folder))) return false;
  attachForReading(ledger, correctionsFile(folder), 'corrections', CORRECTIONS_SCHEMA);
  return true;
}

/** Adds the rows that have edits to `temp.left_out`: they are not sent as the file has them. */
export function findEdited(ledger: DatabaseSync, { folder }: { readonly folder: string }) {
  if (attachCorrections(ledger, folder)) statementsOf(ledger, STATEMENTS)('find_edited').run();
}

/** Lines of the rows that were sent with their edits; undefined where nobody has edited a row. */
export function linesSentEdited(folder: string) {
  if (!existsSync(correctionsFile(folder))) return undefined;
  using ledger = openForReading(ledgerFile(folder), IMPORT_SCHEMA);
  attachCorrections(ledger, folder);
  const found = statementsOf(ledger, STATEMENTS)('sent_lines').all();
  return new Set(found.map(({ line }) => Number(line)));
}

/** The running work on the rows of each import: the process that owns the data directory does it one after the other. */
const turns = new Map<string, Promise<unknown>>();

/** Does a piece of work on the rows of an import when those that were asked for before are done. */
export async function inTurn<Result>(id: string, work: () => Promise<Result>) {
  const before = Promise.resolve(turns.get(id)).catch(() => {});
  const turn = before.then(work);
  turns.set(id, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(id) === turn) turns.delete(id);
  }
}
