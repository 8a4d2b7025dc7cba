import type { z } from 'zod';
import { recipeFields } from '../../api/recipes.ts';
import { importOptions } from '../../imports/import-options.ts';

/** The settings that a recipe may hold: how a file is read, and nothing about one run. */
export const recipeSettings = importOptions
  .pick({
    format: true,
    encoding: true,
    delimiter: true,
    map: true,
    shape: true,
    exportOf: true,
    sheet: true,
    files: true,
    guid: true,
    scope: true,
    onBehalfOf: true,
  })
  .partial();
export type RecipeSettings = z.infer<typeof recipeSettings>;

/** A named set of settings for one kind of file. */
export const recipe = recipeFields.extend({ settings: recipeSettings }).meta({ title: 'Recipe' });
export type Recipe = z.infer<typeof recipe>;
export type RecipeInput = z.input<typeof recipe>;
