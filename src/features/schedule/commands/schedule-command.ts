import { Command, Option } from 'commander';
import { type End, EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { FEATURES } from '../../../cli/features.ts';
import {
  type CommonFlags,
  type RunningFlags,
  type ServerFlags,
  withDataDir,
  withJson,
  withRunning,
  withServer,
} from '../../../cli/flags/flags.ts';
import { withCreate, withExpectRows, withReading, withRecipeFlag } from '../../../cli/flags/option-flags.ts';
import { settingFlag } from '../../../cli/flags/setting-flag.ts';
import { withShape } from '../../../cli/flags/shape-flags.ts';
import { withReportTo, withSource } from '../../../cli/flags/source-flags.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import { printable } from '../../../text/wording.ts';
import { withDeciding, withMode } from '../../sync/commands/sync-flags.ts';
import type { ScheduleView } from '../api.ts';
import { scheduleOperations } from '../operations.ts';
import { openSchedules } from './open-schedules.ts';
import { scheduleHistoryCommand, scheduleListCommand } from './schedule-list.ts';
import { type AddFlags, type EditFlags, localTime, scheduleDocument } from './target-schedules.ts';

const TIME_ZONE = 'time zone of the expression, such as Europe/Rome';
const CATCH_UP = 'when the server starts, run once if a run was missed';
const HOW_LONG_A_RUN_WAITS = 'how long a run waits for a service that answers nothing, such as 30m';

/** `rollcall schedule`: syncs that begin by themselves, while `rollcall serve` runs. */
export function scheduleCommand(io: Io, end: End): Command {
  return new Command('schedule')
    .addCommand(addCommand(io, end))
    .addCommand(editCommand(io, end))
    .addCommand(copyCommand(io, end))
    .addCommand(scheduleListCommand(io, end))
    .addCommand(runCommand(io, end))
    .addCommand(changeCommand(io, end, 'pause', 'start no runs until `schedule resume`; a run in progress continues'))
    .addCommand(changeCommand(io, end, 'resume', 'start runs again, from the next one that is due'))
    .addCommand(changeCommand(io, end, 'remove', 'delete a schedule and its history; its syncs and imports stay'))
    .addCommand(scheduleHistoryCommand(io, end));
}

/** `rollcall schedule add`: a sync that starts by itself. */
function addCommand(io: Io, end: End): Command {
  const command = new Command('add')
    .description('sync a file regularly, at the times of a cron expression')
    .argument('<name>', 'name of the schedule, for the other commands')
    .requiredOption(
      '--cron <expression>',
      'minute, hour, day of month, month, weekday: "30 2 * * *" is every night at 2:30',
    )
    .addOption(new Option('--tz <zone>', TIME_ZONE).default(systemZone(), 'the time zone of this machine'))
    .requiredOption(
      '--file <path|pattern|url>',
      'a file, a pattern such as exports/*.csv (the newest match is used), or https://…',
    )
    .addOption(settingFlag('giveUpAfter', HOW_LONG_A_RUN_WAITS))
    .option('--apply', 'carry out each plan at once, unless a guard objects; otherwise runs only plan')
    .option('--repair', 'check the groups even if the file is unchanged, to reverse changes made by hand')
    .option('--catch-up', CATCH_UP);
  if (FEATURES.deliver !== undefined) withReportTo(command);
  withExpectRows(withSource(command));
  withShape(withRecipeFlag(withReading(withCreate(withDeciding(withMode(command))))));
  withServer(withDataDir(withJson(command))).option(
    '--sandbox',
    'run it against the sandbox of a server that was started with --sandbox',
  );
  return command.action((name: string, flags: AddFlags) => end(add(io, name, flags)));
}

async function add(io: Io, name: string, flags: AddFlags): Promise<ExitCode> {
  const { config, imports, schedules } = await openSchedules(flags);
  const { made, source, isServed, isThere } = await schedules.add(name, flags);
  if (flags.json) io.out.write(`${JSON.stringify(scheduleDocument(made))}\n`);
  const sandbox = flags.sandbox ? ' --sandbox' : '';
  say(
    io,
    `Schedule ${name} is added. It is next due at (${made.tz}):`,
    ...made.next.map((at) => `  ${localTime(at, made.tz)}`),
    ...(isThere
      ? []
      : [`There is no file ${printable(source)} yet; until there is one, runs fail and change nothing.`]),
    ...(flags.apply ? [] : ['Its runs only plan; with --apply they carry the plan out.']),
    ...(isServed
      ? []
      : ['It runs as long as a server does, which is started with:', `  ${typedCommand(config, 'serve')}${sandbox}`]),
    'Try it now with:',
    `  ${imports.command('schedule', 'run', name)}${sandbox}`,
  );
  return EXIT.ok;
}

function systemZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** `rollcall schedule edit`: changes the times or the file; settings that are not given do not change. */
function editCommand(io: Io, end: End): Command {
  const command = new Command('edit')
    .description('change settings of a schedule; settings that are not given do not change')
    .argument('<name>', 'as `schedule list` shows it');
  return withChanges(command).action((name: string, flags: EditFlags) => end(edit(io, name, flags)));
}

/** `rollcall schedule copy`: a new schedule with the settings of another one. */
function copyCommand(io: Io, end: End): Command {
  const command = new Command('copy')
    .description('add a schedule with the settings of another one, except those that are given')
    .argument('<name>', 'the schedule to copy')
    .argument('<new-name>', 'name of the new one');
  return withChanges(command).action((name: string, newName: string, flags: EditFlags) =>
    end(copy(io, name, newName, flags)),
  );
}

function withChanges(command: Command): Command {
  command
    .option('--cron <expression>', 'minute, hour, day of month, month, weekday')
    .option('--tz <zone>', TIME_ZONE)
    .option('--file <path|pattern|url>', 'another file')
    .addOption(settingFlag('giveUpAfter', HOW_LONG_A_RUN_WAITS))
    .addOption(new Option('--apply', 'carry out each plan at once, unless a guard objects'))
    .addOption(new Option('--no-apply', 'only plan'))
    .addOption(new Option('--repair', 'check the groups even if the file is unchanged'))
    .addOption(new Option('--no-repair', 'skip runs whose file is unchanged'))
    .addOption(new Option('--catch-up', CATCH_UP))
    .addOption(new Option('--no-catch-up', 'leave out runs that were missed'));
  if (FEATURES.deliver !== undefined) {
    withReportTo(command).addOption(
      new Option('--no-report-to', 'write the reports where ROLLCALL_REPORT_TO says, or nowhere'),
    );
  }
  return withExpectRows(withServer(withDataDir(withJson(command))));
}

async function edit(io: Io, name: string, flags: EditFlags): Promise<ExitCode> {
  const { schedules } = await openSchedules(flags);
  return showChange(io, flags, await schedules.edit(name, flags), `Schedule ${name} is changed.`);
}

async function copy(io: Io, name: string, newName: string, flags: EditFlags): Promise<ExitCode> {
  const { schedules } = await openSchedules(flags);
  const made = await schedules.copy(name, newName, flags);
  return showChange(io, flags, made, `Schedule ${newName} is added, with the settings of ${name}.`);
}

function showChange(io: Io, flags: EditFlags, made: ScheduleView, what: string): ExitCode {
  if (flags.json) io.out.write(`${JSON.stringify(scheduleDocument(made))}\n`);
  const [next] = made.next;
  const when = next === undefined ? 'It is paused.' : `It is next due at ${localTime(next, made.tz)} (${made.tz}).`;
  say(io, what, when);
  return EXIT.ok;
}

/** `rollcall schedule run`: runs a schedule now, by the server where there is one, else in this process. */
function runCommand(io: Io, end: End): Command {
  const command = new Command('run')
    .description('run a schedule now, even if it is paused or not due; on the server if one is running')
    .argument('<name>', 'as `schedule list` shows it');
  withServer(withRunning(command));
  return command.action((name: string, flags: RunningFlags & ServerFlags) => end(run(io, name, flags)));
}

async function run(io: Io, name: string, flags: RunningFlags & ServerFlags): Promise<ExitCode> {
  return (await openSchedules(flags)).schedules.run(io, name, flags);
}

function changeCommand(io: Io, end: End, verb: 'pause' | 'resume' | 'remove', description: string): Command {
  const command = new Command(verb).description(description).argument('<name>', 'as `schedule list` shows it');
  return withServer(withDataDir(withJson(command))).action((name: string, flags: CommonFlags & ServerFlags) =>
    end(changeSchedule(io, verb, name, flags)),
  );
}

async function changeSchedule(
  io: Io,
  verb: 'pause' | 'resume' | 'remove',
  name: string,
  flags: CommonFlags & ServerFlags,
): Promise<ExitCode> {
  const { schedules } = await openSchedules(flags);
  const changed = verb === 'remove' ? undefined : await schedules.client.call(scheduleOperations[verb], { name });
  if (changed === undefined) await schedules.client.call(scheduleOperations.remove, { name });
  const shown = changed === undefined ? { name, removed: true } : scheduleDocument(changed);
  if (flags.json) io.out.write(`${JSON.stringify(shown)}\n`);
  const [next] = changed?.next ?? [];
  if (changed === undefined) say(io, `Schedule ${name} is removed.`);
  else if (next === undefined) say(io, `Schedule ${name} is paused.`);
  else say(io, `Schedule ${name} is next due at ${localTime(next, changed.tz)} (${changed.tz}).`);
  return EXIT.ok;
}
