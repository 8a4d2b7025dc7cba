import type { ImportOptions } from '../../imports/import-options.ts';
import { listed } from '../../imports/read/intake-error.ts';
import { type Recipe, type RecipeInput, type RecipeSettings, recipeSettings } from './recipe.ts';

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
