import { Command, CommanderError } from 'commander';
import { SettingError } from '../chat/errors.ts';
import { ConfigError } from '../config.ts';
import { IntakeError } from '../intake/intake-error.ts';
import { LedgerError } from '../ledger/database.ts';
import { TransitionError } from '../membership/import-state.ts';
import { SyncTransitionError } from '../membership/sync-state.ts';
import { ControlRefused } from '../pipeline/control.ts';
import { DataDirInUse, DataDirUnusable } from '../pipeline/data-dir.ts';
import { RegionWithoutApp, UnknownImport } from '../pipeline/import-errors.ts';
import { QueueAddressError } from '../queue/address.ts';
import { CronError } from '../queue/cron.ts';
import { FaultSyntaxError } from '../sandbox/faults.ts';
import { SeedError } from '../sandbox/seed.ts';
import { ProtectFileError } from '../sync/protect.ts';
import { ScheduleError, SourceError } from '../sync/schedule-errors.ts';
import { SyncRefused, UnknownSync } from '../sync/sync-errors.ts';
import { VERSION } from '../version.ts';
import { cancelCommand, pauseCommand } from './act.ts';
import { NoImports } from './data.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { UsageError } from './errors.ts';
import { EXIT, EXIT_MEANINGS, type ExitCode } from './exit-codes.ts';
import { importCommand } from './import.ts';
import { type Io, say, terminalIo } from './io.ts';
import { listCommand } from './list.ts';
import { reportCommand } from './report.ts';
import { resumeCommand } from './resume.ts';
import { retryCommand } from './retry.ts';
import { sandboxCommand } from './sandbox.ts';
import { SeedUnreadable } from './sandbox-service.ts';
import { scheduleCommand } from './schedule.ts';
import { serveCommand } from './serve.ts';
import { ServerFault, ServerRefused } from './server-client.ts';
import { statusCommand } from './status.ts';
import { syncCommand } from './sync.ts';
import { tokenCommand } from './token.ts';
import { undoCommand } from './undo.ts';
import { watchCommand } from './watch.ts';
import { workerCommand } from './worker.ts';

/** Faults of the one who calls, not of the program: a message and exit code 2. */
const USAGE_ERRORS = [
  ConfigError,
  SettingError,
  IntakeError,
  LedgerError,
  TransitionError,
  ControlRefused,
  DataDirInUse,
  DataDirUnusable,
  RegionWithoutApp,
  UnknownImport,
  NoImports,
  UsageError,
  QueueAddressError,
  FaultSyntaxError,
  SeedError,
  SeedUnreadable,
  ServerRefused,
  CronError,
  ProtectFileError,
  ScheduleError,
  SourceError,
  SyncRefused,
  SyncTransitionError,
  UnknownSync,
];

/** Runs one command line; resolves with its exit code. */
export async function main(args: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const end = async (promised: Promise<ExitCode>) => {
    code = await promised;
  };
  const program = new Command('rollcall')
    .description('Imports memberships into chat groups in bulk, and accounts for every row.')
    .version(VERSION)
    // What follows the name of a command is its own.
    .enablePositionalOptions()
    .addHelpText(
      'after',
      `\nTry it without an account:\n  rollcall import members.csv --sandbox\n\n${exitCodesHelp()}`,
    );
  const commands = [
    importCommand(io, end),
    listCommand(io, end),
    statusCommand(io, end),
    watchCommand(io, end),
    pauseCommand(io, end),
    resumeCommand(io, end),
    cancelCommand(io, end),
    retryCommand(io, end),
    reportCommand(io, end),
    syncCommand(io, end),
    undoCommand(io, end),
    scheduleCommand(io, end),
    serveCommand(io, end),
    tokenCommand(io, end),
    workerCommand(io, end),
    sandboxCommand({ stdout: io.out, stderr: io.err }),
    doctorCommand(io, end),
    demoCommand(io, end),
  ];
  for (const command of commands) program.addCommand(command);
  for (const command of [program, ...commands, ...commands.flatMap(({ commands: inner }) => inner)]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => io.out.write(text),
      writeErr: (text) => io.err.write(text),
      getOutHelpWidth: () => io.width,
    });
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    return complain(io, error);
  }
}

function exitCodesHelp(): string {
  const lines = Object.entries(EXIT_MEANINGS).map(
    ([name, meaning]) => `  ${EXIT[name as keyof typeof EXIT]}  ${meaning}`,
  );
  return ['Exit codes:', ...lines].join('\n');
}

function complain(io: Io, error: unknown): ExitCode {
  // Commander has said it already: help was asked for, or a flag is wrong.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (!(error instanceof Error)) {
    say(io, `rollcall: ${error}`);
    return EXIT.fatal;
  }
  if (isClosedPipe(error)) return EXIT.ok;
  const damaged = error instanceof LedgerError && error.code === 'DAMAGED_LEDGER';
  if (!damaged && USAGE_ERRORS.some((kind) => error instanceof kind)) {
    say(io, `rollcall: ${error.message}`);
    return EXIT.usage;
  }
  // What the system refuses (a full disk, a missing right) speaks for itself; anything else is ours to find.
  const speaks = damaged || error instanceof ServerFault || 'syscall' in error;
  say(io, `rollcall: ${speaks ? error.message : (error.stack ?? error.message)}`);
  return EXIT.fatal;
}

/** Whether the one who read our output has gone, as `head` does: there is nobody to tell, and nothing went wrong. */
function isClosedPipe(error: Error): boolean {
  return 'code' in error && error.code === 'EPIPE';
}

/** Runs this process's command line. */
export async function start(): Promise<void> {
  process.stdout.on('error', (error) => {
    if (!isClosedPipe(error)) throw error;
  });
  const code = await main(process.argv.slice(2), terminalIo(process.stdout, process.stderr));
  // A fault may leave something open behind it that would keep the process for ever.
  if (code === EXIT.fatal) process.exit(code);
  process.exitCode = code;
}

if (import.meta.main) await start();
