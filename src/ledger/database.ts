import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** SQLite as the ledger uses it: one writer, any number of readers, migrations by number, statements by name. */

/** Page cache per connection in KiB. A bound, so that a ten-million-row import needs no more than a small one. */
const CACHE_KIB = 16_384;

export const CATALOG_MIGRATIONS = new URL('migrations/catalog/', import.meta.url);
export const IMPORT_MIGRATIONS = new URL('migrations/import/', import.meta.url);

export class LedgerError extends Error {
  readonly code: 'NEWER_LEDGER' | 'NO_LEDGER';

  constructor(code: LedgerError['code'], message: string) {
    super(message);
    this.name = 'LedgerError';
    this.code = code;
  }
}

/** Opens a database for writing and brings it to the newest schema of `migrations` (a folder of numbered .sql files). */
export function openForWriting(path: string, migrations: URL): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 10_000 });
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = normal;
    pragma cache_size = -${CACHE_KIB};
    pragma temp_store = file;
    pragma threads = 2;
    pragma foreign_keys = on;
  `);
  migrate(database, migrations, path);
  return database;
}

/** Opens a database that somebody else may be writing. */
export function openForReading(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  database.exec(`pragma cache_size = -${CACHE_KIB}; pragma temp_store = file;`);
  return database;
}

function migrate(database: DatabaseSync, folder: URL, path: string): void {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  const version = Number(database.prepare('pragma user_version').get()?.['user_version']);
  if (version > files.length) {
    throw new LedgerError(
      'NEWER_LEDGER',
      `${path} has schema ${version} and this rollcall knows ${files.length}: it was written by a newer rollcall; use that one`,
    );
  }
  for (const [index, name] of files.entries()) {
    if (index < version) continue;
    inTransaction(database, () => {
      database.exec(readFileSync(new URL(name, folder), 'utf8'));
      database.exec(`pragma user_version = ${index + 1}`);
    });
  }
}

export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('begin immediate');
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/** Statements of a .sql file by the name in the `-- name:` line above each, in the order of the file. */
export function readStatements(file: URL): ReadonlyMap<string, string> {
  const statements = new Map<string, string>();
  for (const part of readFileSync(file, 'utf8')
    .split(/^-- name: /m)
    .slice(1)) {
    const end = part.indexOf('\n');
    statements.set(part.slice(0, end).trim(), part.slice(end + 1).trim());
  }
  return statements;
}

/** Prepares statements of a file on their first use and keeps them. */
export function statementsOf(database: DatabaseSync, file: URL): (name: string) => StatementSync {
  const texts = readStatements(file);
  const prepared = new Map<string, StatementSync>();
  return (name) => {
    let statement = prepared.get(name);
    if (statement === undefined) {
      const text = texts.get(name);
      if (text === undefined) throw new Error(`no statement is named ${name} in ${file.pathname}`);
      statement = database.prepare(text);
      prepared.set(name, statement);
    }
    return statement;
  };
}
