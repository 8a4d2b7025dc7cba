import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DEFAULT_REGION } from '../../chat/service/regions.ts';
import { option, type Words, words } from '../../errors/named-options.ts';
import { foldId, REGIONS, type Region, SCOPES, type Scope } from '../../membership/membership.ts';
import { type ByLookup, LOOKUPS, type LookupName, mapLookupsInTurn } from '../../options/lookups.ts';
import type { Shape } from '../../options/shape.ts';
import { hashOf } from '../../platform/files.ts';
import { type Statements, statementsOf } from '../../platform/sqlite.ts';
import { writeTable } from '../../platform/table.ts';
import { bareWord, sameWord } from '../../text/same-text.ts';
import { unknownColumn } from '../read/columns.ts';
import { openIntake } from '../read/intake.ts';
import { intakeError, listed, shown, shownPath } from '../read/intake-error.ts';
import type { Intake } from '../read/intake-options.ts';
import { scopeOfWord } from '../read/membership-row.ts';
import type { Lookup, Target } from '../read/shape/parties.ts';

/** A file that gives the UID, or the groups, for each key by which another file names users or groups. */
export interface LookupSource {
  readonly path: string;
  /** The name that the user gave, for messages. */
  readonly name: string;
  /** SHA-256 that its content must have, in hexadecimal; absent: any content. */
  readonly sha256?: string;
}

interface OpenLookup extends Lookup, Disposable {
  writeUnknown(path: string): Promise<void>;
}

/** Opens the files that the shape looks up in, for one staging. To be disposed of. @throws as `openLookup` */
export async function openLookups(
  shape: Shape | undefined,
  sources: ByLookup<LookupSource>,
  signal: AbortSignal,
  onRead: () => void = () => {},
) {
  using closing = new DisposableStack();
  const open = await mapLookupsInTurn(sources, async (source, lookup) => {
    const wanted = wantedColumns(shape, lookup);
    return wanted && closing.use(await openLookup(lookup, source, wanted, signal, onRead));
  });
  const disposable = closing.move();
  return {
    open,
    /** Writes the keys that were not found into a folder, each once with its number of rows, ready to be filled in. Writes nothing if all were found. */
    writeUnknown: async (folder: string) => {
      await mapLookupsInTurn(open, (one, lookup) => one.writeUnknown(join(folder, LOOKUPS[lookup].unknown)));
    },
    [Symbol.dispose]: () => disposable.dispose(),
  };
}

/** The shape's settings for the columns of such a file. */
interface WantedColumns {
  readonly keys?: readonly string[] | undefined;
  readonly id?: string | undefined;
}

function wantedColumns(shape: Shape | undefined, lookup: LookupName): WantedColumns | undefined {
  if (lookup === 'groups') return shape?.groups && { keys: shape.groups.keys, id: shape.groups.guid };
  return shape?.identities && { keys: shape.identities.keys, id: shape.identities.uid };
}

/** Columns that are keys if none is named; case, spaces, `_` and `-` do not matter. */
const KEY_NAMES = ['key', 'email', 'emailaddress', 'mail', 'sourcedid', 'externalid'];
/** Look-ups that are remembered: most files name the same people and groups again and again. */
const REMEMBERED = 50_000;
const NOT_FOUND: readonly Target[] = [];

interface Opening {
  readonly lookup: LookupName;
  readonly name: string;
  readonly wanted: WantedColumns;
  readonly sql: Statements;
}

/**
 * Reads an identity or group file: CSV, JSON or NDJSON with a column for the id and one or several with keys. Keys compare
 * without regard to case. @throws IntakeError BAD_IDENTITIES, BAD_GROUPS where it contradicts itself, or lacks a column
 */
async function openLookup(
  lookup: LookupName,
  { path, name, sha256 }: LookupSource,
  wanted: WantedColumns,
  signal: AbortSignal,
  onRead: () => void,
): Promise<OpenLookup> {
  if (sha256 !== undefined && (await hashOf(path)) !== sha256) {
    throw badFile(
      lookup,
      `the copy of ${shownPath(name)} that is kept with the import has changed since the import was made`,
      'Import the file again: rows that were read with the one must not be mixed with rows that were read with the other',
    );
  }
  const intake = await openIntake(
    { path, name },
    { format: 'auto', map: {}, region: DEFAULT_REGION, lenient: true, signal, onRead },
  );
  // Without a name: a temporary file, which SQLite deletes.
  const database = new DatabaseSync('');
  try {
    const sql = statementsOf(database, new URL('lookup.sql', import.meta.url));
    database.exec('pragma journal_mode = off; pragma synchronous = off; pragma temp_store = file;');
    sql('make_targets').run();
    sql('make_unknown').run();
    database.exec('begin');
    const opening = { lookup, name, wanted, sql };
    const keyColumns = await readAll(intake, opening);
    database.exec('commit');
    refuseContradictions(opening);
    return lookupIn(database, opening, keyColumns);
  } catch (error) {
    database.close();
    throw error;
  }
}

async function readAll(intake: Intake, opening: Opening): Promise<readonly string[]> {
  const { isMany } = LOOKUPS[opening.lookup];
  const add = opening.sql('add_target');
  let chosen: Chosen | undefined;
  let known = -1;
  for await (const rows of intake.chunks()) {
    const columns = intake.columns();
    // In JSON, columns appear row by row.
    if (columns.length !== known) chosen = chosenColumns(intake, opening);
    known = columns.length;
    if (chosen === undefined) continue;
    const { keys, id: idColumn, scope, region } = chosen;
    for (const { line, original } of rows) {
      const cells: unknown = JSON.parse(original);
      const cell = (column: string | undefined) => (column === undefined ? '' : cellOf(cells, columns, column));
      const id = cell(idColumn);
      // A person without a UID, or a group without a GUID, counts as not known.
      if (id === '') continue;
      const target = {
        id,
        line,
        folded: foldId(id),
        scope: wordIn('scope', cell(scope), line, opening),
        region: wordIn('region', cell(region), line, opening),
      };
      for (const [index, column] of keys.entries()) {
        const key = sameWord(cell(column));
        // Whatever column has it, a key of one id is the same.
        if (key !== '') add.run({ ...target, key, field: isMany ? index : 0 });
      }
    }
  }
  return chosen?.keys ?? [];
}

/** The words that a column may have in place of those of the row. */
const WORDS = {
  scope: { read: scopeOfWord, allowed: SCOPES },
  region: { read: (text: string) => REGIONS.find((region) => region === text.toLowerCase()), allowed: REGIONS },
};

function wordIn(kind: keyof typeof WORDS, text: string, line: number, { lookup, name }: Opening): Scope | Region | '' {
  const { read, allowed } = WORDS[kind];
  const word = text === '' ? '' : read(text);
  if (word !== undefined) return word;
  throw badFile(
    lookup,
    `${shownPath(name)} has the ${kind} ${shown(text)} in row ${line}; allowed are ${allowed.join(', ')}, or nothing for that of the row`,
    `Correct it, or rename the column if it does not hold ${kind}s`,
  );
}

/** @throws IntakeError for a key of which it is not clear what it stands for */
function refuseContradictions({ lookup, name, sql }: Opening) {
  const { isMany, field, columns } = LOOKUPS[lookup];
  const ids = `${field.toUpperCase()}s`;
  const found = (statement: string) => sql(statement).get()?.['key'];
  const refuse = (key: unknown, remedy: Words, what: (one: string, other: string) => string) => {
    const all = sql('targets').all({ key: String(key) });
    const [one = '', other = ''] = [all[0], all.at(-1)].map(
      (target) => `${shown(String(target?.['id']))} in row ${target?.['line']}`,
    );
    throw badFile(lookup, `${shownPath(name)} ${what(one, other)}`, remedy);
  };
  const unclear = 'Correct one of them: it is not clear which of the two is meant';
  const ofTwo = isMany ? undefined : found('key_of_two');
  if (ofTwo !== undefined) {
    refuse(ofTwo, unclear, (one, other) => `has two ${ids} for ${shown(String(ofTwo))}: ${one} and ${other}`);
  }
  const ofScopes = found('key_of_two_scopes');
  if (ofScopes !== undefined) {
    const what = `${shownPath(name)} gives ${shown(String(ofScopes))} two scopes in one group`;
    throw badFile(lookup, what, 'Leave one of its rows out');
  }
  const ofColumns = found('key_of_two_columns');
  if (ofColumns === undefined) return;
  const nameOne = words`Correct one of them, or name the one column to look in with ${option(columns.keys)}`;
  refuse(
    ofColumns,
    nameOne,
    (one, other) => `has ${shown(String(ofColumns))} in two columns, and not for the same groups: ${one} and ${other}`,
  );
}

interface Chosen {
  readonly id: string;
  readonly keys: readonly string[];
  readonly scope: string | undefined;
  readonly region: string | undefined;
}

function chosenColumns(intake: Intake, { lookup, name, wanted: { keys, id: idColumn } }: Opening): Chosen {
  const { field, isMany, columns: options, exampleKey, keyNames } = LOOKUPS[lookup];
  const columns = intake.columns().map((column) => column.trim());
  const require = (column: string, reader: string) => {
    if (columns.includes(column)) return column;
    const { what, facts } = unknownColumn(column, reader, columns);
    throw badFile(lookup, what.replace('the input', shownPath(name)), facts.remedy);
  };
  const id =
    idColumn === undefined ? intake.recognised[field]?.trim() : require(idColumn, `the ${field.toUpperCase()}`);
  if (id === undefined) {
    throw badFile(
      lookup,
      `${shownPath(name)} has no column for the ${field}; the columns are ${listed(columns)}`,
      words`Name it with ${option(options.id)}`,
    );
  }
  const { scope, region } = isMany ? intake.recognised : {};
  const found = { id, scope: scope?.trim(), region: region?.trim() };
  if (keys !== undefined) return { ...found, keys: keys.map((key) => require(key, 'a key')) };
  const used = Object.values(found);
  const others = columns.filter((column) => !used.includes(column) && !column.startsWith('_'));
  const names = new Set<string>([...KEY_NAMES, ...keyNames]);
  const recognised = others.filter((column) => names.has(bareWord(column)));
  if (recognised.length > 0) return { ...found, keys: recognised };
  if (others.length === 1) return { ...found, keys: others };
  throw badFile(
    lookup,
    `it is not clear which columns of ${shownPath(name)} are keys; the columns are ${listed(columns)}`,
    words`Name them, such as ${option(options.keys, exampleKey)}`,
  );
}

function cellOf(row: unknown, columns: readonly string[], column: string) {
  const value: unknown = Array.isArray(row)
    ? row[columns.findIndex((name) => name.trim() === column)]
    : (row as Readonly<Record<string, unknown>>)[column];
  if (typeof value === 'string') return value.trim();
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function lookupIn(database: DatabaseSync, { lookup, sql }: Opening, keyColumns: readonly string[]): OpenLookup {
  const remembered = new Map<string, readonly Target[]>();
  let unknown = 0;
  return {
    find: (written) => {
      const key = sameWord(written);
      const known = remembered.get(key);
      if (known !== undefined) return known;
      const found = sql('targets').all({ key }).map(targetOf);
      if (found.length === 0) {
        unknown += 1;
        sql('add_unknown').run({ key, written: written.trim() });
        return NOT_FOUND;
      }
      if (remembered.size >= REMEMBERED) remembered.clear();
      remembered.set(key, found);
      return found;
    },
    writeUnknown: async (path) => {
      if (unknown === 0) return;
      const header = [keyColumns[0] ?? 'key', LOOKUPS[lookup].field, 'rows'];
      await writeFile(path, unknownFile(sql, header), { mode: 0o600 });
    },
    [Symbol.dispose]: () => database.close(),
  };
}

function targetOf({ id, scope, region }: Readonly<Record<string, unknown>>): Target {
  return {
    id: String(id),
    ...(scope !== '' && { scope: scope as Scope }),
    ...(region !== '' && { region: region as Region }),
  };
}

function unknownFile(sql: Statements, header: readonly string[]): Generator<string> {
  const rows = Iterator.from(sql('unknown').iterate()).map(({ written, n }) => [String(written), '', n]);
  return writeTable(header, rows, 'csv');
}

function badFile(lookup: LookupName, what: string, remedy: Words) {
  return intakeError(LOOKUPS[lookup].code, what, remedy);
}
