import { requireNeeds, withRecipe } from '../../features/recipes/apply-recipe.ts';
import { findRecipeOrText } from '../../features/recipes/recipe-store.ts';
import type { RecipeThread } from '../../features/recipes/use-recipe.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import { isIntakeError } from '../../imports/read/intake-error.ts';
import { HEAP_MB } from '../../imports/report/ledger-threads.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { ThreadQueue } from '../../platform/thread-queue.ts';
import type { Caller } from '../http-answers.ts';
import { badReading } from './upload-options.ts';

/** Time that looking at the beginning of a file may take, in ms. */
const DEADLINE_MS = 10_000;

export type Recipes = ReturnType<typeof openRecipes>;

/** Options that name a recipe (`recipe=…`), for the server's uploads. */
export function openRecipes(dir: DataDir) {
  const thread = new ThreadQueue<RecipeThread>({
    thread: [import.meta.url, '../../features/recipes/recipe-thread'],
    atOnce: 1,
    heapMb: HEAP_MB,
  });
  return {
    /** Before the file has come. @throws UNKNOWN_RECIPE, RECIPE_NEEDS */
    check: (options: ImportOptions) => {
      if (options.recipe === undefined) return;
      const recipe = findRecipeOrText(dir, options.recipe);
      requireNeeds(recipe, withRecipe(recipe, options));
    },
    /** The options with those of the recipe that they name, for the file that has come. @throws BAD_OPTION */
    settle: async (
      options: ImportOptions,
      file: { readonly path: string } | { readonly head: Uint8Array },
      name: string,
      caller?: Caller,
    ): Promise<ImportOptions> => {
      if (options.recipe === undefined) return options;
      const recipe = findRecipeOrText(dir, options.recipe);
      try {
        const limits = { deadlineMs: DEADLINE_MS, ...caller };
        return await thread.ask('useRecipe', { recipe, options, file, name }, limits);
      } catch (error) {
        throw isIntakeError(error) ? badReading(error) : error;
      }
    },
    close: () => thread.close(),
  };
}
