import { Command, Option } from 'commander';
import { currentUser } from '../../../cli/current-user.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { FEATURES } from '../../../cli/features.ts';
import { type CommonFlags, type ServerFlags, withDataDir, withJson, withServer } from '../../../cli/flags/flags.ts';
import { type ExpectRowsFlags, withExpectRows } from '../../../cli/flags/reading-flags.ts';
import { type ReportFlags, withReportTo } from '../../../cli/flags/report-flags.ts';
import { settingFlag } from '../../../cli/flags/setting-flag.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { localTime } from '../../../cli/screen/local-time.ts';
import type { Server } from '../../../cli/target/server-client.ts';
import { keptOf } from '../../../options/option.ts';
import { EXPECTING, GIVING_UP } from '../../../options/sending-options.ts';
import type { Config } from '../../../platform/config.ts';
import { defined } from '../../../platform/defined.ts';
import { wholeSource } from '../../../sources/obtain.ts';
import { readSyncOptions, syncOptionsToJson } from '../../sync/sync-options.ts';
import type { ScheduleSettings, ScheduleView } from '../api.ts';
import { scheduleOperations } from '../operations.ts';
import type { ScheduleRecord, ScheduleRequest } from '../schedule-catalog.ts';
import type { ScheduleChange } from '../schedule-messages.ts';
import { CATCH_UP, HOW_LONG_A_RUN_WAITS, reportingHere, TIME_ZONE } from './schedule-add.ts';
import { changeSchedules } from './schedule-control.ts';
import { openSchedules, scheduleDocument, withSchedules } from './schedule-target.ts';

interface Flags extends CommonFlags, ServerFlags, ExpectRowsFlags {
  /** False: as the server is set. */
  readonly reportTo?: ReportFlags['reportTo'] | false;
  /** In ms. */
  readonly giveUpAfter?: number;
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

async function edit(io: Io, name: string, flags: Flags): Promise<ExitCode> {
  const { config, server } = await openSchedules(flags);
  const made = server === undefined ? await editHere(config, name, flags) : await editThere(server, name, flags);
  return showChange(io, flags, made, `Schedule ${name} is changed.`);
}

async function editHere(config: Config, name: string, flags: Flags): Promise<ScheduleView> {
  const before = known(config, name);
  const request = await changed(config, before, name, flags);
  return changeHere(config, { verb: 'edit', request, version: before.version, who: currentUser() });
}

async function editThere(server: Server, name: string, flags: Flags): Promise<ScheduleView> {
  const before = await server.call(scheduleOperations.one, { name });
  const wanted = { ...changedThere(before, flags), name, version: before.version };
  return server.call(scheduleOperations.edit, wanted);
}

async function copy(io: Io, name: string, newName: string, flags: Flags): Promise<ExitCode> {
  const { config, server } = await openSchedules(flags);
  const made =
    server === undefined ? await copyHere(config, name, newName, flags) : await copyThere(server, name, newName, flags);
  return showChange(io, flags, made, `Schedule ${newName} is added, with the settings of ${name}.`);
}

async function copyHere(config: Config, name: string, newName: string, flags: Flags): Promise<ScheduleView> {
  return changeHere(config, { verb: 'add', request: await changed(config, known(config, name), newName, flags) });
}

async function copyThere(server: Server, name: string, newName: string, flags: Flags): Promise<ScheduleView> {
  const before = await server.call(scheduleOperations.one, { name });
  const wanted = { ...changedThere(before, flags), name: newName, copyOf: name };
  return server.call(scheduleOperations.add, wanted);
}

async function changeHere(config: Config, wanted: ScheduleChange): Promise<ScheduleView> {
  const { record } = await changeSchedules(config, wanted);
  return withSchedules(config, record.name, (views) => views.of(record));
}

function known(config: Config, name: string): ScheduleRecord {
  return withSchedules(config, name, ({ find }) => find(name));
}

async function changed(config: Config, before: ScheduleRecord, name: string, flags: Flags): Promise<ScheduleRequest> {
  const { headers, settings, maxSource, protectFile, restricted } = before;
  const options = readSyncOptions(before);
  const isOther = flags.file !== undefined && flags.file !== before.file;
  return {
    ...{ name, headers, settings, maxSource, protectFile },
    cron: flags.cron ?? before.cron,
    tz: flags.tz ?? before.tz,
    file: flags.file ?? before.file,
    source: isOther ? await wholeSource(flags.file, process.cwd(), { named: config.namedSources }) : before.source,
    repair: flags.repair ?? before.repair,
    catchUp: flags.catchUp ?? before.catchUp,
    // Anyone who can log in here may name any file.
    restricted: isOther ? false : restricted,
    options: syncOptionsToJson({
      ...options,
      reading: options.reading && { ...options.reading, ...keptOf(EXPECTING, flags) },
      ...keptOf(GIVING_UP, flags),
      ...(flags.reportTo === false
        ? { reportTo: undefined }
        : await reportingHere(config, { reportTo: flags.reportTo })),
      apply: flags.apply ?? options.apply,
    }),
  };
}

function changedThere(before: ScheduleView, flags: Flags): ScheduleSettings {
  const { cron, tz, file, apply, repair, catchUp } = flags;
  const settings = settingsOfView(before);
  return {
    ...settings,
    ...defined({ cron, tz, file, apply, repair, catchUp }),
    ...keptOf(GIVING_UP, flags),
    ...(flags.reportTo !== undefined && { reportTo: flags.reportTo ? flags.reportTo.place : null }),
    reading: { ...settings.reading, ...keptOf(EXPECTING, flags) },
  };
}

function showChange(io: Io, flags: Flags, made: ScheduleView, what: string): ExitCode {
  if (flags.json) io.out.write(`${JSON.stringify(scheduleDocument(made))}\n`);
  const [next] = made.next;
  const when = next === undefined ? 'It is paused.' : `It is next due at ${localTime(next, made.tz)} (${made.tz}).`;
  say(io, what, when);
  return EXIT.ok;
}

/** The settings of a schedule as they are made and edited. */
function settingsOfView(view: ScheduleView): ScheduleSettings {
  const { cron, tz, file, headers, maxSource, reading, flags, create, limits, apply, repair, catchUp } = view;
  const { mode, removeByName, includeUncertain: _, ...decided } = flags;
  return {
    ...{ cron, tz, file, headers, maxSource, reading, limits, apply, repair, catchUp },
    ...{ ...decided, mode: mode === 'mirror' ? mode : 'add', removeNamed: removeByName },
    ...(create?.settings ?? NOTHING_CREATED),
  };
}

const NOTHING_CREATED = { createUsers: false, createGroups: false, reactivate: false, groupMembers: true } as const;
