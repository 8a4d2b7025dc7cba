import { RollcallError } from '../../errors/rollcall-error.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import { FIELDS, type Field } from '../../imports/read/columns.ts';
import type { LookupName } from '../../options/lookups.ts';
import type { ShapeInput } from '../../options/shape.ts';
import { defined } from '../../platform/defined.ts';
import type { Recipe, RecipeSettings } from './recipe.ts';

/** The user's own options win, field by field: of a field for which there is one, nothing of the recipe is kept. */
export function withRecipe<Options extends Partial<ImportOptions>>(
  { name, settings }: Recipe,
  chosen: Options,
): Options {
  const own = chosen as RecipeSettings;
  const format = own.format === undefined || own.format === 'auto' ? settings.format : own.format;
  const taken = FIELDS.filter((field) => isChosen(own, field));
  const map = { ...without(settings.map, taken), ...own.map };
  const shape = shapeWith(settings.shape, own.shape, taken);
  return {
    ...settings,
    ...chosen,
    ...defined({ format, map, shape }),
    recipe: name,
  };
}

function isChosen({ map, shape, guid }: RecipeSettings, field: Field) {
  if ([map, shape?.firstOf, shape?.templates].some((source) => source?.[field] !== undefined)) return true;
  // All rows go into that group, whatever the recipe reads from the columns.
  return field === 'guid' && guid !== undefined;
}

function shapeWith(recipe: ShapeInput | undefined, own: ShapeInput | undefined, taken: readonly Field[]) {
  if (recipe === undefined) return own;
  const merged: ShapeInput = { ...recipe, ...own };
  for (const part of ['firstOf', 'templates'] as const) {
    const fields = { ...without<unknown>(recipe[part], taken), ...own?.[part] };
    if (Object.keys(fields).length > 0) Object.assign(merged, { [part]: fields });
    else delete merged[part];
  }
  if (taken.includes('guid') && own?.numbered === undefined && own?.wide === undefined) {
    delete merged.numbered;
    delete merged.wide;
  }
  // Header and lines to skip say the same thing in different ways.
  if (own?.headerRow !== undefined) delete merged.skipLines;
  if (own?.skipLines !== undefined) delete merged.headerRow;
  return merged;
}

function without<Value>(
  fields: Readonly<Partial<Record<Field, Value>>> = {},
  taken: readonly Field[],
): Partial<Record<Field, Value>> {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !taken.some((one) => one === field)));
}

/** The options with those of the recipe. @throws RECIPE_NEEDS for what the file does not have and they do not give */
export function requireNeeds<Options extends Partial<ImportOptions>>(recipe: Recipe, chosen: Options): Options {
  const options = withRecipe(recipe, chosen);
  const missing = recipe.needs.find(({ what, optional }) => !optional && !isGiven(what, options));
  if (missing === undefined) return options;
  throw new RollcallError('RECIPE_NEEDS', { name: recipe.name, field: missing.what, why: missing.why });
}

function isGiven(what: 'guid' | LookupName, { guid, map, shape }: Partial<ImportOptions>) {
  if (what === 'guid') return [guid, map?.guid, shape?.firstOf?.guid, shape?.templates?.guid].some((one) => one);
  if (what === 'groups') return [shape?.groups, guid, shape?.templates?.guid].some((one) => one !== undefined);
  // Options that make UIDs from the file need no identity file.
  return shape?.identities !== undefined || shape?.templates?.uid !== undefined || map?.uid?.includes('{') === true;
}
