import { RECIPE_NAME } from '../../../api/recipes.ts';
import type { Client } from '../../../cli/client/operation-client.ts';
import type { RecipeFlags } from '../../../cli/flags/option-flags.ts';
import { type ShapeFlags, shapeOf } from '../../../cli/flags/shape-flags.ts';
import type { ImportOptions } from '../../../imports/import-options.ts';
import { keptOf } from '../../../options/option.ts';
import { READING, type ReadingChoices, SHAPE } from '../../../options/reading-options.ts';
import { EXPECTING, type ExpectingChoices } from '../../../options/sending-options.ts';
import { defined } from '../../../platform/defined.ts';
import { requireNeeds, withRecipe } from '../../recipes/apply-recipe.ts';
import { recipeOperations } from '../../recipes/operations.ts';
import { recipeOfFile } from '../../recipes/recipe-store.ts';
import { type ScheduleReading, scheduleSettings } from '../api.ts';

type Flags = ReadingChoices & ExpectingChoices & RecipeFlags & ShapeFlags;
type Recipe = ReturnType<typeof recipeOfFile>;

/** The name of a recipe is one of the server's, a file is one of this machine. */
export async function recipeAt(server: Client, recipe: string): Promise<Recipe> {
  return RECIPE_NAME.test(recipe) ? server.call(recipeOperations.one, { name: recipe }) : recipeOfFile(recipe);
}

/**
 * The options for reading the file. The schedule keeps them, whatever becomes of the recipe.
 * @param ofFile those of a file that is there
 */
export async function readingOf(
  flags: Flags,
  find: (recipe: string) => Promise<Recipe>,
  ofFile: () => Promise<ImportOptions> | undefined = () => undefined,
): Promise<ScheduleReading> {
  const given = keptOf({ ...READING, ...SHAPE, ...EXPECTING }, { ...flags, shape: shapeOf(flags) });
  if (flags.recipe === undefined) return given as ScheduleReading;
  const seen = await ofFile();
  if (seen !== undefined) return readingIn(seen);
  const recipe = await find(flags.recipe);
  const options = withRecipe(recipe, given as Partial<ImportOptions>);
  requireNeeds(recipe, options);
  return readingIn(options);
}

/** Without what is the default. */
function readingIn({ recipe: _, map = {}, format, ...options }: Partial<ImportOptions>): ScheduleReading {
  const chosen = defined({
    map: Object.keys(map).length === 0 ? undefined : map,
    format: format === 'auto' ? undefined : format,
  });
  return scheduleSettings.shape.reading
    .unwrap()
    .strip()
    .parse({ ...options, ...chosen });
}
