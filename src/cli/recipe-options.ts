import type { ImportOptions } from '../imports/import-options.ts';
import type { Config } from '../platform/config.ts';
import { FEATURES } from './features.ts';

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
  if (recipe === undefined || FEATURES.recipes === undefined) return options;
  return (await FEATURES.recipes()).optionsWith(config, recipe, options, path, name);
}
