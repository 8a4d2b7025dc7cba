import type { ImportOptions } from '../imports/import-options.ts';
import type { Config } from '../platform/config.ts';
import { dataDir } from '../platform/data-dir.ts';

/**
 * The options with those of a recipe, where one is named.
 * @param path of the file @param name as the user knows it
 * @throws UnknownRecipe, RecipeNeeds, IntakeError RECIPE_MISFIT
 */
export async function optionsWithRecipe(
  config: Config,
  recipe: string | undefined,
  options: ImportOptions,
  path: string,
  name = path,
): Promise<ImportOptions> {
  if (recipe === undefined) return options;
  const [{ findRecipe }, { requireNeeds, withRecipe }, { useRecipe }] = await Promise.all([
    import('../features/recipes/recipe-store.ts'),
    import('../features/recipes/apply-recipe.ts'),
    import('../features/recipes/use-recipe.ts'),
  ]);
  const known = findRecipe(dataDir(config.dataDir), recipe);
  requireNeeds(known, withRecipe(known, options));
  return useRecipe({ recipe: known, options, file: { path }, name });
}
