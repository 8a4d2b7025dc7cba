import { Argument, Command, Help, type Option } from 'commander';
import { profileNames, readConfig } from '../../platform/config.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Commands, LoadCommand, Name, Names } from '../command-entry.ts';
import type { Action } from '../exit-codes.ts';
import type { Io } from '../screen/io.ts';
import { helpTopics } from '../topics.ts';

/** `rollcall completion`: the script that lets a shell complete commands, flags and ids. */
export function completionCommand(action: Action) {
  const shell = new Argument('<shell>', 'prints what this shell is to load; its first lines say how').choices(
    Object.keys(SCRIPTS),
  );
  return new Command('completion')
    .addArgument(shell)
    .action(action(async ({ out }, name: string) => void out.write(SCRIPTS[name] ?? '')));
}

/** `rollcall complete -- <words>`, called by these scripts: the last word is being typed, and may be empty. */
export function completing(action: Action, commands: Commands, load: LoadCommand) {
  const complete = async (io: Io, typed: readonly string[]) => {
    // bash makes three words of `--flag=value`.
    const given = typed.filter((word) => word !== '=');
    const current = typed.at(-1) === '=' ? '' : (given.pop() ?? '');
    const { files = false, words } = await suggested(commands, load, given, current);
    const lines = words.flatMap(([word, meaning]) =>
      word.startsWith(current) ? (meaning === '' ? word : `${word}\t${meaning}`) : [],
    );
    io.out.write([files ? 'files' : 'words', ...lines, ''].join('\n'));
  };
  return new Command('complete').argument('[words...]').action(action(complete));
}

/** Suggestions for the next word of a command line. */
interface Suggestions {
  /** Whether names of files may come next. */
  readonly files?: boolean;
  /** All words that may, however they begin, each with what it means. */
  readonly words: readonly Name[];
}

/** The flags on the line that say where imports are. */
type Place = Readonly<Record<'dataDir' | 'server' | 'profile', string | undefined>>;

/** Placeholders of flags and arguments that take a path. */
const PATHS = new Set(['file', 'dir', 'path', 'recipe']);
const MAX_NAMES = 50;

async function suggested(
  commands: Commands,
  load: LoadCommand,
  [name, ...given]: readonly string[],
  current: string,
): Promise<Suggestions> {
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
  };
  /** Contents of the data directory. Of a server only the names that every server has: completion never uses the network. */
  const there = async ({ local, builtIn }: Pick<Names, 'local' | 'builtIn'>) => {
    try {
      const config = readConfig(place);
      const isThere = config.server !== undefined && optionOf(command, '--server') !== undefined;
      return isThere ? (builtIn?.() ?? []) : await local(config.dir);
    } catch {
      // A wrong setting, or nothing there yet: the command itself says so when it is run.
      return [];
    }
  };
  const [flag = '', ...value] = current.split('=');
  const valued = option ?? (value.length > 0 ? optionOf(command, flag) : undefined);
  if (valued !== undefined) {
    const { flags, long, argChoices = [] } = valued;
    const recipes = long === '--recipe' ? await commands['recipes']?.names?.() : undefined;
    const texts = long === '--profile' ? profilesOfFile() : argChoices;
    const words = recipes === undefined ? texts.map(unexplained) : await there(recipes);
    const files = PATHS.has(/<([^>]+)>/.exec(flags)?.[1] ?? '');
    return { files, words: option ? words : words.map(([word, meaning]) => [`${flag}=${word}`, meaning]) };
  }
  if (current.startsWith('-')) {
    const options = new Help().visibleOptions(command);
    return { words: options.map((one) => [one.long ?? one.flags, one.description]) };
  }
  const subcommands = position === 0 ? command.commands.map((one): Name => [one.name(), one.description()]) : [];
  const argument = command.registeredArguments[position];
  if (argument === undefined) return { words: subcommands };
  const files = PATHS.has(argument.name());
  if (argument.argChoices !== undefined) return { files, words: argument.argChoices.map(unexplained) };
  const known = await commands[name]?.names?.();
  const isImport = known === undefined && name !== 'token' && ['id', 'import'].includes(argument.name());
  const named = known?.wants(command, argument) ? known : isImport && { local: imports };
  return { files, words: [...subcommands, ...(named ? await there(named) : [])] };
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

const unexplained = (word: string): Name => [word, ''];

/** None where the file cannot be read: the command itself says so. */
function profilesOfFile() {
  try {
    return profileNames();
  } catch {
    return [];
  }
}

// Loaded where they are needed: a flag is completed in half the time.
async function imports(dir: DataDir): Promise<readonly Name[]> {
  const { viewing } = await import('../client/kept-imports.ts');
  const found = await viewing(dir, (catalog) => catalog.list(MAX_NAMES));
  return found.map(({ id, state, file }) => [id, `${state}, ${file}`]);
}

/**
 * Scripts that a shell loads to complete command lines of rollcall. They hand the words to `rollcall complete`, which
 * answers with `files` or `words` on a first line (whether file names may come next), and a line for each word: word,
 * tab, meaning.
 */

// Runs in bash 3.2 too, which macOS has: no mapfile, and no compopt.
const bash = `# bash: add to ~/.bashrc:  source <(rollcall completion bash)
_rollcall() {
  local line kind=
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("\${line%%$'\\t'*}"); fi
  done < <(rollcall complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ "$kind" = words ]; then compopt +o default 2>/dev/null; fi
}
complete -o default -F _rollcall rollcall
`;

const zsh = `#compdef rollcall
# zsh: add to ~/.zshrc, after compinit:  source <(rollcall completion zsh)
_rollcall() {
  local line kind=
  local -a found
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else line=\${line//:/\\\\:}; found+=("\${line/$'\\t'/:}"); fi
  done < <(rollcall complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && _describe rollcall found
  [[ $kind == files ]] && _files
}
if [[ \${funcstack[1]} == _rollcall ]]; then _rollcall "$@"; else compdef _rollcall rollcall; fi
`;

const fish = `# fish: run once:  rollcall completion fish > ~/.config/fish/completions/rollcall.fish
function __rollcall_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l answer (rollcall complete -- $words[2..-1] "$current" 2>/dev/null)
  if test "$answer[1]" = files
    __fish_complete_path "$current"
  end
  printf '%s\\n' $answer[2..-1]
end
complete -c rollcall -f -a '(__rollcall_complete)'
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash, zsh, fish };
