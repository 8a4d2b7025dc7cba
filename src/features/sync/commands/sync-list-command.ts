import { Command, Option } from 'commander';
import type { SyncEntry } from '../../../api/sync-entry.ts';
import type { Action } from '../../../cli/exit-codes.ts';
import { type CommonFlags, wholeNumber, withJson, withServer } from '../../../cli/flags/flags.ts';
import { type Io, print, printJson, printTable, say, writeOut } from '../../../cli/screen/io.ts';
import type { Names } from '../../../cli/suggestions.ts';
import { isSyncUnderWay } from '../../../membership/sync-state.ts';
import { readCatalog } from '../../../platform/data-dir.ts';
import { grouped, printable } from '../../../text/wording.ts';
import type { SyncView } from '../api.ts';
import { syncOperations } from '../operations.ts';
import { openSyncCatalogReader } from '../sync-catalog.ts';
import { openSyncs } from './sync-client.ts';
import { documentOf, inputOf, printMarkdown, printPlan, waitingImport } from './sync-outcome.ts';

type ListFlags = CommonFlags & { readonly limit: number };
type ShowFlags = CommonFlags & { readonly format: 'text' | 'csv' | 'json' | 'markdown' };

const MAX_LISTED = 1_000;

/** `rollcall sync list`: syncs, newest first. */
export function syncListCommand(action: Action) {
  const command = new Command('list')
    .description('show syncs, newest first')
    .option('--limit <n>', 'how many', wholeNumber(1, MAX_LISTED), 20);
  return withServer(withJson(command)).action(action(list));
}

async function list(io: Io, flags: ListFlags) {
  const { imports, syncs } = await openSyncs(flags);
  const found = await syncs.list(flags.limit);
  if (flags.json) {
    const documents: unknown[] = [];
    for (const { id } of found) documents.push(await documentOf(syncs, await syncs.find(id)));
    printJson(io, documents);
    return;
  }
  if (found.length === 0) {
    say(io, `There are no syncs ${imports.place()}; plan one with \`${imports.command('sync', '<file>')}\`.`);
    return;
  }
  const isOwned = (await imports.regions()) !== undefined;
  const head = ['id', 'state', 'add', 'change', 'remove', 'ban', 'file'];
  printTable(
    io,
    head,
    found.map((sync) => rowOf(sync, isOwned)),
  );
}

function rowOf(sync: SyncEntry, isOwned: boolean) {
  const { id, state, totals } = sync;
  const actions = totals?.actions;
  const counts = (['add', 'change', 'remove', 'ban'] as const).map((action) =>
    actions === undefined ? '' : grouped(actions[action]),
  );
  const shown = isSyncUnderWay(state) && !isOwned ? 'interrupted' : state;
  return [id, shown, ...counts, inputOf(sync)];
}

/** `rollcall sync show`: a stored plan and its result. */
export function syncShowCommand(action: Action) {
  const command = new Command('show')
    .description('show a plan and its result')
    .argument('<id>', 'as `sync list` shows it')
    .addOption(
      new Option(
        '--format <format>',
        'text is a summary; markdown is one too, of at most 60 kB; csv and json have every action',
      )
        .choices(['text', 'csv', 'json', 'markdown'])
        .default('text'),
    );
  return withServer(command).action(action(show));
}

async function show(io: Io, id: string, flags: ShowFlags) {
  const { syncs } = await openSyncs(flags);
  const sync = await syncs.find(id);
  if (flags.format === 'markdown') {
    await printMarkdown(syncs, io, sync);
    return;
  }
  if (flags.format !== 'text') {
    const plan = await syncs.client.download(syncOperations.plan, { id, format: flags.format });
    await writeOut(io, plan);
    return;
  }
  print(io, `${headOf(sync).join('\n')}\n`);
  const waiting = sync.state === 'applying' ? await waitingImport(syncs, sync) : [];
  await printPlan(syncs, io, id);
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

/** `rollcall sync members`: whom a sync with a name made members. */
export function syncMembersCommand(action: Action) {
  const command = new Command('members')
    .description('write whom a sync with a name (--sync-name, or a schedule) made members, as CSV')
    .argument('<name>', 'as --sync-name gave it, or the name of a schedule');
  return withServer(command).action(
    action(async (io: Io, name: string, flags: CommonFlags) => {
      const { syncs } = await openSyncs(flags);
      await writeOut(io, await syncs.client.download(syncOperations.members, { name }));
    }),
  );
}

/** `rollcall sync bring-back`: users who have left are added again. */
export function syncBringBackCommand(action: Action) {
  const command = new Command('bring-back')
    .description('let users back whom a sync with a name made members and who have left: the next run adds them again')
    .argument('<name>', 'as --sync-name gave it, or the name of a schedule')
    .argument('[uid...]', 'default: all who have left');
  return withServer(command).action(
    action(async (io: Io, name: string, uids: readonly string[], flags: CommonFlags) => {
      const { syncs } = await openSyncs(flags);
      await syncs.client.call(syncOperations.bringBack, { name, ...(uids.length > 0 && { uids: [...uids] }) });
      say(io, `The next run of ${name} adds ${uids.length === 0 ? 'everyone' : 'these users'} again who has left.`);
    }),
  );
}

const MAX_NAMES = 50;

export const syncNames: Names = {
  wants: (_, argument) => argument.name() === 'id',
  local: async (dataDir) =>
    readCatalog(dataDir, openSyncCatalogReader, (reader) =>
      (reader?.page({ limit: MAX_NAMES }).syncs ?? []).map(({ id, state, file }) => [id, `${state}, ${file}`] as const),
    ),
};
