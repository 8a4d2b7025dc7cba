import { readOptions } from '../../imports/import-options.ts';
import { IntakeError } from '../../imports/read/intake-error.ts';
import { HEAP_MB } from '../../imports/report/ledger-threads.ts';
import { ThreadQueue } from '../../platform/thread-queue.ts';
import type { Api, ServerContext, ServerFeature } from '../../server/context.ts';
import { serve } from '../../server/serve.ts';
import { badReading } from '../../server/uploads/upload-options.ts';
import { requireNeeds, withRecipe } from './apply-recipe.ts';
import { recipeOperations } from './operations.ts';
import { recipeFrom } from './recipe.ts';
import { findRecipe, listRecipes, removeRecipe, saveRecipe, unreadableRecipes } from './recipe-store.ts';
import { TEMPLATE_TYPES, templateFile } from './template-file.ts';
import type { RecipeThread } from './use-recipe.ts';

/** Time that looking at the beginning of a file may take, in ms. */
const DEADLINE_MS = 10_000;

/** Recipes: named settings for the files of other systems. */
export const recipes: ServerFeature = {
  open: ({ dir }, { onStop }) => {
    const thread = openRecipeThread();
    onStop(() => thread.close());
    return {
      recipes: {
        check: (options) => {
          if (options.recipe === undefined) return;
          const recipe = findRecipe(dir, options.recipe);
          requireNeeds(recipe, withRecipe(recipe, options));
        },
        settle: async (options, file, name, caller) => {
          if (options.recipe === undefined) return options;
          const recipe = findRecipe(dir, options.recipe);
          try {
            const limits = { deadlineMs: DEADLINE_MS, ...caller };
            return await thread.ask('useRecipe', { recipe, options, file, name }, limits);
          } catch (error) {
            throw error instanceof IntakeError ? badReading(error) : error;
          }
        },
      },
    };
  },
  routes: recipeRoutes,
};

function recipeRoutes(app: Api, { coordinator, dir, reading }: ServerContext): void {
  serve(app, recipeOperations.list, async () => ({ recipes: listRecipes(dir), unreadable: unreadableRecipes(dir) }));
  serve(app, recipeOperations.one, async ({ params }) => findRecipe(dir, params.name));
  serve(app, recipeOperations.save, async (request, _reply, audited) => {
    const saved = saveRecipe(dir, { ...request.body, name: request.params.name });
    audited(saved.title, saved.name);
    return saved;
  });
  serve(app, recipeOperations.remove, async ({ params }) => removeRecipe(dir, params.name));
  serve(app, recipeOperations.saveOf, async (request, _reply, audited) => {
    const record = coordinator.find(request.params.id);
    const options = readOptions(record);
    const { columns, recognised } = await reading.rowsOf(record.id).input();
    const base = options.recipe === undefined ? undefined : findRecipe(dir, options.recipe);
    const saved = saveRecipe(dir, recipeFrom({ ...request.body, options, columns, recognised, base }));
    audited(saved.title, saved.name);
    return saved;
  });
  serve(app, recipeOperations.template, async ({ query: { format } }, reply) =>
    reply
      .header('content-type', TEMPLATE_TYPES[format])
      .header('content-disposition', `attachment; filename="members.${format}"`)
      .send(templateFile(format)),
  );
}

function openRecipeThread(): ThreadQueue<RecipeThread> {
  return new ThreadQueue({
    thread: [import.meta.url, './recipe-thread'],
    atOnce: 1,
    heapMb: HEAP_MB,
    errors: [IntakeError],
  });
}
