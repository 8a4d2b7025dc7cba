import { Argument, Command } from 'commander';
import type { Commands, LoadCommand } from '../command-entry.ts';
import type { Action } from '../exit-codes.ts';
import type { Io } from '../screen/io.ts';

/** `rollcall completion`: the script that lets a shell complete commands, flags and ids. */
export function completionCommand(action: Action) {
  const shell = new Argument('<shell>', 'prints what this shell is to load; its first lines say how').choices(
    Object.keys(SCRIPTS),
  );
  return new Command('completion')
    .addArgument(shell)
    .action(action(async ({ out }, name: string) => void out.write(SCRIPTS[name] ?? '')));
}

/** `rollcall complete -- <words>`: called by these scripts. */
export function completing(action: Action, commands: Commands, load: LoadCommand) {
  const complete = async (io: Io, typed: readonly string[]) => {
    const { suggest } = await import('../suggestions.ts');
    const { files, words } = await suggest(commands, load, typed);
    const lines = words.map(([word, meaning]) => (meaning === '' ? word : `${word}\t${meaning}`));
    io.out.write([files ? 'files' : 'words', ...lines, ''].join('\n'));
  };
  return new Command('complete').argument('[words...]').action(action(complete));
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
