import { type Argument, type Command, Help, type Option } from 'commander';
import { readConfig } from '../../platform/config.ts';
import type { Io } from '../screen/io.ts';

/** What may come next on a command line. */
export interface Suggestions {
  /** Whether names of files may. */
  readonly files: boolean;
  /** Words that begin like the one that is being typed, each with what it means. */
  readonly words: readonly Word[];
}
type Word = readonly [word: string, meaning: string];

/** The flags on the line that say where imports are. */
type Place = Readonly<Record<'dataDir' | 'server', string | undefined>>;

interface KnownCommand {
  readonly description: string;
  readonly hidden?: true;
  readonly load: () => Promise<(io: Io, end: () => Promise<void>) => Command>;
}

/** Placeholders of flags and arguments that take a path. */
const PATHS = new Set(['file', 'dir', 'path']);
const MAX_NAMES = 50;

interface CommandLine {
  readonly commands: Readonly<Record<string, KnownCommand>>;
  /** The topics that `rollcall help` explains, in addition to the commands. */
  readonly topics: () => readonly Word[];
  /** The words after `rollcall`; the last one is being typed, and may be empty. */
  readonly typed: readonly string[];
  readonly io: Io;
}

/** Completes a command line from the commands' own descriptions. */
export async function suggest({ commands, topics, typed, io }: CommandLine): Promise<Suggestions> {
  // bash makes three words of `--flag=value`.
  const words = typed.filter((word) => word !== '=');
  const current = typed.at(-1) === '=' ? '' : (words.pop() ?? '');
  const names = Object.entries(commands)
    .filter(([, { hidden }]) => !hidden)
    .map(([name, { description }]): Word => [name, description]);
  const [name, ...given] = words;
  if (name === undefined) {
    return among(current, [...names, ['help', 'explain a command or a topic'], ['--help', ''], ['--version', '']]);
  }
  if (name === 'help') return among(current, given.length === 0 ? [...names, ...topics()] : []);
  const load = Object.hasOwn(commands, name) ? commands[name]?.load : undefined;
  if (load === undefined) return among(current, []);
  const make = await load();
  const { command, option, position } = placeOf(
    make(io, async () => {}),
    given,
  );
  const place: Place = { dataDir: flagValue(given, '--data-dir'), server: flagValue(given, '--server') };
  if (option !== undefined) return valuesOf(option, current, place);
  const [flag = '', ...value] = current.split('=');
  const assigned = value.length > 0 ? optionOf(command, flag) : undefined;
  if (assigned !== undefined) {
    const { files, words: values } = await valuesOf(assigned, value.join('='), place);
    return { files, words: values.map(([word, meaning]) => [`${flag}=${word}`, meaning]) };
  }
  if (current.startsWith('-')) {
    const options = new Help().visibleOptions(command);
    return among(
      current,
      options.map((one): Word => [one.long ?? one.flags, one.description]),
    );
  }
  const subcommands = position === 0 ? command.commands.map((one): Word => [one.name(), one.description()]) : [];
  const argument = command.registeredArguments[position];
  if (argument === undefined) return among(current, subcommands);
  const named = await namesFor(name, command, argument, place);
  return among(current, [...subcommands, ...named], PATHS.has(argument.name()));
}

/** Where on the command line one is: the inner command, the flag that waits for its value, the number of arguments. */
function placeOf(outer: Command, given: readonly string[]) {
  let command = outer;
  let option: Option | undefined;
  let position = 0;
  for (const word of given) {
    if (option !== undefined) {
      option = undefined;
    } else if (word.startsWith('-') && word !== '-') {
      const found = optionOf(command, word);
      option = found?.required ? found : undefined;
    } else {
      const inner = position === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      if (inner === undefined) position += 1;
      else command = inner;
    }
  }
  return { command, option, position };
}

function optionOf(command: Command, flag: string): Option | undefined {
  return command.options.find((one) => one.long === flag || one.short === flag);
}

function flagValue(given: readonly string[], flag: string): string | undefined {
  return given[given.lastIndexOf(flag) + 1 || given.length];
}

async function valuesOf(option: Option, current: string, place: Place): Promise<Suggestions> {
  const [, placeholder = ''] = /<([^>]+)>/.exec(option.flags) ?? [];
  const choices = (option.argChoices ?? []).map((choice): Word => [choice, '']);
  const named = option.long === '--recipe' ? await whereThereAre(place, recipes, builtInRecipes) : choices;
  return among(current, named, PATHS.has(placeholder));
}

function among(current: string, words: readonly Word[], files = false): Suggestions {
  return { files, words: words.filter(([word]) => word.startsWith(current)) };
}

/** What an argument may name: one of its choices, or an import, sync or schedule of the data directory. */
async function namesFor(name: string, command: Command, argument: Argument, place: Place): Promise<readonly Word[]> {
  if (argument.argChoices !== undefined) return argument.argChoices.map((choice): Word => [choice, '']);
  const wanted = argument.name();
  // They are those of this machine, whatever server there is.
  if (name === 'recipes') {
    const isThere = command.name() === 'show' || command.name() === 'remove';
    return isThere ? await whereThereAre(place, recipes, recipes) : [];
  }
  if (name === 'schedule') return command.name() === 'add' ? [] : await whereThereAre(place, schedules);
  if (name === 'sync') return wanted === 'id' ? await whereThereAre(place, syncs) : [];
  if (name !== 'token' && (wanted === 'id' || wanted === 'import')) return await whereThereAre(place, imports);
  return [];
}

/** What is in the data directory. Where a server has it: what every server has, because no one is asked over the network. */
async function whereThereAre(
  place: Place,
  names: (dataDir: string) => Promise<readonly Word[]>,
  everywhere: (dataDir: string) => Promise<readonly Word[]> = async () => [],
): Promise<readonly Word[]> {
  try {
    const config = readConfig(place);
    return await (config.server === undefined ? names(config.dataDir) : everywhere(config.dataDir));
  } catch {
    // A wrong setting, or nothing there yet: the command itself says so when it is run.
    return [];
  }
}

// Loaded where they are needed: a flag is completed in half the time.
async function imports(dataDir: string): Promise<readonly Word[]> {
  const { listImports } = await import('../target/data.ts');
  return listImports(dataDir, MAX_NAMES).map(({ id, state, file }) => [id, `${state}, ${file}`]);
}

async function syncs(dataDir: string): Promise<readonly Word[]> {
  const [{ readCatalog }, { openSyncCatalogReader }] = await Promise.all([
    import('../../platform/data-dir.ts'),
    import('../../features/sync/sync-catalog.ts'),
  ]);
  return readCatalog(dataDir, openSyncCatalogReader, (reader) =>
    (reader?.list(MAX_NAMES) ?? []).map(({ id, state, file }): Word => [id, `${state}, ${file}`]),
  );
}

async function schedules(dataDir: string): Promise<readonly Word[]> {
  const [{ readCatalog }, { openScheduleCatalogReader }] = await Promise.all([
    import('../../platform/data-dir.ts'),
    import('../../features/schedule/schedule-catalog.ts'),
  ]);
  return readCatalog(dataDir, openScheduleCatalogReader, (reader) =>
    (reader?.list() ?? []).map(({ name, file }): Word => [name, file]),
  );
}

async function recipes(path: string): Promise<readonly Word[]> {
  const [{ listRecipes }, { dataDir }] = await Promise.all([
    import('../../features/recipes/recipe-store.ts'),
    import('../../platform/data-dir.ts'),
  ]);
  return listRecipes(dataDir(path)).map(({ name, title }): Word => [name, title]);
}

async function builtInRecipes(): Promise<readonly Word[]> {
  const { BUILT_IN } = await import('../../features/recipes/built-in.ts');
  return BUILT_IN.map(({ name, title }): Word => [name, title]);
}
