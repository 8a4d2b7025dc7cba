import type { z } from 'zod';
import { recipeFields } from '../../api/recipes.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { type ImportOptions, importOptions } from '../../imports/import-options.ts';
import { listed, shown } from '../../imports/read/intake-error.ts';
import type { LookupName } from '../../options/lookups.ts';

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
  })
  .partial();
export type RecipeSettings = z.infer<typeof recipeSettings>;

/** A named set of settings for one kind of file. */
export const recipe = recipeFields.extend({ settings: recipeSettings }).meta({ title: 'Recipe' });
export type Recipe = z.infer<typeof recipe>;
export type RecipeInput = z.input<typeof recipe>;

/** The request for an addition that a recipe needs, as the command line has it. */
export function needText({ what, why, optional }: Recipe['needs'][number]): string {
  return `${optional ? 'You can add' : 'You have to add'} --${what}: ${why}.`;
}

/** There is no recipe with this name. */
export class UnknownRecipe extends RollcallError {
  constructor(name: string, names: readonly string[]) {
    super('UNKNOWN_RECIPE', `no recipe has the name ${shown(name)}; there are ${names.join(', ')}`, {
      remedy: '`rollcall recipes` describes them',
      facts: { name, names },
    });
  }
}

/** A recipe asks for something that the file does not have. */
export class RecipeNeeds extends RollcallError {
  constructor(name: string, need: 'guid' | LookupName, why: string) {
    const what = `the recipe ${name} needs --${need}: ${why}`;
    super('RECIPE_NEEDS', what, {
      message: what,
      remedy: `add ${need}: ${why}`,
      facts: { name, need, field: need },
    });
  }
}

/** A recipe cannot be saved, or was written by hand and cannot be used. */
export class BadRecipe extends RollcallError {
  /**
   * The reason why a file is no recipe. It may repeat the content of the file, and is only for people on its machine.
   */
  readonly why: string | undefined;

  constructor(what: string, remedy: string, why?: string) {
    super('BAD_RECIPE', `${what}; ${remedy}`);
    this.why = why;
  }
}

/** The origin of a recipe: the options of an import, and the file that they were for. */
export interface Origin {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly options: Partial<ImportOptions>;
  /** The file's columns, and which field was read from which. */
  readonly columns: readonly string[];
  readonly recognised: Readonly<Partial<Record<string, string>>>;
  /** The recipe that gave some of the options, where one did. */
  readonly base?: Recipe | undefined;
}

/** A recipe that does the same with files of the same header. */
export function recipeFrom({ name, title, description, options, columns, recognised, base }: Origin): RecipeInput {
  const settings = settingsOf(options);
  const said = new Set([...textsIn(settings), ...Object.values(recognised)]);
  // A column counts where a setting names it, or a template has it in its braces.
  const needed = columns.filter((column) => said.has(column) || [...said].some((text) => text?.includes(`{${column}`)));
  const isOwn = options.exportOf === undefined && columns.length > 0;
  return {
    name,
    title: title ?? base?.title ?? `Files like the one that ${name} was saved from`,
    ...(description !== undefined && { description }),
    expects: isOwn ? `the columns ${listed(needed)}` : (base?.expects ?? 'a file of the same kind'),
    needs: base?.needs.filter(({ what }) => what !== 'guid' || settings.guid === undefined) ?? [],
    fits: isOwn ? { ...(needed.length > 0 && { columns: needed }), header: [...columns] } : (base?.fits ?? {}),
    settings,
  };
}

/** The part of the options that a recipe keeps. */
function settingsOf(options: Partial<ImportOptions>): RecipeSettings {
  const kept = Object.entries(options).filter(([key, value]) => key in recipeSettings.shape && value !== undefined);
  const settings = recipeSettings.parse(Object.fromEntries(kept));
  if (settings.format === 'auto') delete settings.format;
  if (Object.keys(settings.map ?? {}).length === 0) delete settings.map;
  return settings;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
