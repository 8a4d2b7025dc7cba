import { readOptions } from '../imports/import-options.ts';
import { recipeOperations } from '../imports/recipes/operations.ts';
import { recipeFrom } from '../imports/recipes/save-as.ts';
import { findRecipe, listRecipes, removeRecipe, saveRecipe, unreadableRecipes } from '../imports/recipes/store.ts';
import { TEMPLATE_TYPES, templateFile } from '../imports/recipes/template-file.ts';
import { noting } from './access/noting.ts';
import type { Api, ServerContext } from './context.ts';
import { serve } from './serve.ts';

/** Recipes: named settings for the files of other systems. */
export function recipeRoutes(app: Api, { coordinator, dir, access, reading }: ServerContext): void {
  const note = noting(access);
  serve(app, recipeOperations.list, async () => ({ recipes: listRecipes(dir), unreadable: unreadableRecipes(dir) }));
  serve(app, recipeOperations.one, async ({ params }) => findRecipe(dir, params.name));
  serve(app, recipeOperations.save, async (request) => {
    const saved = saveRecipe(dir, { ...request.body, name: request.params.name });
    note(request, 'recipe.save', saved.name, saved.title);
    return saved;
  });
  serve(app, recipeOperations.remove, async (request) => {
    removeRecipe(dir, request.params.name);
    note(request, 'recipe.remove', request.params.name);
  });
  serve(app, recipeOperations.saveOf, async (request) => {
    const record = coordinator.find(request.params.id);
    const options = readOptions(record);
    const { columns, recognised } = await reading.rowsOf(record.id).input();
    const base = options.recipe === undefined ? undefined : findRecipe(dir, options.recipe);
    const saved = saveRecipe(dir, recipeFrom({ ...request.body, options, columns, recognised, base }));
    note(request, 'recipe.save', saved.name, saved.title);
    return saved;
  });
  serve(app, recipeOperations.template, async ({ query: { format } }, reply) =>
    reply
      .header('content-type', TEMPLATE_TYPES[format])
      .header('content-disposition', `attachment; filename="members.${format}"`)
      .send(templateFile(format)),
  );
}
