import { Command, Option } from 'commander';
import { readConfig } from '../../platform/config.ts';
import type { ScheduleRequest } from '../../syncs/schedule/schedule-book.ts';
import type { ScheduleRecord } from '../../syncs/schedule/schedule-catalog.ts';
import { ScheduleError } from '../../syncs/schedule/schedule-errors.ts';
import { wholeSource } from '../../syncs/schedule/source.ts';
import { readSyncOptions, syncOptionsToJson } from '../../syncs/sync-options.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, withDataDir, withJson } from '../flags/flags.ts';
import { type Io, say } from '../screen/io.ts';
import { dueNext, localTime, scheduleDocument, withSchedules } from '../target/schedule-data.ts';
import { currentUser } from '../target/sync-data.ts';
import { changeSchedules } from './schedule-control.ts';

interface Flags extends CommonFlags {
  readonly cron?: string;
  readonly tz?: string;
  readonly file?: string;
  readonly apply?: boolean;
  readonly repair?: boolean;
  readonly catchUp?: boolean;
}

/** `rollcall schedule edit`: changes the times or the file; settings that are not given do not change. */
export function scheduleEditCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('edit')
    .description('change settings of a schedule; settings that are not given do not change')
    .argument('<name>', 'as `schedule list` shows it');
  return withChanges(command).action((name: string, flags: Flags) => end(edit(io, name, flags)));
}

/** `rollcall schedule copy`: a new schedule with the settings of another one. */
export function scheduleCopyCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('copy')
    .description('add a schedule with the settings of another one, except those that are given')
    .argument('<name>', 'the schedule to copy')
    .argument('<new-name>', 'name of the new one');
  return withChanges(command).action((name: string, newName: string, flags: Flags) =>
    end(copy(io, name, newName, flags)),
  );
}

function withChanges(command: Command): Command {
  command
    .option('--cron <expression>', 'minute, hour, day of month, month, weekday')
    .option('--tz <zone>', 'time zone of the expression, such as Europe/Rome')
    .option('--file <path|pattern|url>', 'another file')
    .addOption(new Option('--apply', 'carry out each plan at once, unless a guard objects'))
    .addOption(new Option('--no-apply', 'only plan'))
    .addOption(new Option('--repair', 'check the groups even if the file is unchanged'))
    .addOption(new Option('--no-repair', 'skip runs whose file is unchanged'))
    .addOption(new Option('--catch-up', 'when the server starts, run once if a run was missed'))
    .addOption(new Option('--no-catch-up', 'leave out runs that were missed'));
  return withDataDir(withJson(command));
}

async function edit(io: Io, name: string, flags: Flags): Promise<ExitCode> {
  const config = readConfig(flags);
  const before = known(config.dataDir, name);
  const request = await changed(before, name, flags);
  const { record } = await changeSchedules(config, {
    verb: 'edit',
    request,
    version: before.version,
    who: currentUser(),
  });
  return showChange(io, flags, record, `Schedule ${name} is changed.`);
}

async function copy(io: Io, name: string, newName: string, flags: Flags): Promise<ExitCode> {
  const config = readConfig(flags);
  const request = await changed(known(config.dataDir, name), newName, flags);
  const { record } = await changeSchedules(config, { verb: 'add', request });
  return showChange(io, flags, record, `Schedule ${newName} is added, with the settings of ${name}.`);
}

function known(dataDir: string, name: string): ScheduleRecord {
  const record = withSchedules(dataDir, (schedules) => schedules?.find(name));
  if (record === undefined) throw ScheduleError.unknown(name);
  return record;
}

async function changed(before: ScheduleRecord, name: string, flags: Flags): Promise<ScheduleRequest> {
  const { headers, maxSource, protectFile, restricted } = before;
  const options = readSyncOptions(before);
  const isOther = flags.file !== undefined && flags.file !== before.file;
  return {
    ...{ name, headers, maxSource, protectFile },
    cron: flags.cron ?? before.cron,
    tz: flags.tz ?? before.tz,
    file: flags.file ?? before.file,
    source: isOther ? await wholeSource(flags.file, process.cwd()) : before.source,
    repair: flags.repair ?? before.repair,
    catchUp: flags.catchUp ?? before.catchUp,
    // Anyone who can log in here may name any file.
    restricted: isOther ? false : restricted,
    options: syncOptionsToJson({ ...options, apply: flags.apply ?? options.apply }),
  };
}

function showChange(io: Io, flags: Flags, record: ScheduleRecord | null, what: string): ExitCode {
  if (record === null) return EXIT.ok;
  if (flags.json) io.out.write(`${JSON.stringify(scheduleDocument(record, undefined))}\n`);
  const [next] = dueNext(record);
  say(
    io,
    what,
    next === undefined ? 'It is paused.' : `It is next due at ${localTime(next, record.tz)} (${record.tz}).`,
  );
  return EXIT.ok;
}
