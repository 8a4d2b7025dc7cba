import { RECIPE_NAME } from '../api/recipes.ts';
import type { ImportOptions } from '../imports/import-options.ts';
import type { Config } from '../platform/config.ts';
import { dataDir } from '../platform/data-dir.ts';

/**
 * The options with those of a recipe, where one is named, or a file that has one.
 * @param path of the file @param name as the user knows it
 * @throws UNKNOWN_RECIPE, BAD_RECIPE, RECIPE_NEEDS, IntakeError RECIPE_MISFIT
 */
export async function optionsWithRecipe(
  config: Config,
  recipe: string | undefined,
  options: ImportOptions,
  path: string,
  name = path,
): Promise<ImportOptions> {
  if (recipe === undefined) return options;
  const [{ findRecipeOrFile }, { requireNeeds, withRecipe }, { useRecipe }] = await Promise.all([
    import('../features/recipes/recipe-store.ts'),
    import('../features/recipes/apply-recipe.ts'),
    import('../features/recipes/use-recipe.ts'),
  ]);
  const known = findRecipeOrFile(dataDir(config.dataDir), recipe);
  requireNeeds(known, withRecipe(known, options));
  return useRecipe({ recipe: known, options, file: { path }, name });
}

/** A recipe as a request has it: a name is one of the server's, a file is one of this machine. @throws BAD_RECIPE */
export async function recipeToSend(recipe: string): Promise<string> {
  if (RECIPE_NAME.test(recipe)) return recipe;
  const { recipeOfFile } = await import('../features/recipes/recipe-store.ts');
  const { name: _, saved: __, ...content } = recipeOfFile(recipe);
  return JSON.stringify(content);
}
