import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { RECIPE_NAME } from '../../api/recipes.ts';
import { messageOf } from '../../errors/message-of.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { shownPath } from '../read/intake-error.ts';
import { BUILT_IN } from './built-in.ts';
import { type Recipe, type RecipeInput, recipe } from './recipe.ts';
import { BadRecipe, UnknownRecipe } from './recipe-errors.ts';

/** A recipe, and whether it is one of the data directory, which can be changed and removed. */
export interface KnownRecipe extends Recipe {
  readonly saved: boolean;
}

const builtIn = (): KnownRecipe[] => BUILT_IN.map((one) => ({ ...recipe.parse(one), saved: false }));

/** All recipes by name: those of the data directory first. @throws BadRecipe for a file that is not one */
export function listRecipes({ recipes }: DataDir): KnownRecipe[] {
  const saved = namesIn(recipes).map((name) => readRecipe(recipes, name));
  return [...saved, ...builtIn()];
}

/** @throws UnknownRecipe, BadRecipe */
export function findRecipe(dir: DataDir, name: string): KnownRecipe {
  const own = builtIn().find((one) => one.name === name);
  if (own !== undefined) return own;
  const names = namesIn(dir.recipes);
  if (names.includes(name)) return readRecipe(dir.recipes, name);
  throw new UnknownRecipe(name, [...names, ...BUILT_IN.map((one) => one.name)]);
}

/** Writes a recipe into the data directory, replacing one of the same name. @throws BadRecipe */
export function saveRecipe({ recipes }: DataDir, given: RecipeInput): KnownRecipe {
  if (BUILT_IN.some(({ name }) => name === given.name)) {
    throw new BadRecipe(`${given.name} is a recipe that comes with rollcall`, 'choose another name');
  }
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
  if (!findRecipe(dir, name).saved) {
    throw new BadRecipe(`${name} is a recipe that comes with rollcall`, 'only recipes that were saved can be removed');
  }
  rmSync(join(dir.recipes, `${name}.json`));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => file.slice(0, -'.json'.length))
      .filter((name) => RECIPE_NAME.test(name))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function readRecipe(folder: string, name: string): KnownRecipe {
  const path = join(folder, `${name}.json`);
  const wrong = (why: string) =>
    new BadRecipe(`${shownPath(path)} is not a recipe: ${why}`, 'correct or remove the file');
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw wrong(messageOf(error));
  }
  const checked = recipe.safeParse(content);
  if (!checked.success) throw wrong(problems(checked.error));
  if (checked.data.name !== name) throw wrong(`its name is ${JSON.stringify(checked.data.name)}`);
  return { ...checked.data, saved: true };
}

function problems(error: z.ZodError): string {
  return z.prettifyError(error).replace(/\s*\n\s*/g, ' ');
}
