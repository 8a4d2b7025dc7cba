import type { UsingRecipes } from '../../../cli/feature.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { requireNeeds, withRecipe } from '../apply-recipe.ts';
import { findRecipe } from '../recipe-store.ts';
import { useRecipe } from '../use-recipe.ts';

export const usingRecipes: UsingRecipes = {
  optionsWith: async (config, recipe, options, path, name) => {
    const known = findRecipe(dataDir(config.dataDir), recipe);
    requireNeeds(known, withRecipe(known, options));
    return useRecipe({ recipe: known, options, file: { path }, name });
  },
};
