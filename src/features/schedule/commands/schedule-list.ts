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
import { type Io, say } from '../../../cli/screen/io.ts';
import { drawTable } from '../../../cli/screen/table.ts';
import { counted, printable } from '../../../text/wording.ts';
import type { PlanCreate } from '../../sync/api-plan.ts';
import type { ScheduleView } from '../api.ts';
import { scheduleOperations } from '../operations.ts';
import { openSchedules } from './open-schedules.ts';
import { localTime, runDocument, scheduleDocument } from './target-schedules.ts';

type Flags = CommonFlags & ServerFlags;

const MAX_LISTED = 1_000;

/** `rollcall schedule list`: what there is, when it is due next, and its last result. */
export function scheduleListCommand(io: Io, end: End): Command {
  const command = new Command('list').description('show schedules, their next three times and last run');
  return withServer(withDataDir(withJson(command))).action((flags: Flags) => end(list(io, flags)));
}

/** `rollcall schedule history`: the runs of a schedule, newest first, and the rows that keep failing. */
export function scheduleHistoryCommand(io: Io, end: End): Command {
  const command = new Command('history')
    .description('show the runs of a schedule, and which rows keep failing since when')
    .argument('<name>', 'as `schedule list` shows it')
    .option('--limit <n>', 'how many runs and rows', wholeNumber(1, MAX_LISTED), 20);
  return withServer(withDataDir(withJson(command))).action((name: string, flags: Flags & { readonly limit: number }) =>
    end(history(io, name, flags)),
  );
}

async function list(io: Io, flags: Flags): Promise<ExitCode> {
  const { imports, schedules } = await openSchedules(flags);
  const { schedules: found } = await schedules.client.call(scheduleOperations.list, {});
  if (flags.json) {
    io.out.write(`${JSON.stringify(found.map(scheduleDocument))}\n`);
    return EXIT.ok;
  }
  if (found.length === 0) {
    say(io, `There are no schedules ${imports.place()}; add one with \`${imports.command('schedule', 'add')}\`.`);
    return EXIT.ok;
  }
  io.out.write(`${found.map(blockOf).join('\n\n')}\n`);
  return EXIT.ok;
}

function blockOf({ name, cron, tz, file, paused, next, create, lastRun }: ScheduleView): string {
  const times = next.map((at) => localTime(at, tz)).join(', ');
  const last = lastRun && `${localTime(lastRun.dueAt, tz)}  ${lastRun.state}: ${printable(lastRun.reason)}`;
  return [
    `${name}  ${cron}  ${tz}  ${printable(file)}`,
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

async function history(io: Io, name: string, flags: Flags & { readonly limit: number }): Promise<ExitCode> {
  const { limit } = flags;
  const { client } = (await openSchedules(flags)).schedules;
  const [{ tz }, { runs: views, failing }] = await Promise.all([
    client.call(scheduleOperations.one, { name }),
    client.call(scheduleOperations.history, { name, limit: `${limit}` }),
  ]);
  const runs = views.map((run) => runDocument(name, run));
  if (flags.json) {
    io.out.write(`${JSON.stringify({ name, runs, failing })}\n`);
    return EXIT.ok;
  }
  if (runs.length === 0) {
    say(io, `Schedule ${name} has not run yet.`);
    return EXIT.ok;
  }
  const table = runs.map(({ dueAt, state, syncId, reason }) => [
    localTime(dueAt, tz),
    state,
    syncId ?? '',
    printable(reason),
  ]);
  // The reasons are what is looked for: they are not cut where the terminal ends.
  io.out.write(`${drawTable(['due', 'state', 'sync', 'result'], table, Number.POSITIVE_INFINITY)}\n`);
  if (failing.length > 0) {
    const rows = failing.map(({ since, region, guid, uid, code }) => [
      localTime(since, tz),
      region,
      printable(guid),
      printable(uid),
      printable(code),
    ]);
    io.out.write(`\n${drawTable(['failing since', 'region', 'group', 'UID', 'code'], rows, io.width)}\n`);
    if (failing.length === limit) say(io, `These are the oldest ${counted(limit, 'row')}; --limit shows more.`);
  }
  return EXIT.ok;
}
