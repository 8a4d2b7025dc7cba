import { Command } from 'commander';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { type CommonFlags, type ServerFlags, withDataDir, withJson, withServer } from '../../../cli/flags/flags.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { localTime } from '../../../cli/screen/local-time.ts';
import { scheduleOperations } from '../operations.ts';
import { scheduleAddCommand } from './schedule-add.ts';
import { scheduleCopyCommand, scheduleEditCommand } from './schedule-edit.ts';
import { scheduleHistoryCommand, scheduleListCommand } from './schedule-list.ts';
import { scheduleRunCommand } from './schedule-run.ts';
import { openSchedules, scheduleDocument } from './schedule-target.ts';

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
  const changed = verb === 'remove' ? undefined : await schedules.call(scheduleOperations[verb], { name });
  if (changed === undefined) await schedules.call(scheduleOperations.remove, { name });
  const shown = changed === undefined ? { name, removed: true } : scheduleDocument(changed);
  if (flags.json) io.out.write(`${JSON.stringify(shown)}\n`);
  const [next] = changed?.next ?? [];
  if (changed === undefined) say(io, `Schedule ${name} is removed.`);
  else if (next === undefined) say(io, `Schedule ${name} is paused.`);
  else say(io, `Schedule ${name} is next due at ${localTime(next, changed.tz)} (${changed.tz}).`);
  return EXIT.ok;
}
