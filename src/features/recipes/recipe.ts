import { z } from 'zod';
import { recipeFields } from '../../api/recipes.ts';
import { option, words } from '../../errors/named-options.ts';
import { importOptions } from '../../imports/import-options.ts';
import type { Head, ReadBeginning } from '../../imports/read/beginning.ts';
import { intakeError, listed, shown, shownPath } from '../../imports/read/intake-error.ts';
import { sameWord } from '../../text/same-text.ts';

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

/** A recipe, and where it comes from. One that is saved can be changed and removed. */
export const recipeView = recipeFile
  .extend({
    name: z.string(),
    saved: z.boolean().describe('In the data directory; false: it comes with rollcall.'),
  })
  .meta({ id: 'Recipe', description: 'Settings for one kind of file, such as the export of another system.' });
export type Recipe = z.infer<typeof recipeView>;

/** The marks of a file that fits, in words. */
export function expected({ expects, fits: { columns = [], text = [] } }: Recipe): string {
  return expects ?? listed([...columns, ...text]);
}

/** The request for an addition that a recipe needs, as the command line has it. */
export function needText({ what, why, optional }: Recipe['needs'][number]): string {
  return `${optional ? 'You can add' : 'You have to add'} --${what}: ${why}.`;
}

/** Facts about a file that are enough to find its recipe. */
interface Seen {
  /** `csv`, `json` and so on; undefined where the file could not be read. */
  readonly format: string | undefined;
  /** The columns in the file's header, or the keys of its first elements. */
  readonly columns: readonly string[];
  /** Beginning of the text; empty where it is not text. */
  readonly text: string;
}

/** Returns the marks in the beginning of a file. A folder or archive has no text of its own: its first rows are used. */
export function seenIn({ kind, names, rows }: ReadBeginning, { text }: Head): Seen {
  const start = text === '' ? rows.map(({ original }) => original).join('\n') : text;
  return { format: kind, columns: names, text: `${names.join(',')}\n${start}` };
}

/** Recipes with marks that a file has: the most specific ones first. */
export function fitting(recipes: readonly Recipe[], seen: Seen): Recipe[] {
  const columns = new Set(seen.columns.map(sameWord));
  const hasHeader = ({ fits: { header } }: Recipe) =>
    header === undefined || (header.length === columns.size && header.every((name) => columns.has(sameWord(name))));
  return recipes
    .filter((recipe) => weight(recipe) > 0 && fits(recipe, seen) && hasHeader(recipe))
    .sort((a, b) => weight(b) - weight(a));
}

/** A recipe that was saved for this very header comes first. Zero: it has no marks. */
function weight({ fits: { columns = [], text = [], header } }: Recipe) {
  return columns.length + text.length * 3 + (header === undefined ? 0 : 1_000);
}

/** @throws IntakeError RECIPE_MISFIT with what was expected and what was seen */
export function requireFit(recipe: Recipe, seen: Seen, file: string): void {
  if (fits(recipe, seen)) return;
  const { name, fits: wanted } = recipe;
  const has = columnsIn(seen);
  const missing = (wanted.columns ?? []).filter((column) => !has(column));
  const lacks =
    missing.length === 0 || missing.length === wanted.columns?.length ? '' : `; missing: ${listed(missing)}`;
  throw intakeError(
    'RECIPE_MISFIT',
    `${shownPath(file)} does not fit the recipe ${name}: it expects ${expected(recipe)}${lacks}; the file ${described(seen)}`,
    words`Leave out ${option('recipe')}, or name another one: \`rollcall inspect\` shows what the file is`,
    { facts: { recipe: name } },
  );
}

function fits({ fits: { columns, text } }: Recipe, seen: Seen) {
  if (columns?.every(columnsIn(seen)) === false) return false;
  const start = text === undefined ? '' : withoutSpaces(seen.text);
  return text?.every((piece) => start.includes(withoutSpaces(piece))) ?? true;
}

/** Whether a column is there; of `course_id|section_id` one is enough. */
function columnsIn({ columns }: Seen): (column: string) => boolean {
  const known = new Set(columns.map(sameWord));
  return (column) => [column, ...column.split('|')].some((name) => known.has(sameWord(name)));
}

function described({ format, columns, text }: Seen) {
  const [line = ''] = text.trimStart().split(/\r?\n/, 1);
  if (format === undefined) return line === '' ? 'is not text' : `begins with ${shown(line)}`;
  const what = format === 'csv' ? 'columns' : 'keys';
  return columns.length === 0 ? `is ${format} and begins with ${shown(line)}` : `has the ${what} ${listed(columns)}`;
}

function withoutSpaces(text: string) {
  return text.replace(/\s+/g, '').toLowerCase();
}
