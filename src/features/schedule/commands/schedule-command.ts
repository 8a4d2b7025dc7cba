import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { openImports } from '../../../cli/client/imports.ts';
import type { Client } from '../../../cli/client/operation-client.ts';
import type { Names } from '../../../cli/command-entry.ts';
import type { Action } from '../../../cli/exit-codes.ts';
import { withFile } from '../../../cli/flags/file-flags.ts';
import { optionFlag, wholeNumber, withJson, withOptions, withRunning, withServer } from '../../../cli/flags/flags.ts';
import { print, printJson, say, typedCommand } from '../../../cli/screen/io.ts';
import { asFlag } from '../../../errors/named-options.ts';
import { mayCreateWords } from '../../../membership/plan-words.ts';
import { APPLYING, MODE, RUNNING, SCHEDULING } from '../../../options/deciding-options.ts';
import type { Options } from '../../../options/option.ts';
import { LIFTING, RUNS_WAIT } from '../../../options/sending-options.ts';
import { readCatalog } from '../../../platform/data-dir.ts';
import { defined } from '../../../platform/defined.ts';
import { isPattern } from '../../../sources/allowed-sources.ts';
import { isRemote } from '../../../text/address-text.ts';
import { drawTable } from '../../../text/terminal-text.ts';
import { printable } from '../../../text/wording.ts';
import { withDeciding } from '../../sync/commands/sync-flags.ts';
import { type ScheduleView, scheduleOperations } from '../operations.ts';
import { openScheduleCatalogReader } from '../schedule-catalog.ts';
import { type AddFlags, changesIn, EDITED, type EditFlags, type PlaceFlags, scheduleOf } from './schedule-flags.ts';
import { runSchedule, schedulesHere } from './schedule-run.ts';

/** `rollcall schedule`: syncs that begin by themselves, while `rollcall serve` runs. */
export function scheduleCommand(action: Action) {
  const answered = <Flags extends PlaceFlags>(command: Command, work: Work<Flags>) =>
    withServer(withJson(command)).action(
      action(async (io, ...given: unknown[]) => {
        const [flags, name = ''] = given.slice(0, -1).toReversed() as [Flags, string | undefined];
        const { json, prints, says = [] } = await work(await openSchedules(flags), name, flags);
        if (flags.json) printJson(io, json);
        // Remarks on what is listed are for people who see the list.
        if (!flags.json || prints === undefined) say(io, ...says);
        if (!flags.json && prints) print(io, `${prints}\n`);
      }),
    );
  const run = aboutOne('run', 'run a schedule now, even if it is paused or not due; on the server if one is running');
  const past = aboutOne('history', 'show the runs of a schedule, newest first');
  const commands = [
    answered(addCommand(), add),
    answered(editCommand(), edit),
    answered(new Command('list').description('show schedules, their next three times and last run'), list),
    withRunning(run.option('--detach', 'begin the run on the server, and do not wait for its end')).action(
      action(runSchedule),
    ),
    answered(aboutOne('pause', 'start no runs until `schedule resume`; a run in progress continues'), pausing('pause')),
    answered(aboutOne('resume', 'start runs again, from the next one that is due'), pausing('resume')),
    answered(aboutOne('remove', 'delete a schedule and its history; its syncs and imports stay'), remove),
    answered(past.option('--limit <n>', 'how many runs', wholeNumber(1, 1_000), 20), history),
  ];
  return commands.reduce((schedule, command) => schedule.addCommand(command), new Command('schedule'));
}

/** The schedules that a command is about. How long their runs wait is no setting of this process. @throws as openImports */
async function openSchedules({ dataDir, server, profile, plainHttp, sandbox }: PlaceFlags) {
  const { config, imports } = await openImports(defined({ dataDir, server, profile, plainHttp, sandbox }));
  return { config, imports, client: imports.server ?? schedulesHere(config, sandbox === true) };
}

/** Does what a command asks for; gives the answer for programs, the one for people, and what else there is to say. */
type Work<Flags> = (
  opened: Awaited<ReturnType<typeof openSchedules>>,
  name: string,
  flags: Flags,
) => Promise<{ readonly json: unknown; readonly prints?: string; readonly says?: readonly string[] }>;

const aboutOne = (verb: string, description: string) =>
  new Command(verb).description(description).argument('<name>', 'as `schedule list` shows it');

function editCommand() {
  const command = aboutOne('edit', 'change settings of a schedule; settings that are not given do not change');
  withOptions(command, EDITED).option('--file <path|pattern|url>', 'another file');
  for (const [option, { without }] of Object.entries(EDITED as Options))
    if (without !== undefined) command.addOption(new Option(asFlag({ option, value: 'false' }), without));
  return command;
}

const edit: Work<EditFlags> = async ({ client, config, imports: { server } }, name, flags) => {
  const changes = await changesIn(flags, config, server);
  const before = await client.call(scheduleOperations.one, { name });
  const made = await client.call(scheduleOperations.edit, { ...before, ...changes });
  const missing = changes.file === undefined ? [] : missingFile(made, server);
  return { json: made, says: [`Schedule ${name} is changed.`, `It ${dueWords(made)}.`, ...missing] };
};

/** Says of a path on this machine that no file is there. */
function missingFile({ file }: ScheduleView, server: Client | undefined) {
  const isThere = server !== undefined || isRemote(file) || isPattern(file) || existsSync(file);
  return isThere ? [] : [`There is no file ${printable(file)} yet; until there is one, runs fail and change nothing.`];
}

function pausing(verb: 'pause' | 'resume'): Work<PlaceFlags> {
  return async ({ client }, name) => {
    const changed = await client.call(scheduleOperations[verb], { name });
    return { json: changed, says: [`Schedule ${name} ${dueWords(changed)}.`] };
  };
}

/** "2027-03-28 03:30". @param at ISO 8601 */
function localTime(at: string, tz: string) {
  const form = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short', timeStyle: 'short' });
  return form.format(Date.parse(at));
}

function dueWords({ next: [next], tz }: ScheduleView) {
  return next === undefined ? 'is paused' : `is next due at ${localTime(next, tz)} (${tz})`;
}

const list: Work<PlaceFlags> = async ({ client, imports }) => {
  const { schedules: found } = await client.call(scheduleOperations.list, {});
  const none = `There are no schedules ${imports.place()}; add one with \`${imports.command('schedule', 'add')}\`.`;
  return { json: found, prints: found.map(blockOf).join('\n\n'), says: found.length === 0 ? [none] : [] };
};

function blockOf(schedule: ScheduleView) {
  const { name, cron, tz, file, paused, next, mode = 'add', missing = 'report', apply, create, lastRun } = schedule;
  const whoIsMissing = mode === 'add' ? '' : `, missing: ${missing}`;
  const times = next.map((at) => localTime(at, tz)).join(', ');
  const last = lastRun && `${localTime(lastRun.dueAt, tz)}  ${lastRun.state}: ${printable(lastRun.reason)}`;
  return [
    `${name}  ${cron}  ${tz}  ${printable(file)}`,
    `  sync  ${mode}${whoIsMissing}; ${apply ? 'plans are carried out' : 'plans only'}`,
    `  next  ${paused ? 'none: the schedule is paused' : times}`,
    ...(create === null ? [] : [`  may create  ${mayCreateWords(create)}`]),
    `  last  ${last ?? 'none yet'}`,
  ].join('\n');
}

const remove: Work<PlaceFlags> = async ({ client }, name) => {
  await client.call(scheduleOperations.remove, { name });
  return { json: { name, removed: true }, says: [`Schedule ${name} is removed.`] };
};

const history: Work<PlaceFlags & { readonly limit: number }> = async ({ client }, name, { limit }) => {
  const [{ tz }, { runs }] = await Promise.all([
    client.call(scheduleOperations.one, { name }),
    client.call(scheduleOperations.history, { name, limit: `${limit}` }),
  ]);
  if (runs.length === 0) return { json: { runs }, prints: '', says: [`Schedule ${name} has not run yet.`] };
  const rows = runs.map(({ dueAt, state, sync, reason }) => [
    localTime(dueAt, tz),
    state,
    sync?.id ?? '',
    printable(reason),
  ]);
  // The reasons are what is looked for: they are not cut where the terminal ends.
  const table = drawTable(['due', 'state', 'sync', 'result'], rows, Number.POSITIVE_INFINITY);
  return { json: { runs }, prints: table, says: [`Times are those of ${tz}.`] };
};

export const scheduleNames: Names = {
  wants: (command) => command.name() !== 'add',
  local: async (dir) =>
    readCatalog(dir, openScheduleCatalogReader, (reader) =>
      (reader?.list() ?? []).map(({ name, file }) => [name, file] as const),
    ),
};

function addCommand() {
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
  withOptions(command, { ...RUNS_WAIT, ...APPLYING, ...RUNNING, ...MODE, ...LIFTING });
  return withFile(withDeciding(command)).option(
    '--sandbox',
    'run it against the sandbox, on this machine: by a server that is started with --sandbox, or by `schedule run --sandbox`',
  );
}

const add: Work<AddFlags> = async ({ client, config, imports }, name, flags) => {
  const { server } = imports;
  const made = await client.call(scheduleOperations.add, await scheduleOf(name, flags, config, server));
  const sandbox = flags.sandbox ? ' --sandbox' : '';
  const isServed = server !== undefined || (await imports.regions()) !== undefined;
  const says = [
    `Schedule ${name} is added. It is next due at (${made.tz}):`,
    ...made.next.map((at) => `  ${localTime(at, made.tz)}`),
    ...missingFile(made, server),
    ...(flags.apply ? [] : ['Its runs only plan; with --apply they carry the plan out.']),
    ...(isServed
      ? []
      : ['It runs as long as a server does, which is started with:', `  ${typedCommand(config, 'serve')}${sandbox}`]),
    'Try it now with:',
    `  ${imports.command('schedule', 'run', name)}${sandbox}`,
  ];
  return { json: made, says };
};
