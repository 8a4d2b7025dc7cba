import type { ImportOptions } from '../../imports/import-options.ts';
import { type LedgerQueue, openLedgerQueue } from '../../imports/report/ledger-queue.ts';
import { HEAP_MB } from '../../imports/report/ledger-threads.ts';
import type { RecipeUse } from './use-recipe.ts';

/** The thread that looks at files whose options a recipe settles. */
export type RecipeThread = { useRecipe: (use: RecipeUse) => Promise<ImportOptions> };

export function openRecipeThread(): LedgerQueue<RecipeThread> {
  return openLedgerQueue({ thread: [import.meta.url, './recipe-thread'], atOnce: 1, heapMb: HEAP_MB });
}
