import { Command, Option } from 'commander';
import type { SyncEntry } from '../../../api/sync-entry.ts';
import { checkTarget } from '../../../cli/check-target.ts';
import { type End, EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import {
  type CommonFlags,
  type RunningFlags,
  type ServerFlags,
  wholeNumber,
  withDataDir,
  withJson,
  withRunning,
  withServer,
} from '../../../cli/flags/flags.ts';
import { withCreation, withOptions, withRecipeFlag } from '../../../cli/flags/option-flags.ts';
import { withShape } from '../../../cli/flags/shape-flags.ts';
import { withSource } from '../../../cli/flags/source-flags.ts';
import type { Names } from '../../../cli/names.ts';
import { run } from '../../../cli/run.ts';
import { type Io, print, say, tableWidth, writeOut } from '../../../cli/screen/io.ts';
import { drawTable } from '../../../cli/screen/table.ts';
import { isSyncUnderWay } from '../../../membership/sync-state.ts';
import { MODE } from '../../../options/deciding-options.ts';
import { inputNames } from '../../../options/input-kinds.ts';
import { READING } from '../../../options/reading-options.ts';
import { EXPECTING } from '../../../options/sending-options.ts';
import { readCatalog } from '../../../platform/data-dir.ts';
import { grouped, printable } from '../../../text/wording.ts';
import type { SyncView } from '../api.ts';
import { syncOperations } from '../operations.ts';
import { openSyncCatalogReader } from '../sync-catalog.ts';
import { askedOwner, openRunning } from './open-running.ts';
import { planOf } from './plan-file.ts';
import { openSyncs, rejectHere } from './sync-client.ts';
import { type SyncFileFlags, withDeciding, withPlan } from './sync-flags.ts';
import { documentOf, inputOf, printMarkdown, printPlan, waitingImport } from './sync-outcome.ts';
import { type SyncWork, syncWork } from './sync-work.ts';

type Flags = RunningFlags & ServerFlags & SyncFileFlags & { readonly markdown?: boolean };
interface Reason {
  readonly reason: string;
}

/** Beside the formats of inputs: how the plan is printed. */
const MARKDOWN = 'markdown';
type Typed = Omit<Flags, 'format' | 'markdown'> & { readonly format?: Flags['format'] | typeof MARKDOWN };

/** `rollcall sync`: plans the changes that make groups match a file, and carries them out with `--apply`. */
export function syncCommand(io: Io, end: End): Command {
  const command = new Command('sync')
    .argument(
      '<file>',
      `who should be in which group: ${inputNames('or')}, also compressed; a ZIP of these; an address; - reads standard input`,
    )
    // Options behind the name of a subcommand are its own.
    .enablePositionalOptions();
  withPlan(withCreation(withDeciding(withOptions(command, MODE))));
  withShape(withRecipeFlag(withOptions(withSource(command), { ...EXPECTING, ...READING })));
  withServer(withRunning(command));
  const format = command.options.find(({ long }) => long === '--format');
  format?.choices([...(format.argChoices ?? []), MARKDOWN]);
  if (format !== undefined) format.description += `; ${MARKDOWN}: print the plan as Markdown, for a pull request`;
  command.action((file: string, { format, ...flags }: Typed) =>
    end(sync(io, file, format === MARKDOWN ? { ...flags, markdown: true } : { ...flags, ...(format && { format }) })),
  );
  return command
    .addCommand(applyCommand(io, end))
    .addCommand(approveCommand(io, end))
    .addCommand(rejectCommand(io, end))
    .addCommand(syncListCommand(io, end))
    .addCommand(syncShowCommand(io, end));
}

async function sync(io: Io, file: string, flags: Flags): Promise<ExitCode> {
  const { running, shown } = await openRunning(io, flags);
  return run(running, syncWork(running, { ...(await planOf(running, file, flags)), shown, isNew: true }));
}

/** `rollcall sync apply`: carries out a stored plan, or continues it. */
function applyCommand(io: Io, end: End): Command {
  const command = new Command('apply')
    .description('carry out a stored plan, or continue it; refused if file or groups have changed too much since')
    .argument('<id>', 'as `sync list` shows it');
  return withServer(withRunning(command)).action((id: string, flags: RunningFlags & ServerFlags) =>
    end(carryOut(io, id, flags)),
  );
}

/** `rollcall sync approve`: lets a held plan through, this once. */
function approveCommand(io: Io, end: End): Command {
  const command = new Command('approve')
    .description('approve a plan that a guard holds, this once and on record, and carry it out')
    .argument('<id>', 'as `sync list` shows it')
    .requiredOption('--reason <text>', 'why the plan is right');
  return withServer(withRunning(command)).action((id: string, flags: RunningFlags & ServerFlags & Reason) =>
    end(carryOut(io, id, flags)),
  );
}

async function carryOut(io: Io, id: string, flags: RunningFlags & ServerFlags & Partial<Reason>): Promise<ExitCode> {
  const { reason } = flags;
  const at = await openRunning(io, flags);
  const { running, shown } = at;
  const { imports } = running;
  const verb = reason === undefined ? 'apply' : 'approve';
  const { sandbox } = await shown.syncs.find(id);
  const code = await askedOwner(at, syncOperations[verb], { id, ...(reason !== undefined && { reason }) });
  if (code !== undefined) return code;
  checkTarget(imports.command('sync', verb, id), id, sandbox, flags.sandbox === true);
  const begin: SyncWork['begin'] = async ({ client }) => {
    await imports.saySendsTo(io);
    return reason === undefined
      ? client.call(syncOperations.apply, { id })
      : client.call(syncOperations.approve, { id, reason });
  };
  return run(running, syncWork(running, { begin, shown, isNew: false }));
}

/** `rollcall sync reject`: rejects a plan. */
function rejectCommand(io: Io, end: End): Command {
  const command = new Command('reject')
    .description('reject a plan: it can no longer be carried out')
    .argument('<id>', 'as `sync list` shows it')
    .requiredOption('--reason <text>', 'why you reject it');
  return withServer(withDataDir(command)).action((id: string, flags: CommonFlags & ServerFlags & Reason) =>
    end(reject(io, id, flags)),
  );
}

async function reject(io: Io, id: string, flags: CommonFlags & ServerFlags & Reason): Promise<ExitCode> {
  const { reason } = flags;
  const { config, imports } = await openSyncs(flags);
  const { server } = imports;
  if (server === undefined) await rejectHere(config.dataDir, id, reason);
  else await server.call(syncOperations.reject, { id, reason });
  say(io, `Sync ${id} is rejected: ${reason}`);
  return EXIT.ok;
}

type ListFlags = CommonFlags & ServerFlags & { readonly limit: number };
type ShowFlags = CommonFlags & ServerFlags & { readonly format: 'text' | 'csv' | 'json' | 'markdown' };

const MAX_LISTED = 1_000;

/** `rollcall sync list`: syncs, newest first. */
function syncListCommand(io: Io, end: End): Command {
  const command = new Command('list')
    .description('show syncs, newest first')
    .option('--limit <n>', 'how many', wholeNumber(1, MAX_LISTED), 20);
  return withServer(withDataDir(withJson(command))).action((flags: ListFlags) => end(list(io, flags)));
}

async function list(io: Io, flags: ListFlags): Promise<ExitCode> {
  const { imports, syncs } = await openSyncs(flags);
  const found = await syncs.list(flags.limit);
  if (flags.json) {
    const documents: unknown[] = [];
    for (const { id } of found) documents.push(await documentOf(syncs, await syncs.find(id)));
    io.out.write(`${JSON.stringify(documents)}\n`);
    return EXIT.ok;
  }
  if (found.length === 0) {
    say(io, `There are no syncs ${imports.place()}; plan one with \`${imports.command('sync', '<file>')}\`.`);
    return EXIT.ok;
  }
  const isOwned = (await imports.regions()) !== undefined;
  const head = ['id', 'state', 'add', 'change', 'remove', 'ban', 'file'];
  io.out.write(
    `${drawTable(
      head,
      found.map((sync) => rowOf(sync, isOwned)),
      tableWidth(io),
    )}\n`,
  );
  return EXIT.ok;
}

function rowOf(sync: SyncEntry, isOwned: boolean): string[] {
  const { id, state, totals } = sync;
  const actions = totals?.actions;
  const counts = (['add', 'change', 'remove', 'ban'] as const).map((action) =>
    actions === undefined ? '' : grouped(actions[action]),
  );
  const shown = isSyncUnderWay(state) && !isOwned ? 'interrupted' : state;
  return [id, shown, ...counts, inputOf(sync)];
}

/** `rollcall sync show`: a stored plan and its result. */
function syncShowCommand(io: Io, end: End): Command {
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
  return withServer(withDataDir(command)).action((id: string, flags: ShowFlags) => end(show(io, id, flags)));
}

async function show(io: Io, id: string, flags: ShowFlags): Promise<ExitCode> {
  const { syncs } = await openSyncs(flags);
  const sync = await syncs.find(id);
  if (flags.format === 'markdown') {
    await printMarkdown(syncs, io, sync);
    return EXIT.ok;
  }
  if (flags.format !== 'text') {
    const plan = await syncs.client.download(syncOperations.plan, { id, format: flags.format });
    await writeOut(io, plan);
    return EXIT.ok;
  }
  print(io, `${headOf(sync).join('\n')}\n`);
  const waiting = sync.state === 'applying' ? await waitingImport(syncs, sync) : [];
  await printPlan(syncs, io, id);
  if (waiting.length > 0) say(io, '', ...waiting);
  return EXIT.ok;
}

function headOf(sync: SyncView): string[] {
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

const MAX_NAMES = 50;

export const syncNames: Names = {
  wants: (_, argument) => argument.name() === 'id',
  local: async (dataDir) =>
    readCatalog(dataDir, openSyncCatalogReader, (reader) =>
      (reader?.list(MAX_NAMES) ?? []).map(({ id, state, file }) => [id, `${state}, ${file}`] as const),
    ),
};
