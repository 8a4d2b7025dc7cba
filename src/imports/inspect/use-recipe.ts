import { statSync } from 'node:fs';
import type { ImportOptions } from '../import-options.ts';
import { requireNeeds, withRecipe } from '../recipes/apply.ts';
import { requireFit } from '../recipes/match.ts';
import type { Recipe } from '../recipes/recipe.ts';
import { headOfFile } from './head.ts';
import { lookAt } from './look.ts';

interface RecipeUse {
  readonly recipe: Recipe;
  /** What was chosen besides it. */
  readonly options: ImportOptions;
  readonly path: string;
  /** The file as the user knows it. */
  readonly name: string;
}

/**
 * The options of an import that uses a recipe.
 * @throws RecipeNeeds, RecipeMisfit; IntakeError when the file cannot be opened
 */
export async function useRecipe({ recipe, options, path, name }: RecipeUse): Promise<ImportOptions> {
  const chosen = withRecipe(recipe, options);
  requireNeeds(recipe, chosen);
  // What comes through a pipe comes once: it cannot be looked at first.
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isFile() && !stat.isDirectory()) return chosen;
  const head = await headOfFile(path, options.encoding);
  const { format, names } = await lookAt({ path, name }, options, { lenient: true, rows: 1 });
  requireFit(recipe, { format, columns: names, text: head.text }, name);
  return chosen;
}
