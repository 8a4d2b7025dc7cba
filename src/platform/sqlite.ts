import { createHash } from 'node:crypto';
import { closeSync, existsSync, fchmodSync, fstatSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { RollcallError } from '../errors/rollcall-error.ts';
import { BUSY, busyIn, busyTimeoutMs, damagedFile, missingLedger, sqliteCode } from './database-errors.ts';

/** SQLite as the ledger uses it: one writer, any number of readers, a schema for each kind of database, statements by name. */

/**
 * Page cache per connection in KiB. A bound, so that a ten-million-row import needs no more than a small one. It is also
 * what SQLite sorts at a time: small pieces fit the processor's caches. The system caches the file as well.
 */
const CACHE_KIB = 4_096;

/** Primary result codes of SQLite for a file that cannot be trusted: SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGE: ReadonlySet<number | undefined> = new Set([11, 26]);
/** SQLITE_NOMEM: no memory is left, or a damaged file says that a value is longer than any memory. */
const NOMEM = 7;

/** Other errors of a file that holds what rollcall never writes: the number of its format, names of tables, values of a state, a number above 2^53. */
const STRANGE =
  /^unsupported file format$|^no such (?:column|table): |^table \S+ has no column named |^CHECK constraint failed: |too large to be represented as a JavaScript number/;

/** A database whose errors say which file is held or damaged: SQLite does not, and may notice damage at any statement. */
class NamedDatabase extends DatabaseSync {
  /** Paths of attached databases, by the names under which they are. */
  readonly attached = new Map<string, string>();
  readonly #path: string;

  constructor(path: string, options: { readonly readOnly?: boolean }) {
    super(path, { ...options, timeout: busyTimeoutMs() });
    this.#path = path;
  }

  override exec(sql: string) {
    this.#naming(() => super.exec(sql));
  }

  override prepare(...given: Parameters<DatabaseSync['prepare']>): ReturnType<DatabaseSync['prepare']> {
    const statement = this.#naming(() => super.prepare(...given));
    for (const name of ['run', 'get', 'all'] as const) {
      const method = statement[name];
      Object.assign(statement, {
        [name]: (...values: unknown[]) => this.#naming(() => Reflect.apply(method, statement, values)),
      });
    }
    const { iterate } = statement;
    Object.assign(statement, {
      iterate: (...values: unknown[]) => this.#iterating(() => Reflect.apply(iterate, statement, values)),
    });
    return statement;
  }

  *#iterating<Row>(begin: () => Iterable<Row>): Generator<Row> {
    try {
      yield* begin();
    } catch (error) {
      throw this.#named(error);
    }
  }

  #naming<Result>(use: () => Result): Result {
    try {
      return use();
    } catch (error) {
      throw this.#named(error);
    }
  }

  #named(error: unknown): unknown {
    if (!(error instanceof Error)) return error;
    const code = sqliteCode(error);
    if (code === BUSY) return new RollcallError('DATABASE_BUSY', { path: this.#path }, { cause: error });
    const isDamage = DAMAGE.has(code) || STRANGE.test(error.message);
    if (!isDamage && code !== NOMEM) return error;
    const damaged = this.#damagedPath() ?? (isDamage ? this.#path : undefined);
    return damaged === undefined ? error : damagedFile(damaged, error);
  }

  /** The file that is damaged, as far as SQLite finds it. */
  #damagedPath() {
    const found = [['main', this.#path] as const, ...this.attached].find(([name]) => {
      try {
        return super.prepare(`pragma ${name}.quick_check(1)`).get()?.['quick_check'] !== 'ok';
      } catch (error) {
        return error instanceof Error && DAMAGE.has(sqliteCode(error));
      }
    });
    return found?.[1];
  }
}

/** Makes a file that only its user can read, or removes other users' rights; SQLite gives the files beside it the same mode. */
export function privateFile(path: string) {
  const file = openSync(path, 'a', 0o600);
  try {
    const { mode, uid } = fstatSync(file);
    if ((mode & 0o077) !== 0 && [0, uid].includes(process.getuid?.() ?? -1)) fchmodSync(file, 0o600);
  } finally {
    closeSync(file);
  }
}

/**
 * Opens a database for writing. A new one gets the tables of `schema`.
 * @param commits `on disk`: each is there when it returns, and a power cut cannot take it back; `soon`: a power cut may take
 * the last ones back that `durably` has not followed
 */
export function openForWriting(
  path: string,
  schema: SchemaFiles,
  commits: 'on disk' | 'soon' = 'on disk',
): DatabaseSync {
  privateFile(path);
  const database = new NamedDatabase(path, {});
  return opened(database, () => {
    useWriteAheadLog(database);
    database.exec(`
      pragma synchronous = ${commits === 'on disk' ? 'full' : 'normal'};
      pragma fullfsync = on;
      pragma cache_size = -${CACHE_KIB};
      pragma temp_store = file;
      pragma foreign_keys = on;
    `);
    makeTables(database, schema, path);
  });
}

/** Closes the database again if it cannot be used. */
function opened(database: DatabaseSync, prepare: () => void) {
  try {
    prepare();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Switches to a write-ahead log. For this SQLite does not wait, whatever the timeout says: of several that open a new
 * file at the same moment, all but one may be refused.
 */
function useWriteAheadLog(database: DatabaseSync) {
  const end = performance.now() + busyTimeoutMs();
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (busyIn(error) === undefined || performance.now() > end) throw error;
      Atomics.wait(pause, 0, 0, 5);
    }
  }
}

/**
 * Opens a new file that is thrown away unless it is completed (`closeStaged`): every page is written once, without a
 * journal, so that an error cannot be rolled back and a crash leaves a file that cannot be used.
 * @param pageBytes each table and index takes at least one page: small ones keep a small file small
 */
export function openForStaging(path: string, schema: SchemaFiles, pageBytes: 512 | 4096 = 4096): DatabaseSync {
  if (path !== ':memory:') privateFile(path);
  // Else SQLite keeps its journal, whatever the pragma says.
  const database = new DatabaseSync(path, { defensive: false });
  database.exec(`
    pragma page_size = ${pageBytes};
    pragma journal_mode = off;
    pragma synchronous = off;
    pragma locking_mode = exclusive;
    pragma cache_size = -${CACHE_KIB};
    pragma temp_store = file;
  `);
  makeTables(database, schema, path);
  return database;
}

/** Completes a staged file: from here on it has a journal like any other, and all of it is on disk. */
export function closeStaged(database: DatabaseSync, path: string) {
  database.exec('pragma locking_mode = normal; pragma journal_mode = wal;');
  database.close();
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}

/**
 * Puts a file that will hardly be written again into one piece, without the two files of its write-ahead log. Does
 * nothing while another connection has it open: that one, or the next writer, tidies up.
 */
export function intoOneFile(path: string) {
  if (!existsSync(path)) return;
  using database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('pragma journal_mode = delete');
  } catch {
    // In use, or the disk is full: what is in the file is as it should be.
  }
}

/** Opens a database that another process may be writing. */
export function openForReading(path: string, schema: SchemaFiles): DatabaseSync {
  if (!existsSync(path)) throw missingLedger(path);
  const database = new NamedDatabase(path, { readOnly: true });
  return opened(database, () => {
    // Reads the first page, so that a file that is not a database is reported here and not at some later query.
    database.exec(`pragma cache_size = -${CACHE_KIB}; pragma temp_store = file; pragma schema_version;`);
    // The process that is making it has not made its tables yet.
    if (!hasTables(database, schema, path)) openForWriting(path, schema).close();
  });
}

/** Reads a database where there is one. @param none the answer where there is none */
export function readIfThere<Result>(
  path: string,
  schema: SchemaFiles,
  none: Result,
  read: (database: DatabaseSync) => Result,
): Result {
  if (!existsSync(path)) return none;
  using database = openForReading(path, schema);
  return read(database);
}

/** Reads each page of a database. @throws DAMAGED_LEDGER */
export function checkPages(database: DatabaseSync) {
  const found = String(database.prepare('pragma quick_check(1)').get()?.['quick_check']);
  if (found !== 'ok') throw damagedFile(database.location() ?? '', new Error(found));
}

/** Attaches a database as `openForReading` opens it: SQLite names neither a missing nor a damaged file. */
export function attachForReading(database: DatabaseSync, path: string, name: string, schema: SchemaFiles) {
  openForReading(path, schema).close();
  if (database instanceof NamedDatabase) database.attached.set(name, path);
  database.prepare(`attach ? as ${name}`).run(`${pathToFileURL(path).href}?mode=ro`);
}

/** The .sql file with the tables of a database, or several, of which each may add to those before it. */
export type SchemaFiles = URL | readonly URL[];

/** A schema as SQLite gets it, and its version: a number made from the text, kept in `user_version`. */
interface Schema {
  readonly sql: string;
  readonly version: number;
}

const schemas = new Map<string, Schema>();

/**
 * Reads a schema, once in a process, without comments and line breaks: SQLite stores statements as they are written, and
 * comments would be a third of a small ledger. No text in a schema contains `--`.
 */
function schemaIn(files: SchemaFiles) {
  const all = [files].flat();
  const key = all.map(({ href }) => href).join(' ');
  let schema = schemas.get(key);
  if (schema === undefined) {
    const text = all.map((file) => readFileSync(file, 'utf8')).join('');
    const sql = text.replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ');
    schema = { sql, version: createHash('sha256').update(sql).digest().readInt32BE() };
    schemas.set(key, schema);
  }
  return schema;
}

/** Makes the tables of a new database. @throws UNKNOWN_LEDGER for one that has another schema */
function makeTables(database: DatabaseSync, files: SchemaFiles, path: string) {
  if (hasTables(database, files, path)) return;
  inTransaction(database, () => {
    // Another process or thread may have opened the file at the same moment, and made them.
    if (hasTables(database, files, path)) return;
    const { sql, version } = schemaIn(files);
    database.exec(sql);
    database.exec(`pragma user_version = ${version}`);
  });
}

/** Whether the database has its tables: false for a new one. @throws UNKNOWN_LEDGER */
function hasTables(database: DatabaseSync, files: SchemaFiles, path: string) {
  const version = database.prepare('pragma user_version').get()?.['user_version'];
  if (version === 0) return false;
  if (version === schemaIn(files).version) return true;
  throw new RollcallError('UNKNOWN_LEDGER', { path });
}

/**
 * Does work that is on the disk when it returns, with all that was committed before it: in a database whose commits are there
 * `soon`. It is in the database itself and not in its log only, unless a reader holds that up, so that a lost log takes
 * nothing of it away.
 */
export function durably(database: DatabaseSync, work: () => void) {
  database.exec('pragma synchronous = full');
  try {
    work();
  } finally {
    database.exec('pragma synchronous = normal');
  }
  database.exec('pragma wal_checkpoint(passive)');
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

/** Statements of a .sql file by the `-- name:` above each, without the last semicolon: one may stand inside another. */
export function readStatements(file: URL): ReadonlyMap<string, string> {
  const [, ...parts] = readFileSync(file, 'utf8').split(/^-- name: /m);
  return new Map(
    parts.map((part) => {
      const [name = '', ...lines] = part.split('\n');
      return [name.trim(), lines.join('\n').trim().replace(/;$/, '')];
    }),
  );
}

/** A statement with the form of its rows: what its header in the .sql file says, and its caller reads. */
export interface Statement<Row> extends Pick<StatementSync, 'run' | 'setReturnArrays'> {
  all(given?: Given, ...more: SQLInputValue[]): Row[];
  get(given?: Given, ...more: SQLInputValue[]): Row | undefined;
  iterate(given?: Given, ...more: SQLInputValue[]): IterableIterator<Row>;
}

type Given = SQLInputValue | Readonly<Record<string, SQLInputValue>>;

export type Statements = <Row = Record<string, SQLOutputValue>>(name: string) => Statement<Row>;

/** Prepares statements of a file, or of several, on their first use and keeps them. */
export function statementsOf(database: DatabaseSync, files: URL | readonly URL[]): Statements {
  const texts = new Map([files].flat().flatMap((file) => [...readStatements(file)]));
  const prepared = new Map<string, Statement<never>>();
  return (name) => {
    let statement = prepared.get(name);
    if (statement === undefined) {
      const text = texts.get(name);
      if (text === undefined) throw new Error(`no statement is named ${name} in ${files}`);
      // The only place that casts SQLite's rows to the type that the caller expects.
      statement = database.prepare(text) as unknown as Statement<never>;
      prepared.set(name, statement);
    }
    return statement;
  };
}

/** Reads documents: a statement by its name gives rows of one column, which has the JSON of each. */
export function documentsOf<Document>(sql: Statements, schema: { readonly parse: (value: unknown) => Document }) {
  return (name: string, given: Given = {}): Document[] =>
    sql(name)
      .all(given)
      .map((row) => schema.parse(JSON.parse(String(Object.values(row)[0]))));
}

export function idsOf(rows: readonly { readonly id?: unknown }[]) {
  return rows.map(({ id }) => String(id));
}
