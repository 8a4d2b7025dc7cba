import { Command } from 'commander';
import { type End, EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import {
  type CommonFlags,
  type ServerFlags,
  wholeNumber,
  withDataDir,
  withJson,
  withServer,
} from '../../../cli/flags/flags.ts';
import { type Io, print, say } from '../../../cli/screen/io.ts';
import { drawTable } from '../../../cli/screen/table.ts';
import { printable } from '../../../text/wording.ts';
import type { PlanCreate } from '../../sync/api-plan.ts';
import type { ScheduleView } from '../api.ts';
import { scheduleOperations } from '../operations.ts';
import { openSchedules } from './schedule-client.ts';
import { localTime } from './schedule-flags.ts';

type ListFlags = CommonFlags & ServerFlags;

const MAX_LISTED = 1_000;

/** `rollcall schedule list`: what there is, when it is due next, and its last result. */
export function scheduleListCommand(io: Io, end: End): Command {
  const command = new Command('list').description('show schedules, their next three times and last run');
  return withServer(withDataDir(withJson(command))).action((flags: ListFlags) => end(list(io, flags)));
}

/** `rollcall schedule history`: the runs of a schedule, newest first. */
export function scheduleHistoryCommand(io: Io, end: End): Command {
  const command = new Command('history')
    .description('show the runs of a schedule, newest first')
    .argument('<name>', 'as `schedule list` shows it')
    .option('--limit <n>', 'how many runs', wholeNumber(1, MAX_LISTED), 20);
  return withServer(withDataDir(withJson(command))).action(
    (name: string, flags: ListFlags & { readonly limit: number }) => end(history(io, name, flags)),
  );
}

async function list(io: Io, flags: ListFlags): Promise<ExitCode> {
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

async function history(io: Io, name: string, flags: ListFlags & { readonly limit: number }): Promise<ExitCode> {
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
