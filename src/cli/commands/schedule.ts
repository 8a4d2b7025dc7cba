import { Command } from 'commander';
import { readConfig } from '../../platform/config.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, withDataDir, withJson } from '../flags/flags.ts';
import { type Io, say } from '../screen/io.ts';
import { dueNext, localTime, scheduleDocument } from '../target/schedule-data.ts';
import { scheduleAddCommand } from './schedule-add.ts';
import { changeSchedules } from './schedule-control.ts';
import { scheduleCopyCommand, scheduleEditCommand } from './schedule-edit.ts';
import { scheduleHistoryCommand, scheduleListCommand } from './schedule-list.ts';
import { scheduleRunCommand } from './schedule-run.ts';

/** `rollcall schedule`: syncs that begin by themselves, while `rollcall serve` runs. */
export function scheduleCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  return new Command('schedule')
    .addCommand(scheduleAddCommand(io, end))
    .addCommand(scheduleEditCommand(io, end))
    .addCommand(scheduleCopyCommand(io, end))
    .addCommand(scheduleListCommand(io, end))
    .addCommand(scheduleRunCommand(io, end))
    .addCommand(changeCommand(io, end, 'pause', 'start no runs until `schedule resume`; a run in progress continues'))
    .addCommand(changeCommand(io, end, 'resume', 'start runs again, from the next one that is due'))
    .addCommand(changeCommand(io, end, 'remove', 'delete a schedule and its history; its syncs and imports stay'))
    .addCommand(scheduleHistoryCommand(io, end));
}

function changeCommand(
  io: Io,
  end: (code: Promise<ExitCode>) => Promise<void>,
  verb: 'pause' | 'resume' | 'remove',
  description: string,
): Command {
  const command = new Command(verb).description(description).argument('<name>', 'as `schedule list` shows it');
  return withDataDir(withJson(command)).action((name: string, flags: CommonFlags) =>
    end(changeSchedule(io, verb, name, flags)),
  );
}

async function changeSchedule(
  io: Io,
  verb: 'pause' | 'resume' | 'remove',
  name: string,
  flags: CommonFlags,
): Promise<ExitCode> {
  const { record } = await changeSchedules(readConfig(flags), { verb, name });
  if (flags.json)
    io.out.write(
      `${JSON.stringify(record === null ? { name, removed: true } : scheduleDocument(record, undefined))}\n`,
    );
  if (record === null) say(io, `Schedule ${name} is removed.`);
  else if (record.paused) say(io, `Schedule ${name} is paused.`);
  else say(io, `Schedule ${name} is next due at ${localTime(dueNext(record)[0] ?? 0, record.tz)} (${record.tz}).`);
  return EXIT.ok;
}
