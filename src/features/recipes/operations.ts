import { z } from 'zod';
import { nothing, operationsOf } from '../../api/operation.ts';
import { recipeFile, recipeView } from './recipe.ts';
import { TEMPLATE_FORMATS } from './template-file.ts';

const operation = operationsOf('recipes', z.strictObject({ name: z.string().max(60) }));

/** Recipes: named settings for the files of other systems. */
export const recipeOperations = {
  list: operation('GET /v1/recipes', 'viewer', {
    summary: 'List recipes',
    answer: z.strictObject({
      recipes: z.array(recipeView),
      unreadable: z.array(z.string()).describe('Files of the data directory that are not recipes.'),
    }),
  }),
  one: operation('GET /v1/recipes/:name', 'viewer', {
    summary: 'A recipe',
    answer: recipeView,
    refusals: ['UNKNOWN_RECIPE'],
  }),
  save: operation('PUT /v1/recipes/:name', 'operator', {
    audit: 'recipe.save',
    summary: 'Save a recipe, in place of one of the same name',
    body: recipeFile,
    answer: recipeView,
  }),
  remove: operation('DELETE /v1/recipes/:name', 'operator', {
    audit: 'recipe.remove',
    summary: 'Delete a recipe that was saved',
    answer: nothing('Deleted.'),
    refusals: ['UNKNOWN_RECIPE', 'BAD_OPTION'],
  }),
  template: operation('GET /v1/template', 'viewer', {
    summary: 'An example file to fill in',
    query: z.strictObject({ format: z.enum(TEMPLATE_FORMATS).default('csv') }),
    answer: z.any().describe('The file.'),
  }),
};
