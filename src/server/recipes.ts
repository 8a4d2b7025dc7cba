import { z } from 'zod';
import { readOptions } from '../imports/import-options.ts';
import { TEMPLATE_FORMATS, TEMPLATE_TYPES, templateFile } from '../imports/inspect/template.ts';
import { recipe } from '../imports/recipes/recipe.ts';
import { recipeFrom } from '../imports/recipes/save-as.ts';
import { findRecipe, listRecipes, removeRecipe, saveRecipe, unreadableRecipes } from '../imports/recipes/store.ts';
import { noting } from './access/noting.ts';
import type { Api, ServerContext } from './context.ts';
import { refusals } from './problem-schema.ts';

const tags = ['recipes'];

const recipeView = recipe
  .extend({ saved: z.boolean().meta({ description: 'In the data directory; false: it comes with rollcall.' }) })
  .meta({ id: 'Recipe', description: 'Settings for one kind of file, such as the export of another system.' });

const named = z.strictObject({ name: z.string().max(60) });

/** Recipes: named settings for the files of other systems. */
export function recipeRoutes(app: Api, { coordinator, dir, access, reading }: ServerContext): void {
  const note = noting(access);
  app.get(
    '/v1/recipes',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'List recipes',
        response: {
          200: z.strictObject({
            recipes: z.array(recipeView),
            unreadable: z.array(z.string()).meta({ description: 'Files of the data directory that are not recipes.' }),
          }),
          ...refusals(),
        },
      },
    },
    async () => ({ recipes: listRecipes(dir), unreadable: unreadableRecipes(dir) }),
  );
  app.get(
    '/v1/recipes/:name',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'A recipe',
        params: named,
        response: { 200: recipeView, ...refusals('UNKNOWN_RECIPE') },
      },
    },
    async ({ params }) => findRecipe(dir, params.name),
  );
  app.put(
    '/v1/recipes/:name',
    {
      schema: {
        tags,
        summary: 'Save a recipe, in place of one of the same name',
        params: named,
        body: recipe.omit({ name: true }),
        response: { 200: recipeView, ...refusals('BAD_OPTION', 'BAD_BODY') },
      },
    },
    async (request) => {
      const saved = saveRecipe(dir, { ...request.body, name: request.params.name });
      note(request, 'recipe.save', saved.name, saved.title);
      return saved;
    },
  );
  app.delete(
    '/v1/recipes/:name',
    {
      schema: {
        tags,
        summary: 'Delete a recipe that was saved',
        params: named,
        response: { 204: z.void().meta({ description: 'Deleted.' }), ...refusals('UNKNOWN_RECIPE', 'BAD_OPTION') },
      },
    },
    async (request, reply) => {
      removeRecipe(dir, request.params.name);
      note(request, 'recipe.remove', request.params.name);
      return reply.code(204).send();
    },
  );
  app.post(
    '/v1/imports/:id/recipe',
    {
      schema: {
        tags,
        summary: 'Save the settings of an import as a recipe, for files with the same header',
        params: z.strictObject({ id: z.string() }),
        body: z.strictObject({
          name: recipe.shape.name,
          title: recipe.shape.title.optional(),
          description: z.string().max(2_000).optional(),
        }),
        response: { 200: recipeView, ...refusals('BAD_OPTION', 'UNKNOWN_IMPORT', 'NO_ROWS_YET') },
      },
    },
    async (request) => {
      const record = coordinator.find(request.params.id);
      const options = readOptions(record);
      const { columns, recognised } = await reading.rowsOf(record.id).input();
      const base = options.recipe === undefined ? undefined : findRecipe(dir, options.recipe);
      const saved = saveRecipe(dir, recipeFrom({ ...request.body, options, columns, recognised, base }));
      note(request, 'recipe.save', saved.name, saved.title);
      return saved;
    },
  );
  app.get(
    '/v1/template',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'An example file to fill in',
        querystring: z.strictObject({ format: z.enum(TEMPLATE_FORMATS).default('csv') }),
        response: { 200: z.any().meta({ description: 'The file.' }), ...refusals('BAD_OPTION') },
      },
    },
    async ({ query: { format } }, reply) =>
      reply
        .header('content-type', TEMPLATE_TYPES[format])
        .header('content-disposition', `attachment; filename="members.${format}"`)
        .send(templateFile(format)),
  );
}
