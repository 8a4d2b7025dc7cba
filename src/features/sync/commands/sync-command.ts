import { Command } from 'commander';
import { type End, EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { FEATURES } from '../../../cli/features.ts';
import {
  type CommonFlags,
  type RunningFlags,
  type ServerFlags,
  withDataDir,
  withRunning,
  withServer,
} from '../../../cli/flags/flags.ts';
import { withCreate, withExpectRows, withReading, withRecipeFlag } from '../../../cli/flags/option-flags.ts';
import { withShape } from '../../../cli/flags/shape-flags.ts';
import { withReportTo, withSource } from '../../../cli/flags/source-flags.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { inputNames } from '../../../options/input-kinds.ts';
import { openSyncRuns } from './open-syncs.ts';
import { type SyncFileFlags, withDeciding, withMode, withPlan } from './sync-flags.ts';
import { syncListCommand, syncShowCommand } from './sync-show.ts';

type Flags = RunningFlags & ServerFlags & SyncFileFlags & { readonly markdown?: boolean };
interface Reason {
  readonly reason: string;
}

/** Beside the formats of inputs: how the plan is printed. */
const MARKDOWN = 'markdown';
type Typed = Omit<Flags, 'format' | 'markdown'> & { readonly format?: Flags['format'] | typeof MARKDOWN };

/** `rollcall sync`: plans the changes that make groups match a file, and carries them out with `--apply`. */
export function syncCommand(io: Io, end: End): Command {
  const command = new Command('sync')
    .argument(
      '<file>',
      `who should be in which group: ${inputNames('or')}, also compressed; a ZIP of these; an address; - reads standard input`,
    )
    // Options behind the name of a subcommand are its own.
    .enablePositionalOptions();
  withPlan(withCreate(withDeciding(withMode(command))));
  withShape(withRecipeFlag(withReading(withExpectRows(withSource(command)))));
  if (FEATURES.deliver !== undefined) withReportTo(command);
  withServer(withRunning(command));
  const format = command.options.find(({ long }) => long === '--format');
  format?.choices([...(format.argChoices ?? []), MARKDOWN]);
  if (format !== undefined) format.description += `; ${MARKDOWN}: print the plan as Markdown, for a pull request`;
  command.action((file: string, { format, ...flags }: Typed) =>
    end(sync(io, file, format === MARKDOWN ? { ...flags, markdown: true } : { ...flags, ...(format && { format }) })),
  );
  return command
    .addCommand(applyCommand(io, end))
    .addCommand(approveCommand(io, end))
    .addCommand(rejectCommand(io, end))
    .addCommand(syncListCommand(io, end))
    .addCommand(syncShowCommand(io, end));
}

async function sync(io: Io, file: string, flags: Flags): Promise<ExitCode> {
  return (await openSyncRuns(io, flags)).runs.plan(file, flags);
}

/** `rollcall sync apply`: carries out a stored plan, or continues it. */
function applyCommand(io: Io, end: End): Command {
  const command = new Command('apply')
    .description('carry out a stored plan, or continue it; refused if file or groups have changed too much since')
    .argument('<id>', 'as `sync list` shows it');
  return withServer(withRunning(command)).action((id: string, flags: RunningFlags & ServerFlags) =>
    end(carryOut(io, id, flags)),
  );
}

/** `rollcall sync approve`: lets a held plan through, this once. */
function approveCommand(io: Io, end: End): Command {
  const command = new Command('approve')
    .description('approve a plan that a guard holds, this once and on record, and carry it out')
    .argument('<id>', 'as `sync list` shows it')
    .requiredOption('--reason <text>', 'why the plan is right');
  return withServer(withRunning(command)).action((id: string, flags: RunningFlags & ServerFlags & Reason) =>
    end(carryOut(io, id, flags)),
  );
}

async function carryOut(io: Io, id: string, flags: RunningFlags & ServerFlags & Partial<Reason>): Promise<ExitCode> {
  return (await openSyncRuns(io, flags)).runs.carryOut(id, flags.reason);
}

/** `rollcall sync reject`: rejects a plan. */
function rejectCommand(io: Io, end: End): Command {
  const command = new Command('reject')
    .description('reject a plan: it can no longer be carried out')
    .argument('<id>', 'as `sync list` shows it')
    .requiredOption('--reason <text>', 'why you reject it');
  return withServer(withDataDir(command)).action((id: string, flags: CommonFlags & ServerFlags & Reason) =>
    end(reject(io, id, flags)),
  );
}

async function reject(io: Io, id: string, flags: CommonFlags & ServerFlags & Reason): Promise<ExitCode> {
  const { reason } = flags;
  await (await openSyncRuns(io, flags)).runs.reject(id, reason);
  say(io, `Sync ${id} is rejected: ${reason}`);
  return EXIT.ok;
}
