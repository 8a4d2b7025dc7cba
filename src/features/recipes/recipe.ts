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

export function expected({ expects, fits: { columns = [], text = [] } }: Recipe): string {
  return expects ?? listed([...columns, ...text]);
}

/** The request for an addition that a recipe needs, as the command line has it. */
export function needText({ what, why, optional }: Recipe['needs'][number]): string {
  return `${optional ? 'You can add' : 'You have to add'} --${what}: ${why}.`;
}

type Seen = ReturnType<typeof seenIn>;

/** The marks in the beginning of a file. A folder or archive has no text of its own: its first rows are used. */
export function seenIn({ kind: format, names: columns, rows }: ReadBeginning, head: Head) {
  const start = head.text === '' ? rows.map(({ original }) => original).join('\n') : head.text;
  const text = `${columns.join(',')}\n${start}`;
  const packed = withoutSpaces(text);
  const known = new Set(columns.map(sameWord));
  return {
    /** Undefined where the file could not be read. */
    format,
    /** The columns in the file's header, or the keys of its first elements. */
    columns,
    text,
    known,
    /** Whether a column is there; of `course_id|section_id` one is enough. */
    has: (column: string) => [column, ...column.split('|')].some((name) => known.has(sameWord(name))),
    says: (piece: string) => packed.includes(withoutSpaces(piece)),
  };
}

/** Recipes with marks that a file has: the most specific ones first. */
export function fitting(recipes: readonly Recipe[], seen: Seen): Recipe[] {
  const { known } = seen;
  const hasHeader = ({ fits: { header } }: Recipe) =>
    header === undefined || (header.length === known.size && header.every((name) => known.has(sameWord(name))));
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
  const missing = (wanted.columns ?? []).filter((column) => !seen.has(column));
  const lacks =
    missing.length === 0 || missing.length === wanted.columns?.length ? '' : `; missing: ${listed(missing)}`;
  throw intakeError(
    'RECIPE_MISFIT',
    `${shownPath(file)} does not fit the recipe ${name}: it expects ${expected(recipe)}${lacks}; the file ${described(seen)}`,
    words`Leave out ${option('recipe')}, or name another one: \`rollcall inspect\` shows what the file is`,
    { facts: { recipe: name } },
  );
}

function fits({ fits: { columns, text } }: Recipe, { has, says }: Seen) {
  return columns?.every(has) !== false && text?.every(says) !== false;
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
