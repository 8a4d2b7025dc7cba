import { existsSync } from 'node:fs';
import { type CatalogReader, type ImportRecord, openCatalogReader } from '../../imports/catalog.ts';
import { isImportId } from '../../imports/import-id.ts';
import { type ImportOptions, readOptions } from '../../imports/import-options.ts';
import { openImportReader } from '../../imports/report/import-reader.ts';
import { LOOKUP_NAMES, LOOKUPS } from '../../options/lookups.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { LedgerError } from '../../platform/sqlite.ts';
import { type Recipe, recipe, recipeFrom } from './recipe.ts';

/** Imports that are looked through, newest first, and mappings that are remembered of them. */
const MAX_IMPORTS = 200;
const MAX_MAPPINGS = 20;

/** The newest imports of files, newest first. */
export function importsOfFiles(dir: DataDir): ImportRecord[] {
  return withCatalog(dir, [], (catalog) => catalog.page({ kind: ['file'], limit: MAX_IMPORTS }).imports);
}

/**
 * Recipes from earlier imports, for files with the same header: nobody has to save them. The newest import with a
 * mapping counts; its id is the name. One that was undone, needed no mapping, or used a recipe that has a name, gives
 * none.
 */
export function importedRecipes(dir: DataDir): Recipe[] {
  return withCatalog(dir, [], (catalog) => {
    const undone = catalog.undone();
    // By mapping: a file of every night has one, and its ledgers are not opened again and again.
    const found = new Map<string, Recipe | undefined>();
    for (const record of catalog.page({ state: ['completed'], kind: ['file'], limit: MAX_IMPORTS }).imports) {
      if (found.size === MAX_MAPPINGS) break;
      const options = readOptions(record);
      const mapping = JSON.stringify([options.map, options.shape]);
      if (undone.has(record.id) || !hasMapping(options) || found.has(mapping)) continue;
      found.set(
        mapping,
        orUndefined(() => recipeOf(dir, record, options)),
      );
    }
    return [...found.values()].filter((one) => one !== undefined);
  });
}

/** The recipe that an import with this id gives; undefined for none. */
export function importedRecipe(dir: DataDir, id: string): Recipe | undefined {
  if (!isImportId(id)) return undefined;
  return withCatalog(dir, undefined, (catalog) => {
    const record = catalog.find(id);
    if (record === undefined) return undefined;
    const options = readOptions(record);
    return hasMapping(options) ? recipeOf(dir, record, options) : undefined;
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

function hasMapping({ recipe: used, map, shape }: ImportOptions): boolean {
  if (used !== undefined && !isImportId(used)) return false;
  return Object.keys(map).length > 0 || shape !== undefined;
}

function recipeOf(dir: DataDir, record: ImportRecord, options: ImportOptions): Recipe | undefined {
  // Options with one value for all rows are decided for each file.
  const { guid, scope: _, onBehalfOf: __, ...reading } = options;
  const columns = columnsOf(dir.ledger(record.id));
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
      ...(guid === undefined
        ? []
        : [{ what: 'guid', why: 'rows of that file without a group went into one', optional: true }]),
      ...LOOKUP_NAMES.flatMap((what) => {
        if (reading.shape?.[what] === undefined) return [];
        return [{ what, why: `the ${LOOKUPS[what].field.toUpperCase()}s of that file were looked up in another one` }];
      }),
    ],
  });
  return made.success ? made.data : undefined;
}

function columnsOf(ledger: string): readonly string[] {
  const reader = openImportReader(ledger);
  try {
    return reader.input().columns;
  } finally {
    reader.close();
  }
}
