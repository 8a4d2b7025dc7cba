import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { NAME_RULE, RECIPE_NAME } from '../../api/recipes.ts';
import { messageOf } from '../../errors/message-of.ts';
import { shown } from '../../imports/read/intake-error.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { BUILT_IN } from './built-in.ts';
import { importedRecipe, importedRecipes } from './imported.ts';
import { BadRecipe, type Recipe, type RecipeInput, recipe, UnknownRecipe } from './recipe.ts';

/** A recipe, and whether it is one of the data directory, which can be changed and removed. */
export interface KnownRecipe extends Recipe {
  readonly saved: boolean;
}

const builtIn = (): KnownRecipe[] => BUILT_IN.map((one) => ({ ...recipe.parse(one), saved: false }));

/** All recipes by name: those of the data directory first. Files that are not recipes are left out. */
export function listRecipes(dir: DataDir): KnownRecipe[] {
  return [...savedRecipes(dir).readable, ...builtIn()];
}

/** All that may fit a file: those recipes, and how earlier imports read their files. */
export function recipesToSuggest(dir: DataDir): Recipe[] {
  return [...listRecipes(dir), ...importedRecipes(dir)];
}

/** Names of the files in the data directory that should be recipes and are not. */
export function unreadableRecipes(dir: DataDir): string[] {
  return savedRecipes(dir).unreadable;
}

function savedRecipes({ recipes }: DataDir) {
  const readable: KnownRecipe[] = [];
  const unreadable: string[] = [];
  for (const name of namesIn(recipes)) {
    try {
      readable.push(readRecipe(recipes, name));
    } catch (error) {
      if (!(error instanceof BadRecipe)) throw error;
      unreadable.push(name);
    }
  }
  return { readable, unreadable };
}

/** A recipe by its name; by its id, how an import read its file. @throws UnknownRecipe, BadRecipe */
export function findRecipe(dir: DataDir, name: string): KnownRecipe {
  const own = builtIn().find((one) => one.name === name);
  if (own !== undefined) return own;
  const names = namesIn(dir.recipes);
  if (names.includes(name)) return readRecipe(dir.recipes, name);
  const imported = importedRecipe(dir, name);
  if (imported !== undefined) return { ...imported, saved: false };
  throw unknown(names, name);
}

function unknown(saved: readonly string[], name: string): UnknownRecipe {
  return new UnknownRecipe(name, [...saved, ...BUILT_IN.map((one) => one.name)]);
}

/** Whether the data directory has a recipe with this name, though it may not be readable. */
export function isSaved({ recipes }: DataDir, name: string): boolean {
  return namesIn(recipes).includes(name);
}

/** @throws BadRecipe for a name that no recipe can be saved under */
export function checkName(name: string): void {
  if (BUILT_IN.some((one) => one.name === name)) {
    throw new BadRecipe(`${name} is a recipe that comes with rollcall`, 'choose another name');
  }
  if (RECIPE_NAME.test(name)) return;
  throw new BadRecipe(`${shown(name)} is not a name for a recipe`, NAME_RULE);
}

/** Writes a recipe into the data directory, replacing one of the same name. @throws BadRecipe */
export function saveRecipe({ recipes }: DataDir, given: RecipeInput): KnownRecipe {
  checkName(given.name);
  const checked = recipe.safeParse(given);
  if (!checked.success) throw new BadRecipe(`the recipe cannot be saved: ${problems(checked.error)}`, 'correct it');
  mkdirSync(recipes, { recursive: true, mode: 0o700 });
  const path = join(recipes, `${checked.data.name}.json`);
  const unfinished = `${path}.part`;
  writeFileSync(unfinished, `${JSON.stringify(checked.data, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
  return { ...checked.data, saved: true };
}

/** @throws UnknownRecipe, BadRecipe for one that comes with rollcall */
export function removeRecipe(dir: DataDir, name: string): void {
  if (BUILT_IN.some((one) => one.name === name)) {
    throw new BadRecipe(`${name} is a recipe that comes with rollcall`, 'only recipes that were saved can be removed');
  }
  const names = namesIn(dir.recipes);
  if (!names.includes(name)) throw unknown(names, name);
  rmSync(join(dir.recipes, `${name}.json`));
}

function namesIn(folder: string): string[] {
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

function readRecipe(folder: string, name: string): KnownRecipe {
  const wrong = (why: string) => new BadRecipe(`the file of the recipe ${name} is not a recipe`, SHOW_IT, why);
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  } catch (error) {
    throw wrong(messageOf(error));
  }
  const checked = recipe.safeParse(content);
  if (!checked.success) throw wrong(problems(checked.error));
  if (checked.data.name !== name) throw wrong(`its name is ${JSON.stringify(checked.data.name)}`);
  return { ...checked.data, saved: true };
}

const SHOW_IT =
  'correct or remove it in the folder recipes of the data directory; `rollcall recipes show` with its name says there what is wrong';

function problems(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; ');
}
