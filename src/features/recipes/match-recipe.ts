import { option, words } from '../../errors/named-options.ts';
import { isImportId } from '../../imports/import-id.ts';
import { IntakeError, listed, shown, shownPath } from '../../imports/read/intake-error.ts';
import type { Recipe } from './recipe.ts';

/** Facts about a file that are enough to find its recipe. */
export interface Seen {
  /** `csv`, `json` and so on; undefined where the file could not be read. */
  readonly format: string | undefined;
  /** The columns in the file's header, or the keys of its first elements. */
  readonly columns: readonly string[];
  /** Beginning of the text; empty where it is not text. */
  readonly text: string;
}

/** Recipes that fit a file: the most specific ones first. */
export function fitting(recipes: readonly Recipe[], seen: Seen): Recipe[] {
  const columns = new Set(seen.columns.map(normal));
  const hasHeader = ({ fits: { header } }: Recipe) =>
    header === undefined || (header.length === columns.size && header.every((name) => columns.has(normal(name))));
  const found = recipes.filter((recipe) => fits(recipe, seen) && hasHeader(recipe));
  // A recipe from an earlier import is of use only if there is no named one.
  return found.sort((a, b) => weight(b) - weight(a)).filter(({ name }, at) => at === 0 || !isImportId(name));
}

/** A recipe that was saved for this very header comes first, then one of an earlier import. */
function weight({ name, fits: { columns = [], text = [], header } }: Recipe): number {
  const ofHeader = isImportId(name) ? 500 : 1_000;
  return columns.length + text.length * 3 + (header === undefined ? 0 : ofHeader);
}

/** @throws IntakeError RECIPE_MISFIT with what was expected and what was seen */
export function requireFit(recipe: Recipe, seen: Seen, file: string): void {
  if (fits(recipe, seen)) return;
  const { name, expects, fits: wanted } = recipe;
  const known = new Set(seen.columns.map(normal));
  const missing = (wanted.columns ?? []).filter((column) => !known.has(normal(column)));
  const lacks =
    missing.length === 0 || missing.length === wanted.columns?.length ? '' : `; missing: ${listed(missing)}`;
  throw new IntakeError({
    code: 'RECIPE_MISFIT',
    what: `${shownPath(file)} does not fit the recipe ${name}: it expects ${expects}${lacks}; the file ${described(seen)}`,
    remedy: words`Leave out ${option('recipe')}, or name another one: \`rollcall inspect\` shows what the file is`,
    facts: { recipe: name },
  });
}

function fits({ fits: { columns, text } }: Recipe, seen: Seen): boolean {
  const known = new Set(seen.columns.map(normal));
  if (columns?.some((column) => !known.has(normal(column)))) return false;
  const start = text === undefined ? '' : withoutSpaces(seen.text);
  return text?.every((piece) => start.includes(withoutSpaces(piece))) ?? true;
}

function described({ format, columns, text }: Seen): string {
  const [line = ''] = text.trimStart().split(/\r?\n/, 1);
  if (format === undefined) return line === '' ? 'is not text' : `begins with ${shown(line)}`;
  const what = format === 'csv' ? 'columns' : 'keys';
  return columns.length === 0 ? `is ${format} and begins with ${shown(line)}` : `has the ${what} ${listed(columns)}`;
}

function normal(name: string): string {
  return name.trim().toLowerCase();
}

function withoutSpaces(text: string): string {
  return text.replace(/\s+/g, '').toLowerCase();
}
