import type { ImportOptions } from '../imports/import-options.ts';
import { useRecipe } from '../imports/inspect/use-recipe.ts';
import { IntakeError } from '../imports/read/intake-error.ts';
import { requireNeeds, withRecipe } from '../imports/recipes/apply.ts';
import { findRecipe } from '../imports/recipes/store.ts';
import type { Config } from '../platform/config.ts';
import { dataDir } from '../platform/data-dir.ts';
import { inspectFile } from './inspect-file.ts';
import { factsText, nextLines } from './screen/file-facts.ts';
import { type Io, say } from './screen/io.ts';

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
  if (file === '-') return;
  const facts = await inspectFile(config, file, options, identities).catch((error: unknown) => {
    // The refusal has said it: there is nothing to look at.
    if (error instanceof IntakeError) return undefined;
    throw error;
  });
  if (facts === undefined || facts.refusal === null) return;
  say(io, '', ...factsText(facts, io.width, false).trimEnd().split('\n'), '', ...nextLines(facts));
}
