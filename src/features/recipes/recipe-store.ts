import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NAME_RULE, RECIPE_NAME } from '../../api/recipes.ts';
import { isError, messageOf, RollcallError } from '../../errors/rollcall-error.ts';
import { shown, shownPath } from '../../imports/read/intake-error.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { writeWhole } from '../../platform/files.ts';
import { withoutMark } from '../../platform/given-values.ts';
import { wrongOption } from '../../text/wrong-option.ts';
import { type Recipe, type RecipeInput, recipeFile } from './recipe.ts';

/** The recipes that come with rollcall, each tried against a sample in samples/recipes. */
const BUILT_IN = fileURLToPath(new URL('built-in', import.meta.url));

export function builtInRecipes(): Recipe[] {
  return namesIn(BUILT_IN).map((name) => readIn(BUILT_IN, name));
}

/** All recipes by name: those of the data directory first; and the names of files in it that are not recipes. */
export function listRecipes({ recipes }: DataDir): { readonly recipes: Recipe[]; readonly unreadable: string[] } {
  const saved: Recipe[] = [];
  const unreadable: string[] = [];
  for (const name of namesIn(recipes)) {
    try {
      saved.push(readIn(recipes, name));
    } catch (error) {
      if (!isError(error, 'BAD_RECIPE')) throw error;
      unreadable.push(name);
    }
  }
  return { recipes: [...saved, ...builtInRecipes()], unreadable };
}

/** @throws UNKNOWN_RECIPE, BAD_RECIPE */
export function findRecipe(dir: DataDir, name: string): Recipe {
  return readIn(folderOf(dir, name), name);
}

/** The folder that has a recipe. @throws UNKNOWN_RECIPE */
function folderOf({ recipes }: DataDir, name: string) {
  const [builtIn, saved] = [namesIn(BUILT_IN), namesIn(recipes)];
  if (builtIn.includes(name)) return BUILT_IN;
  if (saved.includes(name)) return recipes;
  throw new RollcallError('UNKNOWN_RECIPE', { name, names: [...saved, ...builtIn] });
}

/** A recipe by its name, or in a file of this machine. @throws UNKNOWN_RECIPE, BAD_RECIPE */
export function findRecipeOrFile(dir: DataDir, nameOrFile: string): Recipe {
  return RECIPE_NAME.test(nameOrFile) ? findRecipe(dir, nameOrFile) : recipeOfFile(nameOrFile);
}

/** @throws BAD_RECIPE */
export function recipeOfFile(path: string, name = path): Recipe {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw badRecipe(
      `${shownPath(path)} is neither the name nor the file of a recipe: ${messageOf(error)}`,
      'name a JSON file, or one of those that `rollcall recipes` lists',
    );
  }
  return recipeIn(text, name);
}

/** A recipe by its name, or its text as JSON, as a request has it. @throws UNKNOWN_RECIPE, BAD_RECIPE */
export function findRecipeOrText(dir: DataDir, nameOrText: string): Recipe {
  return nameOrText.startsWith('{') ? recipeIn(nameOrText, 'of the request') : findRecipe(dir, nameOrText);
}

/** Writes a recipe into the data directory, replacing one of the same name. @throws BAD_RECIPE */
export async function saveRecipe({ recipes }: DataDir, name: string, given: RecipeInput): Promise<Recipe> {
  checkOwn(name, 'choose another name');
  if (!RECIPE_NAME.test(name))
    throw badRecipe(`${shown(name)} is not a name for a recipe`, NAME_RULE, { field: 'name' });
  const recipe = recipeFile.parse(given);
  mkdirSync(recipes, { recursive: true, mode: 0o700 });
  await writeWhole(join(recipes, `${name}.json`), [`${JSON.stringify(recipe, undefined, 2)}\n`]);
  return { ...recipe, name, saved: true };
}

/** @throws UNKNOWN_RECIPE, BAD_RECIPE for one that comes with rollcall */
export function removeRecipe(dir: DataDir, name: string): void {
  checkOwn(name, 'only saved ones can be removed');
  rmSync(join(folderOf(dir, name), `${name}.json`));
}

/** @throws BAD_RECIPE for one that comes with rollcall */
function checkOwn(name: string, remedy: string) {
  if (!namesIn(BUILT_IN).includes(name)) return;
  throw badRecipe(`${name} is a recipe that comes with rollcall`, remedy, { field: 'name' });
}

function namesIn(folder: string) {
  try {
    // A link could lead to any file of this machine.
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
      .map(({ name }) => name.slice(0, -'.json'.length))
      .filter((name) => RECIPE_NAME.test(name))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function readIn(folder: string, name: string): Recipe {
  const path = join(folder, `${name}.json`);
  if (folder === BUILT_IN) return recipeOfFile(path, name);
  try {
    return { ...recipeOfFile(path, name), saved: true };
  } catch (error) {
    if (!isError(error, 'BAD_RECIPE')) throw error;
    // The message leaves this machine, and repeats nothing of the file.
    throw badRecipe(`the file of the recipe ${name} is not a recipe`, SHOW_IT, { why: error.message });
  }
}

const SHOW_IT =
  'correct or remove it in the folder recipes of the data directory; `rollcall recipes show` with its name says there what is wrong';

/** The names of what a recipe has, by their place in it. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(recipeFile.shape),
  settings: Object.keys(recipeFile.shape.settings.shape),
};

/** @param more `field`: the option at fault; `why` for people on this machine */
function badRecipe(what: string, remedy: string, more: { readonly field?: 'name'; readonly why?: string } = {}) {
  return new RollcallError('BAD_RECIPE', { what: `${what}; ${remedy}`, field: 'recipe', ...more });
}

/** @throws BAD_RECIPE with the place, its value and what is allowed */
function recipeIn(text: string, name: string) {
  let content: unknown;
  try {
    content = JSON.parse(withoutMark(text));
  } catch (error) {
    throw badRecipe(`the recipe ${name} is not JSON: ${messageOf(error)}`, 'correct it');
  }
  const { data, error } = recipeFile.safeParse(content);
  if (data !== undefined) return { ...data, name, saved: false };
  const { text: problem, isUnknown } = wrongOption(error, content, 'it');
  const allowed = isUnknown ? NAMES[error.issues[0]?.path.join('.') ?? ''] : undefined;
  throw badRecipe(
    `the recipe ${name} cannot be used: ${problem}${allowed === undefined ? '' : `; allowed are ${allowed.join(', ')}`}`,
    'correct it',
  );
}
