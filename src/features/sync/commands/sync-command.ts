import { Command, Option } from 'commander';
import type { SyncEntry } from '../../../api/sync-entry.ts';
import { entriesOf } from '../../../cli/client/operation-client.ts';
import type { Names } from '../../../cli/command-entry.ts';
import type { Action } from '../../../cli/exit-codes.ts';
import { withFile } from '../../../cli/flags/file-flags.ts';
import {
  type CommonFlags,
  type RunningFlags,
  wholeNumber,
  withJson,
  withOptions,
  withRunning,
  withServer,
} from '../../../cli/flags/flags.ts';
import { checkTarget, openRunning, run } from '../../../cli/run.ts';
import { type Io, print, printJson, printTable, say, writeOut } from '../../../cli/screen/io.ts';
import { CHANGES } from '../../../membership/plan-words.ts';
import { isSyncUnderWay } from '../../../membership/sync-state.ts';
import { ENDING, MODE, NAMING, UNDOING } from '../../../options/deciding-options.ts';
import { inputNames } from '../../../options/input-kinds.ts';
import { type Given, textsOf } from '../../../options/option.ts';
import { LIFTING } from '../../../options/sending-options.ts';
import { readCatalog } from '../../../platform/data-dir.ts';
import { grouped, printable } from '../../../text/wording.ts';
import type { SyncView } from '../api.ts';
import { syncOperations } from '../operations.ts';
import { openSyncCatalogReader } from '../sync-catalog.ts';
import { openSyncs, syncsOf } from './sync-client.ts';
import { type DecidingFlags, decidingQuery, type SyncFileFlags, withDeciding, withPlan } from './sync-flags.ts';
import { documentOf, inputOf, printMarkdown, printPlan, waitingImport } from './sync-outcome.ts';
import { doneHereOrThere, planOf, syncWork } from './sync-work.ts';

interface Reason {
  readonly reason: string;
}

/** Beside the formats of inputs: how the plan is printed. */
const MARKDOWN = 'markdown';
type Flags = RunningFlags & SyncFileFlags;
type Typed = Omit<Flags, 'format'> & { readonly format?: Flags['format'] | typeof MARKDOWN };

/** `rollcall sync`: plans the changes that make groups match a file, and carries them out with `--apply`. */
export function syncCommand(action: Action) {
  const command = new Command('sync')
    .argument(
      '<file>',
      `who should be in which group: ${inputNames('or')}, also compressed; a ZIP of these; an address; - reads standard input`,
    )
    // Options behind the name of a subcommand are its own.
    .enablePositionalOptions();
  withPlan(withDeciding(withOptions(command, { ...NAMING, ...MODE, ...LIFTING })));
  withRunning(withFile(command));
  const format = command.options.find(({ long }) => long === '--format');
  format?.choices([...(format.argChoices ?? []), MARKDOWN]);
  if (format !== undefined) format.description += `; ${MARKDOWN}: print the plan as Markdown, for a pull request`;
  command.action(
    action(async (io, file: string, { format, ...others }: Typed) => {
      const markdown = format === MARKDOWN;
      const flags = format === undefined || markdown ? others : { ...others, format };
      const running = await openRunning(io, flags);
      const begin = await planOf(running, file, flags);
      return run(running, syncWork(running, { ...flags, markdown }, { ...begin, isNew: true }));
    }),
  );
  const listing = new Command('list')
    .description('show syncs, newest first')
    .option('--limit <n>', 'how many', wholeNumber(1, MAX_LISTED), 20);
  const approving = aboutOne('approve', APPROVE).requiredOption('--reason <text>', 'why the plan is right');
  const rejecting = aboutOne('reject', REJECT).requiredOption('--reason <text>', 'why you reject it');
  const returning = aboutNamed('bring-back', BRING_BACK).argument('[uid...]', 'default: all who have left');
  const subcommands = [
    withRunning(aboutOne('apply', APPLY)).action(action(carryOut)),
    withRunning(approving).action(action(carryOut)),
    withServer(rejecting).action(action(reject)),
    withServer(withJson(listing)).action(action(list)),
    withServer(aboutOne('show', 'show a plan and its result').addOption(PLAN_FORMAT)).action(action(show)),
    withServer(aboutNamed('members', MEMBERS)).action(action(members)),
    withServer(returning).action(action(bringBack)),
  ];
  return subcommands.reduce((sync, subcommand) => sync.addCommand(subcommand), command);
}

const MAX_LISTED = 1_000;
const APPLY = 'carry out a stored plan, or continue it; refused if file or groups have changed too much since';
const APPROVE = 'approve a plan that a guard holds, this once and on record, and carry it out';
const REJECT = 'reject a plan: it can no longer be carried out';
const MEMBERS = 'write whom a sync with a name (--sync-name, or a schedule) made members, as CSV';
const BRING_BACK =
  'let users back whom a sync with a name made members and who have left: the next run adds them again';

const PLAN_FORMAT = new Option(
  '--format <format>',
  'text is a summary; markdown is one too, of at most 60 kB; csv and json have every action',
)
  .choices(['text', 'csv', 'json', 'markdown'])
  .default('text');

const aboutOne = (verb: string, description: string) =>
  new Command(verb).description(description).argument('<id>', 'as `sync list` shows it');

const aboutNamed = (verb: string, description: string) =>
  new Command(verb).description(description).argument('<name>', 'as --sync-name gave it, or the name of a schedule');

async function carryOut(io: Io, id: string, flags: RunningFlags & Partial<Reason>) {
  const { reason } = flags;
  const running = await openRunning(io, flags);
  const { config, imports } = running;
  const verb = reason === undefined ? 'apply' : 'approve';
  const { sandbox } = await syncsOf(config, imports).find(id);
  return doneHereOrThere(running, {}, syncOperations[verb], { id, ...(reason !== undefined && { reason }) }, () =>
    checkTarget(imports.command('sync', verb, id), `sync ${id}`, sandbox, flags.sandbox),
  );
}

async function reject(io: Io, id: string, flags: CommonFlags & Reason) {
  const { reason } = flags;
  const { client } = await openSyncs(flags);
  await client.call(syncOperations.reject, { id, reason });
  say(io, `Sync ${id} is rejected: ${reason}`);
}

/** `rollcall undo`: plans how to undo an import, and carries it out with `--apply`. */
export function undoCommand(action: Action) {
  const command = new Command('undo').argument('<import>', 'a finished import, as `list` shows it');
  withRunning(withOptions(withPlan(withDeciding(command)), { ...LIFTING, ...UNDOING }));
  return command.action(action(undo));
}

async function undo(io: Io, id: string, flags: RunningFlags & DecidingFlags) {
  const running = await openRunning(io, flags);
  const { imports } = running;
  const found = await imports.find(id);
  const { fileOfChanges, sandbox } = found;
  const query = await decidingQuery(flags, imports.server !== undefined);
  const input = { ...Object.fromEntries(query), id };
  const code = await doneHereOrThere(running, flags, syncOperations.undo, input, () =>
    checkTarget(imports.command('undo', id), `import ${id}`, sandbox, flags.sandbox),
  );
  const [, created = null] = imports.files(found).find(([what]) => what === 'created') ?? [];
  say(io, ...(fileOfChanges ? NOT_RESTORED : []), ...(created === null ? [] : createdStay(created)));
  return code;
}

/** Only the additions of a file of changes are known well enough to be undone. */
const NOT_RESTORED = [
  '',
  'The import read a file of changes. Undo takes back what it added or banned. Members that it removed or unbanned, and',
  'scopes that it changed, are not restored: what they were is not known. Its report has them, to import by hand.',
];

function createdStay(file: string) {
  return [
    '',
    'The users and groups that the import created stay. Delete them in the dashboard of the chat service:',
    `  ${file}`,
  ];
}

/** `rollcall expiring`: memberships that end, the first to end first. */
export function expiringCommand(action: Action) {
  return withServer(withJson(withOptions(new Command('expiring'), ENDING))).action(action(expiring));
}

async function expiring(io: Io, flags: CommonFlags & Given<typeof ENDING>) {
  const { client, imports } = await openSyncs(flags);
  const within = Object.fromEntries(textsOf(ENDING, flags));
  const found = await entriesOf('memberships', (page) => client.call(syncOperations.ending, { ...within, ...page }));
  if (flags.json) printJson(io, found);
  else if (found.length === 0) say(io, `No membership ends ${imports.place()}.`);
  else {
    const rows = found.map(({ until, region, guid, uid, by }) => [until, region, guid, uid, by]);
    printTable(io, ['until', 'region', 'group', 'user', 'by'], rows);
  }
}

/** `rollcall expire`: plans the removal of members whose memberships are over, and carries it out with `--apply`. */
export function expireCommand(action: Action) {
  return withRunning(withPlan(withDeciding(new Command('expire')))).action(action(expire));
}

async function expire(io: Io, flags: RunningFlags & DecidingFlags) {
  const running = await openRunning(io, flags);
  const query = await decidingQuery(flags, running.imports.server !== undefined);
  return doneHereOrThere(running, flags, syncOperations.expire, Object.fromEntries(query));
}

type ListFlags = CommonFlags & { readonly limit: number };
type ShowFlags = CommonFlags & { readonly format: 'text' | 'csv' | 'json' | 'markdown' };

async function list(io: Io, flags: ListFlags) {
  const syncs = await openSyncs(flags);
  const { imports } = syncs;
  const found = await entriesOf('syncs', (page) => syncs.client.call(syncOperations.list, page), flags.limit);
  if (flags.json) {
    const documents: unknown[] = [];
    for (const { id } of found) documents.push(await documentOf(syncs, await syncs.find(id)));
    return printJson(io, documents);
  }
  if (found.length === 0)
    return say(io, `There are no syncs ${imports.place()}; plan one with \`${imports.command('sync', '<file>')}\`.`);
  const isOwned = (await imports.regions()) !== undefined;
  const rows = found.map((sync) => rowOf(sync, isOwned));
  printTable(io, ['id', 'state', ...CHANGES, 'file'], rows);
}

function rowOf(sync: SyncEntry, isOwned: boolean) {
  const { id, state, totals } = sync;
  const actions = totals?.actions;
  const counts = CHANGES.map((action) => (actions === undefined ? '' : grouped(actions[action])));
  const shown = isSyncUnderWay(state) && !isOwned ? 'interrupted' : state;
  return [id, shown, ...counts, inputOf(sync)];
}

async function show(io: Io, id: string, flags: ShowFlags) {
  const syncs = await openSyncs(flags);
  const sync = await syncs.find(id);
  if (flags.format === 'markdown') return printMarkdown(syncs, io, sync);
  if (flags.format !== 'text')
    return writeOut(io, await syncs.client.download(syncOperations.plan, { id, format: flags.format }));
  print(io, `${headOf(sync).join('\n')}\n`);
  const waiting = sync.state === 'applying' ? await waitingImport(syncs, sync) : [];
  await printPlan(syncs, io, sync);
  if (waiting.length > 0) say(io, '', ...waiting);
}

function headOf(sync: SyncView) {
  const { id, mode, importId, moves, before } = sync;
  return [
    `${mode === 'undo' ? id : `sync ${id} of`} ${inputOf(sync)}`,
    ...moves.map(({ at, state, reason, who }) => {
      const by = who === '' ? '' : ` (${printable(who)})`;
      return `  ${at}  ${state.padEnd(10)}  ${printable(reason)}${by}`;
    }),
    ...(importId === null ? [] : [`  carried out by import ${importId}`]),
    ...(before === null ? [] : [`  who was in its groups before: ${before}`]),
  ];
}

async function members(io: Io, name: string, flags: CommonFlags) {
  const { client } = await openSyncs(flags);
  await writeOut(io, await client.download(syncOperations.members, { name }));
}

async function bringBack(io: Io, name: string, uids: readonly string[], flags: CommonFlags) {
  const { client } = await openSyncs(flags);
  await client.call(syncOperations.bringBack, { name, ...(uids.length > 0 && { uids: [...uids] }) });
  say(io, `The next run of ${name} adds ${uids.length === 0 ? 'everyone' : 'these users'} again who has left.`);
}

const MAX_NAMES = 50;

export const syncNames: Names = {
  wants: (_, argument) => argument.name() === 'id',
  local: async (dir) =>
    readCatalog(dir, openSyncCatalogReader, (reader) =>
      (reader?.page({ limit: MAX_NAMES }).syncs ?? []).map(({ id, state, file }) => [id, `${state}, ${file}`] as const),
    ),
};
