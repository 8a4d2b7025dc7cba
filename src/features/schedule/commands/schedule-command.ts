import { Command, Option } from 'commander';
import { type End, EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import {
  type CommonFlags,
  type RunningFlags,
  type ServerFlags,
  wholeNumber,
  withDataDir,
  withJson,
  withRunning,
  withServer,
} from '../../../cli/flags/flags.ts';
import { withOptions } from '../../../cli/flags/option-flags.ts';
import type { Names } from '../../../cli/names.ts';
import { type Io, print, say } from '../../../cli/screen/io.ts';
import { drawTable } from '../../../cli/screen/table.ts';
import { APPLYING, RUNNING, SCHEDULING } from '../../../options/deciding-options.ts';
import { EXPECTING, RUNS_WAIT } from '../../../options/sending-options.ts';
import { readCatalog } from '../../../platform/data-dir.ts';
import { printable } from '../../../text/wording.ts';
import type { PlanCreate } from '../../sync/api-plan.ts';
import type { ScheduleView } from '../api.ts';
import { scheduleOperations } from '../operations.ts';
import { openScheduleCatalogReader } from '../schedule-catalog.ts';
import { addCommand } from './schedule-add.ts';
import { openSchedules } from './schedule-client.ts';
import { changesIn, type EditFlags, localTime } from './schedule-flags.ts';
import { runSchedule } from './schedule-run.ts';

/** `rollcall schedule`: syncs that begin by themselves, while `rollcall serve` runs. */
export function scheduleCommand(io: Io, end: End): Command {
  return new Command('schedule')
    .addCommand(addCommand(io, end))
    .addCommand(editCommand(io, end))
    .addCommand(listCommand(io, end))
    .addCommand(runCommand(io, end))
    .addCommand(pausing(io, end, 'pause', 'start no runs until `schedule resume`; a run in progress continues'))
    .addCommand(pausing(io, end, 'resume', 'start runs again, from the next one that is due'))
    .addCommand(removeCommand(io, end))
    .addCommand(historyCommand(io, end));
}

/** The command of a verb on one schedule. */
const aboutOne = (verb: string, description: string) =>
  new Command(verb).description(description).argument('<name>', 'as `schedule list` shows it');
const withPlace = (command: Command) => withServer(withDataDir(withJson(command)));

/** The next time of a schedule, or that it is paused. */
function dueWords({ next: [next], tz }: ScheduleView): string {
  return next === undefined ? 'is paused' : `is next due at ${localTime(next, tz)} (${tz})`;
}

/** `rollcall schedule edit`: changes the times or the file; settings that are not given do not change. */
function editCommand(io: Io, end: End): Command {
  const command = aboutOne('edit', 'change settings of a schedule; settings that are not given do not change');
  withOptions(command, { ...SCHEDULING, ...APPLYING, ...RUNNING, ...RUNS_WAIT })
    .option('--file <path|pattern|url>', 'another file')
    .addOption(new Option('--no-give-up-after', 'wait as ROLLCALL_GIVE_UP_AFTER says, or until it is nearly due again'))
    .addOption(new Option('--no-apply', 'only plan'))
    .addOption(new Option('--no-repair', 'skip runs whose file is unchanged'))
    .addOption(new Option('--no-catch-up', 'leave out runs that were missed'));
  withOptions(withPlace(command), EXPECTING)
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
  say(io, `Schedule ${name} is changed.`, `It ${dueWords(made)}.`);
  return EXIT.ok;
}

/** `rollcall schedule run`: runs a schedule now, by the server where there is one, else in this process. */
function runCommand(io: Io, end: End): Command {
  const command = aboutOne(
    'run',
    'run a schedule now, even if it is paused or not due; on the server if one is running',
  );
  return withServer(withRunning(command)).action((name: string, flags: RunningFlags & ServerFlags) =>
    end(openSchedules(flags).then(({ config, imports }) => runSchedule({ io, config, imports, name, flags }))),
  );
}

type Flags = CommonFlags & ServerFlags;
type HistoryFlags = Flags & { readonly limit: number };

function pausing(io: Io, end: End, verb: 'pause' | 'resume', description: string): Command {
  return withPlace(aboutOne(verb, description)).action((name: string, flags: Flags) =>
    end(pauseOrResume(io, verb, name, flags)),
  );
}

async function pauseOrResume(io: Io, verb: 'pause' | 'resume', name: string, flags: Flags): Promise<ExitCode> {
  const { client } = await openSchedules(flags);
  const changed = await client.call(scheduleOperations[verb], { name });
  if (flags.json) io.out.write(`${JSON.stringify(changed)}\n`);
  say(io, `Schedule ${name} ${dueWords(changed)}.`);
  return EXIT.ok;
}

function removeCommand(io: Io, end: End): Command {
  const command = aboutOne('remove', 'delete a schedule and its history; its syncs and imports stay');
  return withPlace(command).action((name: string, flags: Flags) => end(remove(io, name, flags)));
}

async function remove(io: Io, name: string, flags: Flags): Promise<ExitCode> {
  const { client } = await openSchedules(flags);
  await client.call(scheduleOperations.remove, { name });
  if (flags.json) io.out.write(`${JSON.stringify({ name, removed: true })}\n`);
  say(io, `Schedule ${name} is removed.`);
  return EXIT.ok;
}

/** `rollcall schedule list`: what there is, when it is due next, and its last result. */
function listCommand(io: Io, end: End): Command {
  const command = new Command('list').description('show schedules, their next three times and last run');
  return withPlace(command).action((flags: Flags) => end(list(io, flags)));
}

/** `rollcall schedule history`: the runs of a schedule, newest first. */
function historyCommand(io: Io, end: End): Command {
  const command = aboutOne('history', 'show the runs of a schedule, newest first');
  command.option('--limit <n>', 'how many runs', wholeNumber(1, 1_000), 20);
  return withPlace(command).action((name: string, flags: HistoryFlags) => end(history(io, name, flags)));
}

async function list(io: Io, flags: Flags): Promise<ExitCode> {
  const { imports, client } = await openSchedules(flags);
  const { schedules: found } = await client.call(scheduleOperations.list, {});
  if (flags.json) {
    io.out.write(`${JSON.stringify(found)}\n`);
    return EXIT.ok;
  }
  if (found.length === 0) {
    say(io, `There are no schedules ${imports.place()}; add one with \`${imports.command('schedule', 'add')}\`.`);
    return EXIT.ok;
  }
  print(io, `${found.map(blockOf).join('\n\n')}\n`);
  return EXIT.ok;
}

function blockOf(schedule: ScheduleView): string {
  const { name, cron, tz, file, paused, next, mode, missing = 'report', apply, create, lastRun } = schedule;
  const whoIsMissing = mode === 'add' ? '' : `, missing: ${missing}`;
  const times = next.map((at) => localTime(at, tz)).join(', ');
  const last = lastRun && `${localTime(lastRun.dueAt, tz)}  ${lastRun.state}: ${printable(lastRun.reason)}`;
  return [
    `${name}  ${cron}  ${tz}  ${printable(file)}`,
    `  sync  ${mode}${whoIsMissing}; ${apply ? 'plans are carried out' : 'plans only'}`,
    `  next  ${paused ? 'none: the schedule is paused' : times}`,
    ...(create === null ? [] : [`  may create  ${whatMay(create)}`]),
    `  last  ${last ?? 'none yet'}`,
  ].join('\n');
}

/** "users, groups (at most users=100,groups=10)" */
function whatMay({ users, groups, reactivate, maxCreate }: PlanCreate): string {
  const what = [users && 'users', groups && 'groups', reactivate && 'deactivated users made active'];
  return `${what.filter((part) => part !== false).join(', ')} (at most ${maxCreate})`;
}

async function history(io: Io, name: string, flags: HistoryFlags): Promise<ExitCode> {
  const { limit } = flags;
  const { client } = await openSchedules(flags);
  const [{ tz }, { runs }] = await Promise.all([
    client.call(scheduleOperations.one, { name }),
    client.call(scheduleOperations.history, { name, limit: `${limit}` }),
  ]);
  if (flags.json) {
    io.out.write(`${JSON.stringify({ runs })}\n`);
    return EXIT.ok;
  }
  if (runs.length === 0) {
    say(io, `Schedule ${name} has not run yet.`);
    return EXIT.ok;
  }
  const table = runs.map(({ dueAt, state, sync, reason }) => [
    localTime(dueAt, tz),
    state,
    sync?.id ?? '',
    printable(reason),
  ]);
  say(io, `Times are those of ${tz}.`);
  // The reasons are what is looked for: they are not cut where the terminal ends.
  print(io, `${drawTable(['due', 'state', 'sync', 'result'], table, Number.POSITIVE_INFINITY)}\n`);
  return EXIT.ok;
}

export const scheduleNames: Names = {
  wants: (command) => command.name() !== 'add',
  local: async (dataDir) =>
    readCatalog(dataDir, openScheduleCatalogReader, (reader) =>
      (reader?.list() ?? []).map(({ name, file }) => [name, file] as const),
    ),
};
