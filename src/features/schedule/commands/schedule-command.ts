import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { askRegions } from '../../../app/owner-socket.ts';
import { type End, EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import {
  type CommonFlags,
  type RunningFlags,
  type ServerFlags,
  withDataDir,
  withJson,
  withRunning,
  withServer,
} from '../../../cli/flags/flags.ts';
import { optionFlag, withCreation, withOptions, withRecipeFlag } from '../../../cli/flags/option-flags.ts';
import { settingFlag } from '../../../cli/flags/setting-flag.ts';
import { withShape } from '../../../cli/flags/shape-flags.ts';
import { withSource } from '../../../cli/flags/source-flags.ts';
import type { Names } from '../../../cli/names.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import { APPLYING, MODE, RUNNING, SCHEDULING } from '../../../options/deciding-options.ts';
import { READING } from '../../../options/reading-options.ts';
import { EXPECTING } from '../../../options/sending-options.ts';
import { dataDir, readCatalog } from '../../../platform/data-dir.ts';
import { isPattern } from '../../../sources/obtain.ts';
import { isRemote } from '../../../text/address-text.ts';
import { printable } from '../../../text/wording.ts';
import { withDeciding } from '../../sync/commands/sync-flags.ts';
import { scheduleOperations } from '../operations.ts';
import { openScheduleCatalogReader } from '../schedule-catalog.ts';
import { openSchedules } from './schedule-client.ts';
import { type AddFlags, changesIn, type EditFlags, localTime, scheduleOf } from './schedule-flags.ts';
import { scheduleHistoryCommand, scheduleListCommand } from './schedule-lists.ts';
import { runSchedule } from './schedule-run.ts';

const HOW_LONG_A_RUN_WAITS = 'how long a run waits for a service that answers nothing, such as 30m';

/** `rollcall schedule`: syncs that begin by themselves, while `rollcall serve` runs. */
export function scheduleCommand(io: Io, end: End): Command {
  return new Command('schedule')
    .addCommand(addCommand(io, end))
    .addCommand(editCommand(io, end))
    .addCommand(scheduleListCommand(io, end))
    .addCommand(runCommand(io, end))
    .addCommand(changeCommand(io, end, 'pause', 'start no runs until `schedule resume`; a run in progress continues'))
    .addCommand(changeCommand(io, end, 'resume', 'start runs again, from the next one that is due'))
    .addCommand(changeCommand(io, end, 'remove', 'delete a schedule and its history; its syncs and imports stay'))
    .addCommand(scheduleHistoryCommand(io, end));
}

/** `rollcall schedule add`: a sync that starts by itself. */
function addCommand(io: Io, end: End): Command {
  const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const command = new Command('add')
    .description('sync a file regularly, at the times of a cron expression')
    .argument('<name>', 'name of the schedule, for the other commands')
    .addOption(optionFlag('cron', SCHEDULING.cron).makeOptionMandatory())
    .addOption(optionFlag('tz', SCHEDULING.tz).default(ownZone, 'the time zone of this machine'))
    .requiredOption(
      '--file <path|pattern|url>',
      'a file, a pattern such as exports/*.csv (the newest match is used), or https://…',
    )
    .addOption(settingFlag('giveUpAfter', HOW_LONG_A_RUN_WAITS));
  withOptions(command, { ...APPLYING, ...RUNNING });
  withOptions(withSource(command), { ...EXPECTING, ...MODE });
  withOptions(withCreation(withDeciding(command)), READING);
  withShape(withRecipeFlag(command));
  withServer(withDataDir(withJson(command))).option(
    '--sandbox',
    'run it against the sandbox, on this machine: by a server that is started with --sandbox, or by `schedule run --sandbox`',
  );
  return command.action((name: string, flags: AddFlags) => end(add(io, name, flags)));
}

async function add(io: Io, name: string, flags: AddFlags): Promise<ExitCode> {
  const { config, imports, client } = await openSchedules(flags);
  const { server } = imports;
  const made = await client.call(scheduleOperations.add, await scheduleOf(name, flags, config, server));
  if (flags.json) io.out.write(`${JSON.stringify(made)}\n`);
  const sandbox = flags.sandbox ? ' --sandbox' : '';
  const { file } = made;
  const isThere = server !== undefined || isRemote(file) || isPattern(file) || existsSync(file);
  const isServed = server !== undefined || (await askRegions(dataDir(config.dataDir))) !== undefined;
  say(
    io,
    `Schedule ${name} is added. It is next due at (${made.tz}):`,
    ...made.next.map((at) => `  ${localTime(at, made.tz)}`),
    ...(isThere ? [] : [`There is no file ${printable(file)} yet; until there is one, runs fail and change nothing.`]),
    ...(flags.apply ? [] : ['Its runs only plan; with --apply they carry the plan out.']),
    ...(isServed
      ? []
      : ['It runs as long as a server does, which is started with:', `  ${typedCommand(config, 'serve')}${sandbox}`]),
    'Try it now with:',
    `  ${imports.command('schedule', 'run', name)}${sandbox}`,
  );
  return EXIT.ok;
}

/** `rollcall schedule edit`: changes the times or the file; settings that are not given do not change. */
function editCommand(io: Io, end: End): Command {
  const command = new Command('edit')
    .description('change settings of a schedule; settings that are not given do not change')
    .argument('<name>', 'as `schedule list` shows it');
  withOptions(command, { ...SCHEDULING, ...APPLYING, ...RUNNING })
    .option('--file <path|pattern|url>', 'another file')
    .addOption(settingFlag('giveUpAfter', HOW_LONG_A_RUN_WAITS))
    .addOption(new Option('--no-give-up-after', 'wait as ROLLCALL_GIVE_UP_AFTER says, or until it is nearly due again'))
    .addOption(new Option('--no-apply', 'only plan'))
    .addOption(new Option('--no-repair', 'skip runs whose file is unchanged'))
    .addOption(new Option('--no-catch-up', 'leave out runs that were missed'));
  withOptions(withServer(withDataDir(withJson(command))), EXPECTING)
    .addOption(new Option('--no-expect-rows', 'accept a file with any number of rows'))
    .addOption(new Option('--no-min-rows', 'accept a file that has become smaller'));
  return command.action((name: string, flags: EditFlags) => end(edit(io, name, flags)));
}

async function edit(io: Io, name: string, flags: EditFlags): Promise<ExitCode> {
  const { changes, read } = changesIn(flags);
  const { client } = await openSchedules(flags);
  const before = await client.call(scheduleOperations.one, { name });
  const reading = { ...before.reading, ...read };
  const made = await client.call(scheduleOperations.edit, { ...before, ...changes, reading });
  if (flags.json) io.out.write(`${JSON.stringify(made)}\n`);
  const [next] = made.next;
  const when = next === undefined ? 'It is paused.' : `It is next due at ${localTime(next, made.tz)} (${made.tz}).`;
  say(io, `Schedule ${name} is changed.`, when);
  return EXIT.ok;
}

/** `rollcall schedule run`: runs a schedule now, by the server where there is one, else in this process. */
function runCommand(io: Io, end: End): Command {
  const command = new Command('run')
    .description('run a schedule now, even if it is paused or not due; on the server if one is running')
    .argument('<name>', 'as `schedule list` shows it');
  withServer(withRunning(command));
  return command.action((name: string, flags: RunningFlags & ServerFlags) =>
    end(openSchedules(flags).then(({ config, imports }) => runSchedule({ io, config, imports, name, flags }))),
  );
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
  const { client } = await openSchedules(flags);
  const changed = verb === 'remove' ? undefined : await client.call(scheduleOperations[verb], { name });
  if (changed === undefined) await client.call(scheduleOperations.remove, { name });
  if (flags.json) io.out.write(`${JSON.stringify(changed ?? { name, removed: true })}\n`);
  const [next] = changed?.next ?? [];
  if (changed === undefined) say(io, `Schedule ${name} is removed.`);
  else if (next === undefined) say(io, `Schedule ${name} is paused.`);
  else say(io, `Schedule ${name} is next due at ${localTime(next, changed.tz)} (${changed.tz}).`);
  return EXIT.ok;
}

export const scheduleNames: Names = {
  wants: (command) => command.name() !== 'add',
  local: async (dataDir) =>
    readCatalog(dataDir, openScheduleCatalogReader, (reader) =>
      (reader?.list() ?? []).map(({ name, file }) => [name, file] as const),
    ),
};
