import type { Api, ServerContext } from '../../server/context.ts';
import { serveAll } from '../../server/serve.ts';
import { recipeOperations } from './operations.ts';
import { findRecipe, listRecipes, removeRecipe, saveRecipe } from './recipe-store.ts';
import { TEMPLATE_TYPES, templateFile } from './template-file.ts';

export function recipeRoutes(app: Api, { dir }: ServerContext): void {
  serveAll(app, recipeOperations, {
    list: async () => listRecipes(dir),
    one: async ({ name }) => findRecipe(dir, name),
    save: async ({ name, ...recipe }, { audited }) => {
      const saved = await saveRecipe(dir, name, recipe);
      audited(saved.title, saved.name);
      return saved;
    },
    remove: async ({ name }) => removeRecipe(dir, name),
    template: async ({ format }, { reply }) =>
      reply
        .header('content-type', TEMPLATE_TYPES[format])
        .header('content-disposition', `attachment; filename="members.${format}"`)
        .send(templateFile(format)),
  });
}
