import { Command } from 'commander';
import type { PlanCreate } from '../../api/plan.ts';
import { readConfig } from '../../platform/config.ts';
import type { ScheduleRecord, ScheduleRun } from '../../syncs/schedule/schedule-catalog.ts';
import { ScheduleError } from '../../syncs/schedule/schedule-errors.ts';
import { readSyncOptions, shownCreate } from '../../syncs/sync-options.ts';
import { counted, printable } from '../../text/wording.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, wholeNumber, withDataDir, withJson } from '../flags/flags.ts';
import { type Io, say } from '../screen/io.ts';
import { drawTable } from '../screen/table.ts';
import {
  dueNext,
  failureDocument,
  localTime,
  runDocument,
  scheduleDocument,
  withSchedules,
} from '../target/schedule-data.ts';

const MOST = 1_000;

/** `rollcall schedule list`: what there is, when it is due next, and its last result. */
export function scheduleListCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('list').description('show schedules, their next three times and last run');
  return withDataDir(withJson(command)).action((flags: CommonFlags) => end(list(io, flags)));
}

/** `rollcall schedule history`: the runs of a schedule, newest first, and the rows that keep failing. */
export function scheduleHistoryCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('history')
    .description('show the runs of a schedule, and which rows keep failing since when')
    .argument('<name>', 'as `schedule list` shows it')
    .option('--limit <n>', 'how many runs and rows', wholeNumber(1, MOST), 20);
  return withDataDir(withJson(command)).action((name: string, flags: CommonFlags & { readonly limit: number }) =>
    end(history(io, name, flags)),
  );
}

async function list(io: Io, flags: CommonFlags): Promise<ExitCode> {
  const { dataDir, command } = readConfig(flags);
  const found = withSchedules(dataDir, (schedules) =>
    schedules?.list().map((record) => ({ record, last: schedules.runs(record.name, 1)[0] })),
  );
  if (flags.json) {
    io.out.write(`${JSON.stringify(found?.map(({ record, last }) => scheduleDocument(record, last)) ?? [])}\n`);
    return EXIT.ok;
  }
  if (found === undefined || found.length === 0) {
    say(io, `There are no schedules in ${dataDir}; add one with \`${command} schedule add\`.`);
    return EXIT.ok;
  }
  io.out.write(`${found.map(({ record, last }) => blockOf(record, last)).join('\n\n')}\n`);
  return EXIT.ok;
}

function blockOf(record: ScheduleRecord, last: ScheduleRun | undefined): string {
  const { name, cron, tz, file, paused } = record;
  const next = dueNext(record).map((at) => localTime(at, tz));
  const create = shownCreate(readSyncOptions(record));
  return [
    `${name}  ${cron}  ${tz}  ${printable(file)}`,
    `  next  ${paused ? 'none: the schedule is paused' : next.join(', ')}`,
    ...(create === null ? [] : [`  may create  ${whatMay(create)}`]),
    `  last  ${last === undefined ? 'none yet' : `${localTime(last.dueAt, tz)}  ${last.state}: ${printable(last.reason)}`}`,
  ].join('\n');
}

/** "users, groups (at most users=100,groups=10)" */
function whatMay({ users, groups, reactivate, maxCreate }: PlanCreate): string {
  const what = [users && 'users', groups && 'groups', reactivate && 'deactivated users made active'];
  return `${what.filter((part) => part !== false).join(', ')} (at most ${maxCreate})`;
}

async function history(io: Io, name: string, flags: CommonFlags & { readonly limit: number }): Promise<ExitCode> {
  const { limit } = flags;
  const { record, runs, failing } = withSchedules(readConfig(flags).dataDir, (schedules) => {
    const record = schedules?.find(name);
    if (schedules === undefined || record === undefined) throw ScheduleError.unknown(name);
    return { record, runs: schedules.runs(name, limit), failing: schedules.failures(name, limit) };
  });
  if (flags.json) {
    io.out.write(`${JSON.stringify({ name, runs: runs.map(runDocument), failing: failing.map(failureDocument) })}\n`);
    return EXIT.ok;
  }
  if (runs.length === 0) {
    say(io, `Schedule ${name} has not run yet.`);
    return EXIT.ok;
  }
  const table = runs.map(({ dueAt, state, syncId, reason }) => [
    localTime(dueAt, record.tz),
    state,
    syncId ?? '',
    printable(reason),
  ]);
  // The reasons are what is looked for: they are not cut where the terminal ends.
  io.out.write(`${drawTable(['due', 'state', 'sync', 'result'], table, Number.POSITIVE_INFINITY)}\n`);
  if (failing.length > 0) {
    const rows = failing.map(({ since, region, guid, uid, code }) => [
      localTime(since, record.tz),
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
