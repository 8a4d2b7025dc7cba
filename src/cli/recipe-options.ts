import type { ImportOptions } from '../imports/import-options.ts';
import { IntakeError } from '../imports/read/intake-error.ts';
import type { Config } from '../platform/config.ts';
import { dataDir } from '../platform/data-dir.ts';
import { isAddress } from '../text/address.ts';
import { type Io, say } from './screen/io.ts';

/** What knows the recipes and what looks at a file is loaded here: most imports name no recipe and are not refused. */

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

/** After an import that was refused: what the file is, and a command that would work. */
export async function sayWhatItIs(
  io: Io,
  config: Config,
  file: string,
  options: ImportOptions,
  identities: string | undefined,
): Promise<void> {
  if (file === '-' || isAddress(file)) return;
  const [{ inspectFile }, { factsText, nextLines }] = await Promise.all([
    import('../features/inspect/commands/inspect-file.ts'),
    import('../features/inspect/commands/file-facts.ts'),
  ]);
  const facts = await inspectFile(config, file, options, identities).catch((error: unknown) => {
    // The refusal has said it: there is nothing to look at.
    if (error instanceof IntakeError) return undefined;
    throw error;
  });
  if (facts === undefined || facts.refusal === null) return;
  say(io, '', ...factsText(facts, io.width, false).trimEnd().split('\n'), '', ...nextLines(facts));
}
