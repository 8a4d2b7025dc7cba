import { requireNeeds, withRecipe } from '../../features/recipes/apply-recipe.ts';
import type { Recipe } from '../../features/recipes/recipe.ts';
import { findRecipe } from '../../features/recipes/recipe-store.ts';
import type { RecipeUse } from '../../features/recipes/use-recipe.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import { IntakeError } from '../../imports/read/intake-error.ts';
import type { LedgerThreads } from '../../imports/report/ledger-threads.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Caller } from '../bounded-answer.ts';
import { badReading } from './options.ts';

/** Time that looking at the beginning of a file may take, in ms. */
const DEADLINE_MS = 10_000;

/** The recipe that a request names, before its file has come. @throws UnknownRecipe, RecipeNeeds */
export function recipeFor(dir: DataDir, options: ImportOptions): Recipe | undefined {
  if (options.recipe === undefined) return undefined;
  const recipe = findRecipe(dir, options.recipe);
  requireNeeds(recipe, withRecipe(recipe, options));
  return recipe;
}

/** The options with those of the recipe, for the file that has come. @throws Problem BAD_OPTION */
export async function optionsFor(
  threads: Pick<LedgerThreads, 'useRecipe'>,
  recipe: Recipe | undefined,
  use: Omit<RecipeUse, 'recipe'>,
  caller?: Caller,
): Promise<ImportOptions> {
  if (recipe === undefined) return use.options;
  try {
    return await threads.useRecipe({ recipe, ...use }, { deadlineMs: DEADLINE_MS, ...caller });
  } catch (error) {
    throw error instanceof IntakeError ? badReading(error) : error;
  }
}
