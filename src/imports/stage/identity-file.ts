import { writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { option, type Words, words } from '../../errors/named-options.ts';
import { foldId } from '../../membership/membership.ts';
import type { Shape } from '../../options/shape.ts';
import { hashOf } from '../../platform/file-hash.ts';
import { type Statements, statementsOf } from '../../platform/sqlite.ts';
import { csvLine } from '../../text/csv-line.ts';
import { harmless } from '../../text/spreadsheet.ts';
import { type Intake, openIntake } from '../read/intake.ts';
import { IntakeError, listed, shown, shownPath } from '../read/intake-error.ts';
import type { Identities } from '../read/shape/identities.ts';
import { unknownColumn } from '../read/shape/unknown-column.ts';

/** A file that gives the UID for each key, such as an address, by which another file names users. */
export interface IdentitySource {
  readonly path: string;
  /** As the user named it, for messages. */
  readonly name: string;
  /** SHA-256 that its content must have, in hexadecimal; absent: any content. */
  readonly sha256?: string;
}

/** The identities of one staging. */
export interface OpenIdentities extends Identities {
  /** Writes the keys that were not found, each once with its number of rows, ready to be filled in. Writes nothing if all were found. */
  writeUnknown(path: string): Promise<void>;
  close(): void;
}

/** Columns that are keys if none is named; case, spaces, `_` and `-` do not matter. */
const KEY_NAMES = new Set([
  'key',
  'email',
  'emailaddress',
  'mail',
  'login',
  'username',
  'userprincipalname',
  'upn',
  'employeenumber',
  'employeeid',
  'personnelnumber',
  'slackid',
  'sourcedid',
  'externalid',
]);
/** Look-ups that are remembered: most files name the same people again and again. */
const REMEMBERED = 50_000;

/**
 * Reads an identity file: CSV, JSON or NDJSON with a column for the UID and one or several with keys. Keys compare without
 * regard to case. @throws IntakeError BAD_IDENTITIES where one key has two UIDs, or a column is missing
 */
export async function openIdentities(
  { path, name, sha256 }: IdentitySource,
  wanted: NonNullable<Shape['identities']>,
  signal: AbortSignal,
  onRead: () => void = () => {},
): Promise<OpenIdentities> {
  if (sha256 !== undefined && (await hashOf(path)) !== sha256) {
    throw badIdentities(
      `the copy of ${shownPath(name)} that is kept with the import has changed since the import was made`,
      'Import the file again: rows that were read with the one must not be mixed with rows that were read with the other',
    );
  }
  const intake = await openIntake(
    { path, name },
    { format: 'auto', mapping: {}, defaults: { region: 'us' }, lenient: true, signal, onRead },
  );
  // Without a name: a temporary file, which SQLite deletes.
  const database = new DatabaseSync('');
  try {
    const statements = new URL('identities.sql', import.meta.url);
    const make = statementsOf(database, statements);
    database.exec('pragma journal_mode = off; pragma synchronous = off; pragma temp_store = file;');
    make('make_identities').run();
    make('make_unknown').run();
    database.exec('begin');
    const keyColumns = await readAll(intake, wanted, name, make);
    database.exec('commit');
    return identitiesOf(database, make, keyColumns);
  } catch (error) {
    database.close();
    throw error;
  }
}

async function readAll(
  intake: Intake,
  wanted: NonNullable<Shape['identities']>,
  name: string,
  sql: Statements,
): Promise<string[]> {
  const add = sql('add_identity');
  let chosen: Chosen | undefined;
  let known = -1;
  for await (const rows of intake.chunks()) {
    const columns = intake.columns();
    // In JSON, columns appear row by row.
    if (columns.length !== known) chosen = columnsOf(intake, wanted, name);
    known = columns.length;
    if (chosen === undefined) continue;
    for (const { line, original } of rows) {
      const cells: unknown = JSON.parse(original);
      const uid = cellOf(cells, columns, chosen.uid);
      // A person without a UID counts as not known.
      if (uid === '') continue;
      for (const column of chosen.keys) {
        const written = cellOf(cells, columns, column);
        if (written === '') continue;
        const key = written.toLowerCase();
        if (Number(add.run({ key, uid, line }).changes) === 1) continue;
        const earlier = sql('identity').get({ key });
        if (foldId(String(earlier?.['uid'])) === foldId(uid)) continue;
        throw badIdentities(
          `${shownPath(name)} has two UIDs for ${shown(written)}: ${shown(String(earlier?.['uid']))} in row ${earlier?.['line']} and ${shown(uid)} in row ${line}`,
          'Correct one of them: it is not clear which of the two is meant',
        );
      }
    }
  }
  return [...(chosen?.keys ?? [])];
}

interface Chosen {
  readonly uid: string;
  readonly keys: readonly string[];
}

function columnsOf(intake: Intake, { keys, uid }: NonNullable<Shape['identities']>, name: string): Chosen {
  const columns = intake.columns().map((column) => column.trim());
  const require = (column: string, reader: string) => {
    if (columns.includes(column)) return column;
    const { what, remedy } = unknownColumn(column, reader, columns).details;
    throw badIdentities(what.replace('the input', shownPath(name)), remedy);
  };
  const uidColumn = uid === undefined ? intake.recognised.uid?.trim() : require(uid, 'the UID');
  if (uidColumn === undefined) {
    throw badIdentities(
      `${shownPath(name)} has no column for the uid; the columns are ${listed(columns)}`,
      words`Name it with ${option('identityUid')}`,
    );
  }
  if (keys !== undefined) return { uid: uidColumn, keys: keys.map((key) => require(key, 'a key')) };
  const others = columns.filter((column) => column !== uidColumn && !column.startsWith('_'));
  const recognised = others.filter((column) => KEY_NAMES.has(column.toLowerCase().replace(/[\s_-]/g, '')));
  if (recognised.length > 0) return { uid: uidColumn, keys: recognised };
  if (others.length === 1) return { uid: uidColumn, keys: others };
  throw badIdentities(
    `it is not clear which columns of ${shownPath(name)} are keys; the columns are ${listed(columns)}`,
    words`Name them, such as ${option('identityKey', 'email')}`,
  );
}

function cellOf(row: unknown, columns: readonly string[], column: string): string {
  const value: unknown = Array.isArray(row)
    ? row[columns.findIndex((name) => name.trim() === column)]
    : (row as Readonly<Record<string, unknown>>)[column];
  if (typeof value === 'string') return value.trim();
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function identitiesOf(database: DatabaseSync, sql: Statements, keyColumns: readonly string[]): OpenIdentities {
  const remembered = new Map<string, string>();
  let unknown = 0;
  return {
    uidOf: (written) => {
      const key = written.trim().toLowerCase();
      const known = remembered.get(key);
      if (known !== undefined) return known;
      const uid = sql('identity').get({ key })?.['uid'];
      if (uid === undefined) {
        unknown += 1;
        sql('add_unknown').run({ key, written: written.trim() });
        return undefined;
      }
      if (remembered.size >= REMEMBERED) remembered.clear();
      remembered.set(key, String(uid));
      return String(uid);
    },
    writeUnknown: async (path) => {
      if (unknown === 0) return;
      await writeFile(path, unknownLines(sql, keyColumns[0] ?? 'key'), { mode: 0o600 });
    },
    close: () => database.close(),
  };
}

function* unknownLines(sql: Statements, keyColumn: string): Generator<string> {
  yield csvLine([keyColumn, 'uid', 'rows'], ',');
  for (const { written, n } of sql('unknown').iterate()) yield csvLine([harmless(String(written)), '', String(n)], ',');
}

function badIdentities(what: string, remedy: Words): IntakeError {
  return new IntakeError({ code: 'BAD_IDENTITIES', what, remedy });
}
