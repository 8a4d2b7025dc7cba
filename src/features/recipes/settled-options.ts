import type { ImportOptions } from '../../imports/import-options.ts';
import { IntakeError } from '../../imports/read/intake-error.ts';
import { HEAP_MB } from '../../imports/report/ledger-threads.ts';
import { ThreadQueue } from '../../platform/thread-queue.ts';
import type { RecipeUse } from './use-recipe.ts';

/** The thread that looks at files whose options a recipe settles. */
export type RecipeThread = { useRecipe: (use: RecipeUse) => Promise<ImportOptions> };

export function openRecipeThread(): ThreadQueue<RecipeThread> {
  return new ThreadQueue({
    thread: [import.meta.url, './recipe-thread'],
    atOnce: 1,
    heapMb: HEAP_MB,
    errors: [IntakeError],
  });
}
