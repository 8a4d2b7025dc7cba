import { Command } from 'commander';
import { entriesOf } from '../../../cli/client/operation-client.ts';
import type { Action } from '../../../cli/exit-codes.ts';
import { withCreation, withShape, withSource } from '../../../cli/flags/file-flags.ts';
import {
  type CommonFlags,
  type RunningFlags,
  withJson,
  withOptions,
  withRecipeFlag,
  withRunning,
  withServer,
} from '../../../cli/flags/flags.ts';
import { checkTarget, openRunning, run } from '../../../cli/run.ts';
import { type Io, printJson, printTable, say } from '../../../cli/screen/io.ts';
import { ENDING, MODE, NAMING, UNDOING } from '../../../options/deciding-options.ts';
import { inputNames } from '../../../options/input-kinds.ts';
import { type Given, textsOf } from '../../../options/option.ts';
import { READING } from '../../../options/reading-options.ts';
import { EXPECTING, LIFTING } from '../../../options/sending-options.ts';
import { syncOperations } from '../operations.ts';
import { planOf } from './plan-file.ts';
import { openSyncs, syncsOf } from './sync-client.ts';
import {
  type DecidingFlags,
  decidingQuery,
  type PlanningFlags,
  type SyncFileFlags,
  withDeciding,
  withPlan,
} from './sync-flags.ts';
import { syncBringBackCommand, syncListCommand, syncMembersCommand, syncShowCommand } from './sync-list-command.ts';
import { doneHereOrThere, syncWork } from './sync-work.ts';

type Flags = RunningFlags & SyncFileFlags & { readonly markdown?: boolean };
interface Reason {
  readonly reason: string;
}

/** Beside the formats of inputs: how the plan is printed. */
const MARKDOWN = 'markdown';
type Typed = Omit<Flags, 'format' | 'markdown'> & { readonly format?: Flags['format'] | typeof MARKDOWN };

/** `rollcall sync`: plans the changes that make groups match a file, and carries them out with `--apply`. */
export function syncCommand(action: Action) {
  const command = new Command('sync')
    .argument(
      '<file>',
      `who should be in which group: ${inputNames('or')}, also compressed; a ZIP of these; an address; - reads standard input`,
    )
    // Options behind the name of a subcommand are its own.
    .enablePositionalOptions();
  withPlan(withCreation(withDeciding(withOptions(command, { ...NAMING, ...MODE, ...LIFTING }))));
  withShape(withRecipeFlag(withOptions(withSource(command), { ...EXPECTING, ...READING })));
  withRunning(command);
  const format = command.options.find(({ long }) => long === '--format');
  format?.choices([...(format.argChoices ?? []), MARKDOWN]);
  if (format !== undefined) format.description += `; ${MARKDOWN}: print the plan as Markdown, for a pull request`;
  command.action(
    action((io, file: string, { format, ...flags }: Typed) =>
      sync(io, file, format === MARKDOWN ? { ...flags, markdown: true } : { ...flags, ...(format && { format }) }),
    ),
  );
  return command
    .addCommand(withRunning(decisionCommand('apply', APPLY)).action(action(carryOut)))
    .addCommand(withRunning(decisionCommand('approve', APPROVE, 'why the plan is right')).action(action(carryOut)))
    .addCommand(withServer(decisionCommand('reject', REJECT, 'why you reject it')).action(action(reject)))
    .addCommand(syncListCommand(action))
    .addCommand(syncShowCommand(action))
    .addCommand(syncMembersCommand(action))
    .addCommand(syncBringBackCommand(action));
}

async function sync(io: Io, file: string, flags: Flags) {
  const running = await openRunning(io, flags);
  return run(running, syncWork(running, flags, { ...(await planOf(running, file, flags)), isNew: true }));
}

const APPLY = 'carry out a stored plan, or continue it; refused if file or groups have changed too much since';
const APPROVE = 'approve a plan that a guard holds, this once and on record, and carry it out';
const REJECT = 'reject a plan: it can no longer be carried out';

/** @param reason the reason that must be given; undefined: none */
function decisionCommand(name: string, description: string, reason?: string): Command {
  const command = new Command(name).description(description).argument('<id>', 'as `sync list` shows it');
  return reason === undefined ? command : command.requiredOption('--reason <text>', reason);
}

async function carryOut(io: Io, id: string, flags: RunningFlags & Partial<Reason>) {
  const { reason } = flags;
  const running = await openRunning(io, flags);
  const { config, imports } = running;
  const verb = reason === undefined ? 'apply' : 'approve';
  const { sandbox } = await syncsOf(config, imports).find(id);
  return doneHereOrThere(running, {}, syncOperations[verb], { id, ...(reason !== undefined && { reason }) }, () =>
    checkTarget(imports.command('sync', verb, id), id, sandbox, flags.sandbox === true),
  );
}

async function reject(io: Io, id: string, flags: CommonFlags & Reason) {
  const { reason } = flags;
  const { syncs } = await openSyncs(flags);
  await syncs.client.call(syncOperations.reject, { id, reason });
  say(io, `Sync ${id} is rejected: ${reason}`);
}

type PlannedFlags = RunningFlags & DecidingFlags & PlanningFlags;

/** `rollcall undo`: plans how to undo an import, and carries it out with `--apply`. */
export function undoCommand(action: Action) {
  const command = new Command('undo').argument('<import>', 'a finished import, as `list` shows it');
  withRunning(withOptions(withPlan(withDeciding(command)), { ...LIFTING, ...UNDOING }));
  return command.action(action(undo));
}

async function undo(io: Io, id: string, flags: PlannedFlags) {
  const running = await openRunning(io, flags);
  const { imports } = running;
  const found = await imports.find(id);
  const { fileOfChanges, sandbox } = found;
  const query = await decidingQuery(flags, imports.server !== undefined);
  const input = { ...Object.fromEntries(query), id };
  const code = await doneHereOrThere(running, flags, syncOperations.undo, input, () =>
    checkTarget(imports.command('undo', id), id, sandbox, flags.sandbox === true),
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

/** An undo reverses memberships. */
function createdStay(file: string) {
  return [
    '',
    'The users and groups that the import created stay. Delete them in the dashboard of the chat service:',
    `  ${file}`,
  ];
}

const MAX_OF_PAGE = 1_000;

/** `rollcall expiring`: memberships that end, the first to end first. */
export function expiringCommand(action: Action) {
  return withServer(withJson(withOptions(new Command('expiring'), ENDING))).action(action(expiring));
}

async function expiring(io: Io, flags: CommonFlags & Given<typeof ENDING>) {
  const { imports, syncs } = await openSyncs(flags);
  const found = await entriesOf(async (size, cursor) => {
    const input = { ...Object.fromEntries(textsOf(ENDING, flags)), limit: `${size}`, cursor };
    const page = await syncs.client.call(syncOperations.ending, input);
    return { ...page, entries: page.memberships };
  }, MAX_OF_PAGE);
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

async function expire(io: Io, flags: PlannedFlags) {
  const running = await openRunning(io, flags);
  const query = await decidingQuery(flags, running.imports.server !== undefined);
  return doneHereOrThere(running, flags, syncOperations.expire, Object.fromEntries(query));
}
