import { join } from 'node:path';
import { Command } from 'commander';
import { noteCommand } from '../../../cli/audit.ts';
import { type End, EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { type CommonFlags, withDataDir, withJson } from '../../../cli/flags/flags.ts';
import { importOptionsOf } from '../../../cli/flags/import-flags.ts';
import { type RecipeFlags, withOptions, withRecipeFlag } from '../../../cli/flags/option-flags.ts';
import { type ShapeFlags, withShape } from '../../../cli/flags/shape-flags.ts';
import { type Io, say, tableWidth } from '../../../cli/screen/io.ts';
import { drawTable } from '../../../cli/screen/table.ts';
import { findImport } from '../../../cli/target/kept-imports.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import { readOptions } from '../../../imports/import-options.ts';
import { openImportReader } from '../../../imports/report/import-reader.ts';
import { READING, type ReadingChoices } from '../../../options/reading-options.ts';
import { type Config, readConfig } from '../../../platform/config.ts';
import { type DataDir, dataDir, makeDataDir } from '../../../platform/data-dir.ts';
import { wrap } from '../../../text/terminal-text.ts';
import { lookAt } from '../beginning.ts';
import type { recipeOperations } from '../operations.ts';
import { BadRecipe, needText, recipeFrom } from '../recipe.ts';
import {
  checkName,
  findRecipe,
  isSaved,
  type KnownRecipe,
  listRecipes,
  removeRecipe,
  saveRecipe,
  unreadableRecipes,
} from '../recipe-store.ts';
import { flagsOf } from '../typed-import.ts';
import { useRecipe } from '../use-recipe.ts';

interface SaveFlags extends CommonFlags, ReadingChoices, ShapeFlags, RecipeFlags {
  readonly from?: string;
  readonly title?: string;
  readonly description?: string;
  readonly overwrite?: true;
}

/** `rollcall recipes`: settings for the exports of other systems, and for your own files. */
export function recipesCommand(io: Io, end: End): Command {
  const list = withDataDir(withJson(new Command('list').description('list all recipes'))).action((flags: CommonFlags) =>
    end(listAll(io, flags)),
  );
  const show = withDataDir(
    withJson(new Command('show').description('what a recipe does, and what it needs').argument('<name>')),
  ).action((name: string, flags: CommonFlags) => end(showOne(io, name, flags)));
  const remove = withDataDir(
    withJson(new Command('remove').description('delete a recipe that was saved').argument('<name>')),
  ).action((name: string, flags: CommonFlags) => end(removeOne(io, name, flags)));
  return new Command('recipes')
    .addCommand(list, { isDefault: true })
    .addCommand(show)
    .addCommand(saveCommand(io, end))
    .addCommand(remove);
}

function saveCommand(io: Io, end: End): Command {
  const command = new Command('save')
    .description('keep the flags of an import under a name, for files of the same kind')
    .argument('<name>', 'small letters, digits and hyphens')
    .argument('[file]', 'a file that the flags are for')
    .option('--from <import>', 'take the flags of an import instead; "latest" is the latest one')
    .option('--title <text>', 'what the files are')
    .option('--description <text>', 'what rollcall does with them')
    .option('--overwrite', 'replace a recipe with this name');
  return withDataDir(withJson(withShape(withOptions(withRecipeFlag(command), READING)))).action(
    (name: string, file: string | undefined, flags: SaveFlags) => end(saveOne(io, name, file, flags)),
  );
}

async function listAll(io: Io, flags: CommonFlags): Promise<ExitCode> {
  const dir = dataDir(readConfig(flags).dataDir);
  const recipes = listRecipes(dir);
  if (flags.json) io.out.write(`${JSON.stringify(recipes)}\n`);
  else {
    const rows = recipes.map(({ name, saved, title }) => [name, saved ? 'saved' : 'built in', title]);
    for (const name of unreadableRecipes(dir)) rows.push([name, 'unreadable', '`rollcall recipes show` says why']);
    io.out.write(`${drawTable(['name', '', 'for'], rows, tableWidth(io))}\n`);
    say(io, '', 'Use one with --recipe NAME. See what it does with:', '  rollcall recipes show NAME');
  }
  return EXIT.ok;
}

async function showOne(io: Io, name: string, flags: CommonFlags): Promise<ExitCode> {
  const recipe = readOne(dataDir(readConfig(flags).dataDir), name);
  io.out.write(flags.json ? `${JSON.stringify(recipe)}\n` : recipeText(recipe, io.width));
  return EXIT.ok;
}

/** @throws UnknownRecipe, and UsageError with the reason for a file that is not a recipe */
function readOne(dir: DataDir, name: string): KnownRecipe {
  try {
    return findRecipe(dir, name);
  } catch (error) {
    if (!(error instanceof BadRecipe) || error.why === undefined) throw error;
    throw new UsageError(`${join(dir.recipes, `${name}.json`)} is not a recipe: ${error.why}`);
  }
}

function recipeText({ name, title, description, howToExport, expects, needs, settings }: KnownRecipe, width: number) {
  const { exportOf, shape, ...rest } = settings;
  const flags = flagsOf({ ...rest, ...(shape !== undefined && { shape }) });
  const lines = [
    `${name}: ${title}`,
    '',
    ...(description === '' ? [] : wrap(description, width)),
    ...(howToExport === undefined ? [] : wrap(`File: ${howToExport}.`, width)),
    ...wrap(`It expects ${expects}.`, width),
    ...needs.flatMap((need) => wrap(needText(need), width)),
    '',
    ...(exportOf === undefined ? [] : [`It looks for memberships inside of the elements (${exportOf}).`]),
    ...(flags.length === 0 ? [] : ['The same as:', ...flags.map((flag) => `  ${flag}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

async function saveOne(io: Io, name: string, file: string | undefined, flags: SaveFlags): Promise<ExitCode> {
  if ((file === undefined) === (flags.from === undefined)) {
    throw new UsageError('name a file that the flags are for, or an import with --from; one of the two');
  }
  const config = readConfig(flags);
  const dir = dataDir(config.dataDir);
  checkName(name);
  if (isSaved(dir, name) && !flags.overwrite) {
    throw new UsageError(
      `there is a recipe with the name ${name} already; choose another name, or replace it with --overwrite`,
    );
  }
  const origin =
    flags.from === undefined ? await fromFile(config, dir, file ?? '', flags) : fromImport(config, dir, flags.from);
  makeDataDir(dir);
  const saved = saveRecipe(dir, recipeFrom({ name, title: flags.title, description: flags.description, ...origin }));
  noteCommand<typeof recipeOperations>(dir, 'recipe.save', name, saved.title);
  if (flags.json) io.out.write(`${JSON.stringify(saved)}\n`);
  say(io, `Recipe ${name} is saved. Use it with:`, `  ${typedCommand(config, 'import', '<file>', '--recipe', name)}`);
  return EXIT.ok;
}

async function fromFile(config: Config, dir: DataDir, file: string, flags: SaveFlags) {
  const chosen = importOptionsOf(config, flags);
  const base = flags.recipe === undefined ? undefined : findRecipe(dir, flags.recipe);
  const options =
    base === undefined ? chosen : await useRecipe({ recipe: base, options: chosen, file: { path: file }, name: file });
  const { names, recognised, refusal, valid } = await lookAt({ path: file }, options, { lenient: false, rows: 200 });
  if (refusal !== undefined) throw refusal;
  if (valid === 0)
    throw new UsageError(
      `with these flags none of the first rows of ${file} can be sent; see why with \`${config.command} inspect\``,
    );
  return { options, columns: names, recognised, base };
}

function fromImport(config: Config, dir: DataDir, id: string) {
  const record = findImport(config.dataDir, id === 'latest' ? undefined : id);
  const options = readOptions(record);
  const reader = openImportReader(dir.ledger(record.id));
  try {
    const { columns, recognised } = reader.input();
    return {
      options,
      columns,
      recognised,
      base: options.recipe === undefined ? undefined : findRecipe(dir, options.recipe),
    };
  } finally {
    reader.close();
  }
}

async function removeOne(io: Io, name: string, flags: CommonFlags): Promise<ExitCode> {
  const dir = dataDir(readConfig(flags).dataDir);
  removeRecipe(dir, name);
  noteCommand<typeof recipeOperations>(dir, 'recipe.remove', name, '');
  if (flags.json) io.out.write(`${JSON.stringify({ name, removed: true })}\n`);
  say(io, `Recipe ${name} is removed.`);
  return EXIT.ok;
}
