import { existsSync } from 'node:fs';
import type { DataDir } from '../../platform/data-dir.ts';
import { LedgerError, openForReading, statementsOf } from '../../platform/sqlite.ts';
import { type CatalogReader, type ImportRecord, openCatalogReader } from '../catalog.ts';
import { isImportId } from '../import-id.ts';
import { readOptions } from '../import-options.ts';
import { columnsOf } from '../input-columns.ts';
import { IMPORT_MIGRATIONS } from '../schemas.ts';
import { type Recipe, recipe } from './recipe.ts';
import { recipeFrom } from './save-as.ts';

/** Imports that are looked through, newest first, and headers that are remembered of them. */
const MAX_IMPORTS = 200;
const MAX_HEADERS = 20;

/** The newest imports of files, newest first. */
export function importsOfFiles(dir: DataDir): ImportRecord[] {
  return withCatalog(dir, [], (catalog) => catalog.page({ kinds: ['file'], limit: MAX_IMPORTS }).imports);
}

/**
 * How earlier imports read their files, for files with the same header: nobody has to save that. The newest import with
 * a header counts; its name is the import's id. One that was undone, needed no mapping, or used a recipe that has a name,
 * gives none.
 */
export function importedRecipes(dir: DataDir): Recipe[] {
  return withCatalog(dir, [], (catalog) => {
    const undone = catalog.undone();
    const found = new Map<string, Recipe>();
    for (const record of catalog.page({ states: ['completed'], kinds: ['file'], limit: MAX_IMPORTS }).imports) {
      if (found.size === MAX_HEADERS) break;
      if (undone.has(record.id)) continue;
      const made = orUndefined(() => recipeOf(dir, record));
      const header = made?.fits.header?.join('\n');
      if (made !== undefined && header !== undefined && !found.has(header)) found.set(header, made);
    }
    return [...found.values()];
  });
}

/** The recipe that an import with this id gives; undefined for none. */
export function importedRecipe(dir: DataDir, id: string): Recipe | undefined {
  if (!isImportId(id)) return undefined;
  return withCatalog(dir, undefined, (catalog) => {
    const record = catalog.find(id);
    return record === undefined ? undefined : recipeOf(dir, record);
  });
}

function withCatalog<Result>(
  { catalog: path }: DataDir,
  none: Result,
  use: (catalog: CatalogReader) => Result,
): Result {
  const catalog = existsSync(path) ? orUndefined(() => openCatalogReader(path)) : undefined;
  if (catalog === undefined) return none;
  try {
    return use(catalog);
  } finally {
    catalog.close();
  }
}

/** A suggestion is a help: it does not fail because an old file is damaged. */
function orUndefined<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof LedgerError) return undefined;
    throw error;
  }
}

function recipeOf(dir: DataDir, record: ImportRecord): Recipe | undefined {
  const options = readOptions(record);
  if (options.recipe !== undefined && !isImportId(options.recipe)) return undefined;
  // What holds for all rows of one file is decided for each file.
  const { guid, scope: _, onBehalfOf: __, ...reading } = options;
  if (Object.keys(reading.map).length === 0 && reading.shape === undefined) return undefined;
  const input = inputOf(dir.ledger(record.id));
  const columns = columnsOf(input);
  if (columns.length === 0) return undefined;
  const name = record.file.split(/[\\/]/).at(-1) ?? record.file;
  const day = new Date(record.createdAt).toISOString().slice(0, 10);
  const made = recipe.safeParse({
    ...recipeFrom({
      name: record.id,
      title: `the import of ${name.slice(0, 60)} on ${day}`,
      options: reading,
      columns,
      recognised: {},
    }),
    needs: [
      ...(guid === undefined ? [] : [{ what: 'guid', why: 'all rows of that file went into one group' }]),
      ...(reading.shape?.identities === undefined
        ? []
        : [{ what: 'identities', why: 'the UIDs of that file were looked up in another one' }]),
    ],
  });
  return made.success ? made.data : undefined;
}

function inputOf(ledger: string): Readonly<Record<string, unknown>> | undefined {
  const database = openForReading(ledger, IMPORT_MIGRATIONS);
  try {
    return statementsOf(database, new URL('imported.sql', import.meta.url))('columns').get();
  } finally {
    database.close();
  }
}
