import { type Argument, type Command, Help, type Option } from 'commander';
import { profileNames, readConfig } from '../platform/config.ts';
import { dataDir } from '../platform/data-dir.ts';

/** Suggestions for the next word of a command line. */
export interface Suggestions {
  /** Whether names of files may. */
  readonly files: boolean;
  /** Words that begin like the one that is being typed, each with what it means. */
  readonly words: readonly Name[];
}

/** The flags on the line that say where imports are. */
type Place = Readonly<Record<'dataDir' | 'server' | 'profile', string | undefined>>;

interface KnownCommand {
  readonly description: string;
  readonly hidden?: true;
  readonly names?: () => Promise<Names>;
}

/** Placeholders of flags and arguments that take a path. */
const PATHS = new Set(['file', 'dir', 'path', 'recipe']);
const MAX_NAMES = 50;

interface CommandLine {
  readonly commands: Readonly<Record<string, KnownCommand>>;
  /** Loads one of them. */
  readonly load: (name: string) => Promise<Command | undefined>;
  /** The topics that `rollcall help` explains, in addition to the commands. */
  readonly topics: () => readonly Name[];
  /** The words after `rollcall`; the last one is being typed, and may be empty. */
  readonly typed: readonly string[];
}

/** Completes a command line from the commands' own descriptions. */
export async function suggest({ commands, load, topics, typed }: CommandLine): Promise<Suggestions> {
  // bash makes three words of `--flag=value`.
  const words = typed.filter((word) => word !== '=');
  const current = typed.at(-1) === '=' ? '' : (words.pop() ?? '');
  const names = Object.entries(commands)
    .filter(([, { hidden }]) => !hidden)
    .map(([name, { description }]): Name => [name, description]);
  const [name, ...given] = words;
  if (name === undefined) {
    return among(current, [...names, ['help', 'explain a command or a topic'], ['--help', ''], ['--version', '']]);
  }
  if (name === 'help') return among(current, given.length === 0 ? [...names, ...topics()] : []);
  const outer = await load(name);
  if (outer === undefined) return among(current, []);
  const { command, option, position } = typedSoFar(outer, given);
  const place: Place = {
    dataDir: flagValue(given, '--data-dir'),
    server: flagValue(given, '--server'),
    profile: flagValue(given, '--profile'),
  };
  const named = (option: Option, typed: string) => valuesOf(option, typed, place, commands['recipes']?.names);
  if (option !== undefined) return named(option, current);
  const [flag = '', ...value] = current.split('=');
  const assigned = value.length > 0 ? optionOf(command, flag) : undefined;
  if (assigned !== undefined) {
    const { files, words: values } = await named(assigned, value.join('='));
    return { files, words: values.map(([word, meaning]) => [`${flag}=${word}`, meaning]) };
  }
  if (current.startsWith('-')) {
    const options = new Help().visibleOptions(command);
    return among(
      current,
      options.map((one): Name => [one.long ?? one.flags, one.description]),
    );
  }
  const subcommands = position === 0 ? command.commands.map((one): Name => [one.name(), one.description()]) : [];
  const argument = command.registeredArguments[position];
  if (argument === undefined) return among(current, subcommands);
  const known = await namesFor({ name, names: commands[name]?.names }, command, argument, place);
  return among(current, [...subcommands, ...known], PATHS.has(argument.name()));
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

async function valuesOf(option: Option, current: string, place: Place, recipes: KnownCommand['names']) {
  const [, placeholder = ''] = /<([^>]+)>/.exec(option.flags) ?? [];
  const words = option.long === '--profile' ? profilesOfFile() : (option.argChoices ?? []);
  const choices = words.map((choice): Name => [choice, '']);
  const named = option.long === '--recipe' && recipes !== undefined ? await namesIn(place, await recipes()) : choices;
  return among(current, named, PATHS.has(placeholder));
}

function among(current: string, words: readonly Name[], files = false) {
  return { files, words: words.filter(([word]) => word.startsWith(current)) };
}

/** Values of an argument: one of its choices, an import of the data directory, or what the feature of the command says. */
async function namesFor(
  { name, names }: { readonly name: string; readonly names: KnownCommand['names'] | undefined },
  command: Command,
  argument: Argument,
  place: Place,
) {
  if (argument.argChoices !== undefined) return argument.argChoices.map((choice): Name => [choice, '']);
  const wanted = argument.name();
  if (names !== undefined) {
    const known = await names();
    const { local, ofThisMachine } = known;
    return known.wants(command, argument) ? namesIn(place, { local, ...(ofThisMachine && { builtIn: local }) }) : [];
  }
  if (name !== 'token' && (wanted === 'id' || wanted === 'import')) return namesIn(place, { local: imports });
  return [];
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
    return await (config.server === undefined ? local(config.dataDir) : builtIn(config.dataDir));
  } catch {
    // A wrong setting, or nothing there yet: the command itself says so when it is run.
    return [];
  }
}

// Loaded where they are needed: a flag is completed in half the time.
async function imports(root: string): Promise<readonly Name[]> {
  const { viewing } = await import('./client/kept-imports.ts');
  const found = await viewing(dataDir(root), (catalog) => catalog.list(MAX_NAMES));
  return found.map(({ id, state, file }) => [id, `${state}, ${file}`]);
}

/** A suggestion of a shell. */
export type Name = readonly [word: string, meaning: string];

/** Names that the arguments of a command take. */
export interface Names {
  /** Whether the argument of a command, or of one of its commands, names one. */
  wants(command: Command, argument: Argument): boolean;
  /** Those of a data directory. */
  local(dataDir: string): Promise<readonly Name[]>;
  /** Those that every server has: no one is asked over the network. */
  builtIn?(dataDir: string): Promise<readonly Name[]>;
  /** The command is about this machine, whatever server there is. */
  readonly ofThisMachine?: true;
}
