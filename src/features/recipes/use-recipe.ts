import { statSync } from 'node:fs';
import type { ImportOptions } from '../../imports/import-options.ts';
import { headOf, headOfFile, lookAt, NOT_READ } from '../../imports/read/beginning.ts';
import { numberedColumns } from '../../imports/read/shape/groups.ts';
import { defined } from '../../platform/defined.ts';
import { withRecipe } from './apply-recipe.ts';
import { type Recipe, requireFit, seenIn } from './recipe.ts';

export interface RecipeUse {
  readonly recipe: Recipe;
  /** The user's own options; they override the recipe. */
  readonly options: ImportOptions;
  readonly file: { readonly path: string } | { readonly head: Uint8Array };
  readonly name: string;
}

export type RecipeThread = { useRecipe: (use: RecipeUse) => Promise<ImportOptions> };

/** The options of an import of this file. @throws IntakeError RECIPE_MISFIT, and when the file cannot be opened */
export async function useRecipe({ recipe, options, file, name }: RecipeUse): Promise<ImportOptions> {
  const chosen = withRecipe(recipe, options);
  // A pipe can be read only once, so it cannot be inspected first.
  if ('path' in file && isPipe(file.path)) return chosen;
  const { head, source } = await openedFor(file, name, options.encoding);
  const { sheet, files, shape: { headerRow, skipLines, columns } = {} } = chosen;
  // The settings for the beginning of the table, without those for the meaning of its rows.
  const top = { ...options, ...defined({ sheet, files }), shape: defined({ headerRow, skipLines, columns }) };
  const look = await lookAt(source, { ...top, lenient: true, lookups: NOT_READ(top) }, 1);
  // A folder without the files that the recipe reads: the error names what it has.
  if (look.refusal?.code === 'UNKNOWN_FILE' && look.rows.length === 0) throw look.refusal;
  requireFit(recipe, seenIn(look, head), name);
  return look.format === 'csv' ? withoutAbsent(chosen, options, look.names) : chosen;
}

function isPipe(path: string) {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isFile() && !stat.isDirectory();
}

async function openedFor(file: RecipeUse['file'], name: string, encoding: string | undefined) {
  if ('path' in file) return { head: await headOfFile(file.path, encoding), source: { path: file.path, name } };
  const bytes = Buffer.from(file.head);
  return { head: await headOf(bytes, encoding), source: { bytes, name } };
}

/** Without what a recipe says about columns that some files of its kind have, and this one has not. */
function withoutAbsent(chosen: ImportOptions, own: ImportOptions, names: readonly string[]): ImportOptions {
  const { shape } = chosen;
  if (shape === undefined) return chosen;
  const known = new Set(names.map((name) => name.trim()));
  const where =
    own.shape?.where ??
    shape.where?.filter(({ column }) => known.has(column) || numberedColumns(column, names).size > 0);
  const firstOf = Object.entries(shape.firstOf ?? {}).map(([field, columns]) => {
    const present = columns.filter((column) => known.has(column));
    return [field, present.length === 0 ? columns : present];
  });
  const { where: _, ...rest } = shape;
  return {
    ...chosen,
    shape: {
      ...rest,
      ...(where?.length && { where }),
      ...(shape.firstOf && { firstOf: Object.fromEntries(firstOf) }),
    },
  };
}
