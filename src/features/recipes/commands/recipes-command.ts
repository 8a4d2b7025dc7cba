import { join } from 'node:path';
import { Command } from 'commander';
import type { Name, Names } from '../../../cli/command-entry.ts';
import type { Action } from '../../../cli/exit-codes.ts';
import { type CommonFlags, withDataDir, withJson } from '../../../cli/flags/flags.ts';
import { type Io, printJson, printTable, say } from '../../../cli/screen/io.ts';
import { badUsage, isError } from '../../../errors/rollcall-error.ts';
import { readConfig } from '../../../platform/config.ts';
import type { DataDir } from '../../../platform/data-dir.ts';
import { wrap } from '../../../text/terminal-text.ts';
import { expected, needText, type Recipe } from '../recipe.ts';
import { builtInRecipes, findRecipeOrFile, listRecipes } from '../recipe-store.ts';

/** `rollcall recipes`: settings for the exports of other systems, and for your own files. */
export function recipesCommand(action: Action) {
  const list = withDataDir(withJson(new Command('list').description('list all recipes'))).action(action(listAll));
  const show = withDataDir(
    withJson(
      new Command('show')
        .description('what a recipe does, and what it needs; with --json the file, to change and use')
        .argument('<recipe>', 'its name, or a file'),
    ),
  ).action(action(showOne));
  return new Command('recipes').addCommand(list, { isDefault: true }).addCommand(show);
}

async function listAll(io: Io, flags: CommonFlags) {
  const { recipes, unreadable } = listRecipes(readConfig(flags).dir);
  if (flags.json) printJson(io, recipes);
  else {
    const rows = recipes.map(({ name, saved, title }) => [name, saved ? 'saved' : 'built in', title]);
    for (const name of unreadable) rows.push([name, 'unreadable', '`rollcall recipes show` says why']);
    printTable(io, ['name', '', 'for'], rows);
    say(io, '', 'Use one with --recipe NAME. See what it does with:', '  rollcall recipes show NAME');
  }
}

async function showOne(io: Io, nameOrFile: string, flags: CommonFlags) {
  const recipe = readOne(readConfig(flags).dir, nameOrFile);
  const { name: _, saved: __, ...file } = recipe;
  io.out.write(flags.json ? `${JSON.stringify(file, undefined, 2)}\n` : recipeText(recipe, io.width));
}

/** @throws UNKNOWN_RECIPE, and BAD_USAGE with the reason for a saved file that is not a recipe */
function readOne(dir: DataDir, nameOrFile: string) {
  try {
    return findRecipeOrFile(dir, nameOrFile);
  } catch (error) {
    if (!isError(error, 'BAD_RECIPE') || error.facts.why === undefined) throw error;
    throw badUsage(`${join(dir.recipes, `${nameOrFile}.json`)}: ${error.facts.why}`);
  }
}

function recipeText(recipe: Recipe, width: number) {
  const { name, title, description, howToExport, needs, settings } = recipe;
  const marks = expected(recipe);
  const lines = [
    `${name}: ${title}`,
    '',
    ...(description === '' ? [] : wrap(description, width)),
    ...(howToExport === undefined ? [] : wrap(`File: ${howToExport}.`, width)),
    ...(marks === '' ? [] : wrap(`It expects ${marks}.`, width)),
    ...needs.flatMap((need) => wrap(needText(need), width)),
    '',
    'Its settings, as a file for --recipe has them:',
    JSON.stringify(settings, undefined, 2),
  ];
  return `${lines.join('\n')}\n`;
}

export const recipeNames: Names = {
  wants: (command) => command.name() === 'show',
  local: async (dir) => listRecipes(dir).recipes.map(({ name, title }): Name => [name, title]),
  builtIn: () => builtInRecipes().map(({ name, title }): Name => [name, title]),
};
