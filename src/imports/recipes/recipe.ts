import { z } from 'zod';
import { importOptions } from '../import-options.ts';

/** What the user of a recipe has to add, because the file does not have it. */
const need = z.strictObject({
  what: z.enum(['guid', 'identities']),
  why: z.string().min(1).max(500),
  /** It works without, in the way that `why` says. */
  optional: z.boolean().default(false),
});

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

export const RECIPE_NAME = /^[a-z0-9][a-z0-9-]{0,59}$/;

/** How a file is recognised: it has all of what is given. */
const fit = z.strictObject({
  columns: z
    .array(z.string().max(300))
    .min(1)
    .optional()
    .meta({ description: 'Columns or keys, without regard to case.' }),
  text: z
    .array(z.string().min(1).max(300))
    .min(1)
    .optional()
    .meta({ description: 'Pieces of text in the first 64 KB; spaces do not matter.' }),
  header: z
    .array(z.string().max(300))
    .min(1)
    .optional()
    .meta({ description: 'All columns and no others: such a file is told of the recipe. Others may use it as well.' }),
});

/** A named set of settings for one kind of file. */
export const recipe = z
  .strictObject({
    name: z.string().regex(RECIPE_NAME, 'a name has up to 60 small letters, digits and hyphens'),
    title: z.string().min(1).max(100).meta({ description: 'What the file is.' }),
    description: z.string().max(2_000).default('').meta({ description: 'What becomes of it.' }),
    howToExport: z.string().max(500).optional().meta({ description: 'How to get the file out of its system.' }),
    expects: z.string().max(500).meta({ description: 'What a file must have to fit, in words.' }),
    needs: z.array(need).default([]),
    fits: fit,
    settings: recipeSettings,
  })
  .meta({ title: 'Recipe' });
export type Recipe = z.infer<typeof recipe>;
export type RecipeInput = z.input<typeof recipe>;
