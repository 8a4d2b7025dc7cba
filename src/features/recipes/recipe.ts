import type { z } from 'zod';
import { recipeFields } from '../../api/recipes.ts';
import { importOptions } from '../../imports/import-options.ts';
import { listed } from '../../imports/read/intake-error.ts';

/** The settings that a recipe may hold: how a file is read, and nothing about one run. */
const recipeSettings = importOptions
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
    until: true,
  })
  .partial();
export type RecipeSettings = z.infer<typeof recipeSettings>;

/** Settings for one kind of file, as a JSON file has them. */
export const recipeFile = recipeFields.extend({ settings: recipeSettings }).meta({ title: 'Recipe' });
export type RecipeInput = z.input<typeof recipeFile>;

/** A recipe, and where it comes from. */
export interface Recipe extends z.infer<typeof recipeFile> {
  readonly name: string;
  /** It is in the data directory, and can be changed and removed. */
  readonly saved: boolean;
}

/** The marks of a file that fits, in words. */
export function expected({ expects, fits: { columns = [], text = [] } }: Recipe): string {
  return expects ?? listed([...columns, ...text]);
}

/** The request for an addition that a recipe needs, as the command line has it. */
export function needText({ what, why, optional }: Recipe['needs'][number]): string {
  return `${optional ? 'You can add' : 'You have to add'} --${what}: ${why}.`;
}
