import { z } from 'zod';
import { LOOKUP_NAMES } from '../options/lookups.ts';
import type { Field, ShapeInput } from '../options/shape.ts';

/** Additions that a recipe may need: a group for all rows, or a file in which ids are looked up. */
export const NEED = z.enum(['guid', ...LOOKUP_NAMES]);

/** One addition that the user of a recipe has to make, because the file does not have it. */
const need = z.strictObject({
  what: NEED,
  why: z.string().min(1).max(500),
  /** It works without, in the way that `why` says. */
  optional: z.boolean().default(false),
});

export const RECIPE_NAME = /^[a-z0-9][a-z0-9-]{0,59}$/;
export const NAME_RULE = 'a name has up to 60 small letters, digits and hyphens';

/** The marks by which a file is recognised; it must have all that are given. */
const fit = z.strictObject({
  columns: z
    .array(z.string().max(300))
    .min(1)
    .optional()
    .describe('Columns or keys, without regard to case; of `course_id|section_id` one is enough.'),
  text: z
    .array(z.string().min(1).max(300))
    .min(1)
    .optional()
    .describe('Pieces of text in the first 64 KB; spaces do not matter.'),
  header: z
    .array(z.string().max(300))
    .min(1)
    .optional()
    .describe('All columns and no others: for such a file, the recipe is suggested. Other files may use it as well.'),
});

/** A recipe but for its settings, which are options of an import (src/features/recipes/recipe.ts). Its name is that of its file. */
export const recipeFields = z.strictObject({
  $schema: z.string().optional().describe('Address of this schema, for editors.'),
  title: z.string().min(1).max(100).describe('The kind of the file.'),
  description: z.string().max(2_000).default('').describe('The use that rollcall makes of it.'),
  howToExport: z.string().max(500).optional().describe('Instructions for getting the file out of its system.'),
  expects: z
    .string()
    .max(500)
    .optional()
    .describe('The marks of a file that fits, in words. Default: `columns` and `text` of `fits`.'),
  needs: z.array(need).default([]),
  fits: fit.default({}),
});

export interface RecipeSettings {
  readonly map?: Partial<Record<Field, string>> | undefined;
  readonly shape?: ShapeInput | undefined;
  readonly [name: string]: unknown;
}

export interface RecipeView extends z.infer<typeof recipeFields> {
  readonly name: string;
  readonly settings: RecipeSettings;
  readonly saved: boolean;
}
