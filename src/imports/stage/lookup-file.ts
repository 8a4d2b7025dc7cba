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
import { cellReader } from '../read/input-row.ts';
import { openIntake } from '../read/intake.ts';
import { intakeError, listed, shown, shownPath } from '../read/intake-error.ts';
import type { Intake, IntakeOptions } from '../read/intake-options.ts';
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

interface OpenLookup extends Lookup {
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
    if (wanted === undefined) return undefined;
    // Without a name: a temporary file, which SQLite deletes.
    const database = closing.use(new DatabaseSync(''));
    return openLookup(database, lookup, source, wanted, { signal, onRead });
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
  database: DatabaseSync,
  lookup: LookupName,
  { path, name, sha256 }: LookupSource,
  wanted: WantedColumns,
  task: Pick<IntakeOptions, 'signal' | 'onRead'>,
): Promise<OpenLookup> {
  if (sha256 !== undefined && (await hashOf(path)) !== sha256) {
    throw badFile(
      lookup,
      `the copy of ${shownPath(name)} that is kept with the import has changed since the import was made`,
      'Import the file again: rows that were read with the one must not be mixed with rows that were read with the other',
    );
  }
  const options = { format: 'auto', map: {}, region: DEFAULT_REGION, lenient: true } as const;
  const intake = await openIntake({ path, name }, { ...options, ...task });
  const sql = statementsOf(database, new URL('lookup.sql', import.meta.url));
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma temp_store = file;');
  sql('make_targets').run();
  sql('make_unknown').run();
  const opening = { lookup, name, wanted, sql };
  database.exec('begin');
  const [firstKey = 'key'] = await readAll(intake, opening);
  database.exec('commit');
  refuseContradictions(opening);
  return lookupIn(opening, firstKey);
}

async function readAll(intake: Intake, opening: Opening): Promise<readonly string[]> {
  const { isMany } = LOOKUPS[opening.lookup];
  const add = opening.sql('add_target');
  let chosen: Chosen | undefined;
  let known = -1;
  for await (const rows of intake.chunks()) {
    const columns = intake.columns().map((column) => column.trim());
    // In JSON, columns appear row by row.
    if (columns.length !== known) chosen = chosenColumns(columns, intake, opening);
    known = columns.length;
    if (chosen === undefined) continue;
    const { keys, id: idColumn, scope, region } = chosen;
    for (const { line, original } of rows) {
      const cellAt = cellReader(original, columns);
      const cell = (column: string | undefined) => (column === undefined ? '' : cellAt(columns.indexOf(column)));
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
  const refuse = (statement: string, remedy: Words, what: (key: string, one: string, other: string) => string) => {
    const key = sql<{ key: string }>(statement).get()?.key;
    if (key === undefined) return;
    const all = sql<FoundTarget>('targets').all({ key });
    const [one = '', other = ''] = [all[0], all.at(-1)].map(
      (target) => target && `${shown(target.id)} in row ${target.line}`,
    );
    throw badFile(lookup, `${shownPath(name)} ${what(shown(key), one, other)}`, remedy);
  };
  if (!isMany) {
    refuse(
      'key_of_two',
      'Correct one of them: it is not clear which of the two is meant',
      (key, one, other) => `has two ${field.toUpperCase()}s for ${key}: ${one} and ${other}`,
    );
  }
  refuse('key_of_two_scopes', 'Leave one of its rows out', (key) => `gives ${key} two scopes in one group`);
  refuse(
    'key_of_two_columns',
    words`Correct one of them, or name the one column to look in with ${option(columns.keys)}`,
    (key, one, other) => `has ${key} in two columns, and not for the same groups: ${one} and ${other}`,
  );
}

interface Chosen {
  readonly id: string;
  readonly keys: readonly string[];
  readonly scope: string | undefined;
  readonly region: string | undefined;
}

function chosenColumns(
  columns: readonly string[],
  intake: Intake,
  { lookup, name, wanted: { keys, id: idColumn } }: Opening,
): Chosen {
  const { field, isMany, columns: options, exampleKey, keyNames } = LOOKUPS[lookup];
  const found = intake.recognised();
  const require = (column: string, reader: string) => {
    if (columns.includes(column)) return column;
    const { what, facts } = unknownColumn(column, reader, columns);
    throw badFile(lookup, what.replace('the input', shownPath(name)), facts.remedy);
  };
  const id = idColumn === undefined ? found[field]?.trim() : require(idColumn, `the ${field.toUpperCase()}`);
  if (id === undefined) {
    throw badFile(
      lookup,
      `${shownPath(name)} has no column for the ${field}; the columns are ${listed(columns)}`,
      words`Name it with ${option(options.id)}`,
    );
  }
  const { scope, region } = isMany ? found : {};
  const chosen = { id, scope: scope?.trim(), region: region?.trim() };
  if (keys !== undefined) return { ...chosen, keys: keys.map((key) => require(key, 'a key')) };
  const used = Object.values(chosen);
  const others = columns.filter((column) => !used.includes(column) && !column.startsWith('_'));
  const names = new Set<string>([...KEY_NAMES, ...keyNames]);
  const recognised = others.filter((column) => names.has(bareWord(column)));
  if (recognised.length > 0) return { ...chosen, keys: recognised };
  if (others.length === 1) return { ...chosen, keys: others };
  throw badFile(
    lookup,
    `it is not clear which columns of ${shownPath(name)} are keys; the columns are ${listed(columns)}`,
    words`Name them, such as ${option(options.keys, exampleKey)}`,
  );
}

interface FoundTarget {
  readonly id: string;
  readonly scope: Scope | '';
  readonly region: Region | '';
  readonly line: number;
}

function lookupIn({ lookup, sql }: Opening, firstKey: string): OpenLookup {
  const remembered = new Map<string, readonly Target[]>();
  let unknown = 0;
  return {
    find: (written) => {
      const key = sameWord(written);
      const known = remembered.get(key);
      if (known !== undefined) return known;
      const found = sql<FoundTarget>('targets').all({ key });
      if (found.length === 0) {
        unknown += 1;
        sql('add_unknown').run({ key, written: written.trim() });
        return NOT_FOUND;
      }
      if (remembered.size >= REMEMBERED) remembered.clear();
      const targets = found.map(({ id, scope, region }) => ({
        id,
        ...(scope !== '' && { scope }),
        ...(region !== '' && { region }),
      }));
      remembered.set(key, targets);
      return targets;
    },
    writeUnknown: async (path) => {
      if (unknown === 0) return;
      const rows = Iterator.from(sql('unknown').iterate()).map(({ written, n }) => [String(written), '', n]);
      await writeFile(path, writeTable([firstKey, LOOKUPS[lookup].field, 'rows'], rows, 'csv'), { mode: 0o600 });
    },
  };
}

function badFile(lookup: LookupName, what: string, remedy: Words) {
  return intakeError(LOOKUPS[lookup].code, what, remedy);
}
