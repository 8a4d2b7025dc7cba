import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { Command, CommanderError } from 'commander';
import { environmentVariable } from '../platform/config.ts';
import { NEXT_ADDRESS_MS } from '../platform/hosts.ts';
import { VERSION } from '../platform/packages.ts';
import { COMMANDS, loadCommand } from './commands.ts';
import { type Action, EXIT, EXIT_MEANINGS, type ExitCode } from './exit-codes.ts';
import { refuseSecondValues, settingFlag } from './flags/flags.ts';
import { refuse, sayRefusal, unexpected } from './refusal.ts';
import { type Io, print, say, terminalIo } from './screen/io.ts';
import { helpTopics } from './topics.ts';

/** Runs one command line; resolves with its exit code. */
export async function main(args: readonly string[], io: Io) {
  let code: ExitCode = EXIT.ok;
  const action: Action =
    (does) =>
    async (...given) => {
      code = (await does(io, ...given)) ?? EXIT.ok;
    };
  const exitCodes = Object.entries(EXIT_MEANINGS).map(
    ([name, meaning]) => `  ${EXIT[name as keyof typeof EXIT]}  ${meaning}`,
  );
  const program = new Command('rollcall')
    .description('Imports memberships into chat groups in bulk, and accounts for every row.')
    .version(VERSION)
    .addOption(settingFlag('profile'))
    // Arguments after the name of a command belong to the command.
    .enablePositionalOptions()
    .configureHelp({
      subcommandTerm: (command) => {
        const { usage = '[options]' } = COMMANDS[command.name()] ?? { usage: '' };
        return `${command.name()} ${usage}`.trim();
      },
    })
    .addHelpText(
      'after',
      `\nTry it without an account:\n  rollcall import members.csv --sandbox\n\nFor the real chat service, set ROLLCALL_HOST=cometchat.io, an app id and a key;\nrollcall doctor says what is missing.\n\nrollcall help topics lists what else help explains, such as settings and exit-codes.\n\nExit codes:\n${exitCodes.join('\n')}`,
    );
  const named = commandNamed(args);
  if (args[0] === 'help' && named !== undefined && !Object.hasOwn(COMMANDS, named)) return explain(io, named);
  for (const [name, { description, hidden = false }] of Object.entries(COMMANDS)) {
    // For the help, only these two parts of the other commands are needed.
    const command = (name === named && (await loadCommand(name, action))) || new Command(name);
    program.addCommand(command.description(description), { hidden });
    for (const one of [command, ...command.commands]) settle(one, io);
  }
  settle(program, io);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.ok;
      // Its help was printed.
      if (error.code === 'commander.help') return EXIT.usage;
    }
    if (isClosedPipe(error)) return EXIT.ok;
    return refuse(io, error, args.includes('--json'));
  }
}

/** The command that a command line is about: its first word, or the one after `help`. */
function commandNamed(args: readonly string[]) {
  const [first, second] = args.filter((arg, at) => !arg.startsWith('-') && args[at - 1] !== '--profile');
  return first === 'help' ? second : first;
}

/** `rollcall help <topic>`, and `rollcall help topics`. */
function explain(io: Io, name: string) {
  const topics = helpTopics();
  const topic = topics.find((one) => one.name === name);
  if (topic !== undefined) {
    print(io, topic.text());
    return EXIT.ok;
  }
  const widest = Math.max(...topics.map(({ name: word }) => word.length));
  const list = topics.map(({ name: word, title }) => `  ${word.padEnd(widest)}  ${title}`);
  if (name === 'topics') {
    print(io, `rollcall help <topic> explains:\n${list.join('\n')}\n`);
    return EXIT.ok;
  }
  say(io, `rollcall: there is no command and no topic ${JSON.stringify(name)}; the topics are:`, ...list);
  return EXIT.usage;
}

/** Makes commander write to this command's output, and leave ending the process to `main`. */
function settle(command: Command, io: Io) {
  command.exitOverride().configureOutput({
    writeOut: (text) => print(io, text),
    writeErr: (text) => io.err.write(text),
    // `main` says it, as every error.
    outputError: () => {},
    getOutHelpWidth: () => io.width,
  });
  refuseSecondValues(command);
}

/** Begins commands as they are typed: through npx where npm has started this process, as in a clone. */
export function typedHere(byNpm: boolean): Io['typed'] {
  if (!byNpm) return undefined;
  const names = ['help', ...Object.keys(COMMANDS)].join('|');
  const command = new RegExp(`(?<![\\w./-]|npx )rollcall (?=(?:${names})\\b)`, 'g');
  return (text) => text.replace(command, 'npx rollcall ');
}

/** Whether the reader of our output has closed the pipe, as `head` does: nothing went wrong. */
function isClosedPipe(error: unknown) {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

/** Time in which a process ends by itself when its command is done, in ms. */
const END_MS = 200;

export async function start() {
  setDefaultAutoSelectFamilyAttemptTimeout(NEXT_ADDRESS_MS);
  // Nobody reads it any more, as after `2>&1 | head`: the work goes on without a word.
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error) => {
    if (isClosedPipe(error)) return;
    process.stderr.write(`rollcall: standard output cannot be written: ${error.message}\n`);
    process.exit(EXIT.fatal);
  });
  const io = terminalIo(process.stdout, process.stderr, typedHere(environmentVariable('npm_execpath') !== undefined));
  // Rejections that nothing handles come here too. Nothing is lost: the ledgers have all rows.
  process.on('uncaughtException', (error) => {
    sayRefusal(io, unexpected(error));
    process.exit(EXIT.fatal);
  });
  const code = await main(process.argv.slice(2), io);
  // An error may leave something open that would keep the process running.
  if (code === EXIT.fatal) process.exit(code);
  process.exitCode = code;
  // Nothing that is left open holds up the end, such as an exporter of traces that tries again.
  setTimeout(() => {
    if (process.stdout.writableLength === 0) process.exit();
  }, END_MS).unref();
}

if (import.meta.main) await start();
