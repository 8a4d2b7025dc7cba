import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { withCreation, withShape, withSource } from '../../../cli/flags/file-flags.ts';
import { optionFlag, withOptions, withRecipeFlag } from '../../../cli/flags/flags.ts';
import { typedCommand } from '../../../cli/screen/io.ts';
import { APPLYING, MODE, RUNNING, SCHEDULING } from '../../../options/deciding-options.ts';
import { READING } from '../../../options/reading-options.ts';
import { EXPECTING, LIFTING, RUNS_WAIT } from '../../../options/sending-options.ts';
import { isPattern } from '../../../sources/allowed-sources.ts';
import { isRemote } from '../../../text/address-text.ts';
import { printable } from '../../../text/wording.ts';
import { withDeciding } from '../../sync/commands/sync-flags.ts';
import { scheduleOperations } from '../operations.ts';
import type { Work } from './schedule-client.ts';
import { type AddFlags, localTime, scheduleOf } from './schedule-flags.ts';

/** `rollcall schedule add`: a sync that starts by itself. */
export function addCommand() {
  const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const command = new Command('add')
    .description('sync a file regularly, at the times of a cron expression')
    .argument('<name>', 'name of the schedule, for the other commands')
    .addOption(optionFlag('cron', SCHEDULING.cron).makeOptionMandatory())
    .addOption(optionFlag('tz', SCHEDULING.tz).default(ownZone, 'the time zone of this machine'))
    .requiredOption(
      '--file <path|pattern|url>',
      'a file, a pattern such as exports/*.csv (the newest match is used), or https://…',
    );
  withOptions(command, { ...RUNS_WAIT, ...APPLYING, ...RUNNING });
  withOptions(withSource(command), { ...EXPECTING, ...MODE });
  withOptions(withCreation(withDeciding(command)), { ...LIFTING, ...READING });
  return withShape(withRecipeFlag(command)).option(
    '--sandbox',
    'run it against the sandbox, on this machine: by a server that is started with --sandbox, or by `schedule run --sandbox`',
  );
}

export const add: Work<AddFlags> = async (client, name, flags, { config, imports }) => {
  const { server } = imports;
  const made = await client.call(scheduleOperations.add, await scheduleOf(name, flags, config, server));
  const sandbox = flags.sandbox ? ' --sandbox' : '';
  const { file, tz, next } = made;
  const isThere = server !== undefined || isRemote(file) || isPattern(file) || existsSync(file);
  const isServed = server !== undefined || (await imports.regions()) !== undefined;
  const says = [
    `Schedule ${name} is added. It is next due at (${tz}):`,
    ...next.map((at) => `  ${localTime(at, tz)}`),
    ...(isThere ? [] : [`There is no file ${printable(file)} yet; until there is one, runs fail and change nothing.`]),
    ...(flags.apply ? [] : ['Its runs only plan; with --apply they carry the plan out.']),
    ...(isServed
      ? []
      : ['It runs as long as a server does, which is started with:', `  ${typedCommand(config, 'serve')}${sandbox}`]),
    'Try it now with:',
    `  ${imports.command('schedule', 'run', name)}${sandbox}`,
  ];
  return { json: made, says };
};
