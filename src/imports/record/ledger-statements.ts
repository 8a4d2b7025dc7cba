import type { DatabaseSync } from 'node:sqlite';
import { type Statements, statementsOf } from '../../platform/sqlite.ts';

const FILES = [
  new URL('import.sql', import.meta.url),
  new URL('creating.sql', import.meta.url),
  new URL('bans.sql', import.meta.url),
];

/** Statements on the ledger of an import: to send it, to create what it needs, and on who is banned. */
export function ledgerStatements(database: DatabaseSync): Statements {
  const sql = statementsOf(database, FILES);
  for (const view of ['open_members', 'open_to_ask']) sql(view).run();
  return sql;
}
