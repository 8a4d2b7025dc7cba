import { Argument, Command } from 'commander';
import { SCRIPTS } from '../completion/scripts.ts';
import type { Suggestions } from '../completion/suggest.ts';
import { type End, EXIT, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../screen/io.ts';

/** `rollcall completion`: the script that lets a shell complete commands, flags and ids. */
export function completionCommand(io: Io, end: End): Command {
  const shell = new Argument('<shell>', 'prints what this shell is to load; its first lines say how').choices(
    Object.keys(SCRIPTS),
  );
  return new Command('completion').addArgument(shell).action((name: string) => {
    io.out.write(SCRIPTS[name] ?? '');
    return end(Promise.resolve(EXIT.ok));
  });
}

/** `rollcall complete -- <words>`: called by these scripts. */
export function completeCommand(io: Io, end: End, answer: (typed: readonly string[]) => Promise<Suggestions>): Command {
  const command = new Command('complete').argument('[words...]');
  return command.action((typed: readonly string[]) => end(complete(io, answer(typed))));
}

async function complete(io: Io, answer: Promise<Suggestions>): Promise<ExitCode> {
  const { files, words } = await answer;
  const lines = words.map(([word, meaning]) => (meaning === '' ? word : `${word}\t${meaning}`));
  io.out.write([files ? 'files' : 'words', ...lines, ''].join('\n'));
  return EXIT.ok;
}
