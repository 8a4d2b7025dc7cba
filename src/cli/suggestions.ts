import { type Argument, type Command, Help, type Option } from 'commander';
import { profileNames, readConfig } from '../platform/config.ts';
import type { DataDir } from '../platform/data-dir.ts';
import type { CommandEntry, Commands, LoadCommand, Name, Names } from './command-entry.ts';
import { helpTopics } from './topics.ts';

/** Suggestions for the next word of a command line. */
export interface Suggestions {
  /** Whether names of files may. */
  readonly files: boolean;
  /** Words that begin like the one that is being typed, each with what it means. */
  readonly words: readonly Name[];
}

/** The flags on the line that say where imports are. */
interface Place extends Readonly<Record<'dataDir' | 'server' | 'profile', string | undefined>> {
  /** The command has no flag for a server: it is about this machine, whatever server is set. */
  readonly isHere: boolean;
}

/** Placeholders of flags and arguments that take a path. */
const PATHS = new Set(['file', 'dir', 'path', 'recipe']);
const MAX_NAMES = 50;

/**
 * Completes a command line from the commands' own descriptions.
 * @param typed the words after `rollcall`; the last one is being typed, and may be empty
 */
export async function suggest(commands: Commands, load: LoadCommand, typed: readonly string[]): Promise<Suggestions> {
  // bash makes three words of `--flag=value`.
  const words = typed.filter((word) => word !== '=');
  const current = typed.at(-1) === '=' ? '' : (words.pop() ?? '');
  const { files = false, words: all } = await possible(commands, load, words, current);
  return { files, words: all.filter(([word]) => word.startsWith(current)) };
}

type Possible = Pick<Suggestions, 'words'> & Partial<Suggestions>;

/** All words that may come next, however they begin. */
async function possible(
  commands: Commands,
  load: LoadCommand,
  [name, ...given]: readonly string[],
  current: string,
): Promise<Possible> {
  const names = Object.entries(commands)
    .filter(([, { hidden }]) => !hidden)
    .map(([one, { description }]): Name => [one, description]);
  if (name === undefined) {
    return { words: [...names, ['help', 'explain a command or a topic'], ['--help', ''], ['--version', '']] };
  }
  if (name === 'help') {
    const topics = helpTopics().map((topic): Name => [topic.name, topic.title]);
    return { words: given.length === 0 ? [...names, ...topics] : [] };
  }
  const outer = await load(name);
  if (outer === undefined) return { words: [] };
  const { command, option, position } = typedSoFar(outer, given);
  const place: Place = {
    dataDir: flagValue(given, '--data-dir'),
    server: flagValue(given, '--server'),
    profile: flagValue(given, '--profile'),
    isHere: optionOf(command, '--server') === undefined,
  };
  const [flag = '', ...value] = current.split('=');
  const valued = option ?? (value.length > 0 ? optionOf(command, flag) : undefined);
  if (valued !== undefined) {
    const { files, words } = await valuesOf(valued, place, commands['recipes']?.names);
    return { files, words: option ? words : words.map(([word, meaning]) => [`${flag}=${word}`, meaning]) };
  }
  if (current.startsWith('-')) {
    const options = new Help().visibleOptions(command);
    return { words: options.map((one) => [one.long ?? one.flags, one.description]) };
  }
  const subcommands = position === 0 ? command.commands.map((one): Name => [one.name(), one.description()]) : [];
  const argument = command.registeredArguments[position];
  if (argument === undefined) return { words: subcommands };
  const known = await namesFor(name, commands[name], command, argument, place);
  return { words: [...subcommands, ...known], files: PATHS.has(argument.name()) };
}

/** Position on the command line: the inner command, the flag that waits for its value, the number of arguments. */
function typedSoFar(outer: Command, given: readonly string[]) {
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

function optionOf(command: Command, flag: string) {
  return command.options.find((one) => one.long === flag || one.short === flag);
}

function flagValue(given: readonly string[], flag: string) {
  return given[given.lastIndexOf(flag) + 1 || given.length];
}

async function valuesOf({ flags, long, argChoices = [] }: Option, place: Place, recipes: CommandEntry['names']) {
  const files = PATHS.has(/<([^>]+)>/.exec(flags)?.[1] ?? '');
  if (long === '--recipe' && recipes !== undefined) return { files, words: await namesIn(place, await recipes()) };
  const words = long === '--profile' ? profilesOfFile() : argChoices;
  return { files, words: words.map(unexplained) };
}

const unexplained = (word: string): Name => [word, ''];

/** Values of an argument: one of its choices, an import of the data directory, or what the feature of the command says. */
async function namesFor(
  name: string,
  entry: CommandEntry | undefined,
  command: Command,
  argument: Argument,
  place: Place,
) {
  if (argument.argChoices !== undefined) return argument.argChoices.map(unexplained);
  const known = await entry?.names?.();
  if (known?.wants(command, argument)) return namesIn(place, known);
  const isImport = known === undefined && name !== 'token' && ['id', 'import'].includes(argument.name());
  return isImport ? namesIn(place, { local: imports }) : [];
}

/** None where the file cannot be read: the command itself says so. */
function profilesOfFile() {
  try {
    return profileNames();
  } catch {
    return [];
  }
}

/** Contents of the data directory. For a server only the names that every server has: completion never uses the network. */
async function namesIn(place: Place, { local, builtIn = async () => [] }: Pick<Names, 'local' | 'builtIn'>) {
  try {
    const config = readConfig(place);
    return await (place.isHere || config.server === undefined ? local(config.dir) : builtIn(config.dir));
  } catch {
    // A wrong setting, or nothing there yet: the command itself says so when it is run.
    return [];
  }
}

// Loaded where they are needed: a flag is completed in half the time.
async function imports(dir: DataDir): Promise<readonly Name[]> {
  const { viewing } = await import('./client/kept-imports.ts');
  const found = await viewing(dir, (catalog) => catalog.list(MAX_NAMES));
  return found.map(({ id, state, file }) => [id, `${state}, ${file}`]);
}
