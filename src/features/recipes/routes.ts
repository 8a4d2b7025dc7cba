import type { Api, ServerContext } from '../../server/context.ts';
import { serve } from '../../server/serve.ts';
import { recipeOperations } from './operations.ts';
import { findRecipe, listRecipes, removeRecipe, saveRecipe } from './recipe-store.ts';
import { TEMPLATE_TYPES, templateFile } from './template-file.ts';

/** Recipes: named settings for the files of other systems. */
export function recipeRoutes(app: Api, { dir }: ServerContext): void {
  serve(app, recipeOperations.list, async () => listRecipes(dir));
  serve(app, recipeOperations.one, async ({ params }) => findRecipe(dir, params.name));
  serve(app, recipeOperations.save, async (request, _reply, audited) => {
    const saved = await saveRecipe(dir, request.params.name, request.body);
    audited(saved.title, saved.name);
    return saved;
  });
  serve(app, recipeOperations.remove, async ({ params }) => removeRecipe(dir, params.name));
  serve(app, recipeOperations.template, async ({ query: { format } }, reply) =>
    reply
      .header('content-type', TEMPLATE_TYPES[format])
      .header('content-disposition', `attachment; filename="members.${format}"`)
      .send(templateFile(format)),
  );
}
