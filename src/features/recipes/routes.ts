import { readOptions } from '../../imports/import-options.ts';
import type { Api, ServerContext } from '../../server/context.ts';
import { serve } from '../../server/serve.ts';
import { recipeOperations } from './operations.ts';
import { recipeFrom } from './recipe.ts';
import { findRecipe, listRecipes, removeRecipe, saveRecipe, unreadableRecipes } from './recipe-store.ts';
import { TEMPLATE_TYPES, templateFile } from './template-file.ts';

/** Recipes: named settings for the files of other systems. */
export function recipeRoutes(app: Api, { coordinator, dir, reading }: ServerContext): void {
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
