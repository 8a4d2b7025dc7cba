import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { serviceOpener } from '../../../app/open-service.ts';
import { noteHere } from '../../../cli/audit.ts';
import { currentUser } from '../../../cli/current-user.ts';
import { UsageError } from '../../../cli/errors.ts';
import type { ExitCode } from '../../../cli/exit-codes.ts';
import { FEATURES } from '../../../cli/features.ts';
import { expectedRows, type FetchedFile, fileToFetch, standardInput } from '../../../cli/fetched-file.ts';
import { type CreateFlags, withCreate } from '../../../cli/flags/create-flags.ts';
import { type RunningFlags, type ServerFlags, withRunning, withServer } from '../../../cli/flags/flags.ts';
import { importOptionsOf } from '../../../cli/flags/import-options.ts';
import {
  type ExpectRowsFlags,
  type ReadingFlags,
  withExpectRows,
  withReading,
} from '../../../cli/flags/reading-flags.ts';
import { type RecipeFlags, withRecipeFlag } from '../../../cli/flags/recipe-flags.ts';
import { type ReportFlags, reportTargetOf, withReportTo } from '../../../cli/flags/report-flags.ts';
import { type ShapeFlags, withShape } from '../../../cli/flags/shape-flags.ts';
import { type SourceFlags, withSource } from '../../../cli/flags/source-flags.ts';
import { lookupFiles } from '../../../cli/lookup-files.ts';
import { optionsWithRecipe } from '../../../cli/recipe-options.ts';
import type { Io } from '../../../cli/screen/io.ts';
import { newImportId } from '../../../imports/import-id.ts';
import type { ImportOptions } from '../../../imports/import-options.ts';
import { fileOf } from '../../../imports/read/file-state.ts';
import type { LookupSource } from '../../../imports/stage/lookup-file.ts';
import type { Aimed } from '../../../imports/target.ts';
import { inputNames } from '../../../options/input-kinds.ts';
import type { ByLookup } from '../../../options/lookups.ts';
import { dataDir } from '../../../platform/data-dir.ts';
import { inShort } from '../../../text/wording.ts';
import { planFiles } from '../plan/prepare.ts';
import type { SyncRunner } from '../run/runner-port.ts';
import { runSync } from './run-sync.ts';
import { syncApplyCommand, syncApproveCommand } from './sync-apply.ts';
import {
  type ModeFlags,
  type PlanFlags,
  syncFlagsOf,
  syncReading,
  withDeciding,
  withMode,
  withPlan,
} from './sync-flags.ts';
import { syncListCommand } from './sync-list.ts';
import { syncRejectCommand } from './sync-reject.ts';
import { syncShowCommand } from './sync-show.ts';
import { openSyncs } from './sync-target.ts';
import { syncThere } from './sync-there.ts';

type Flags = RunningFlags &
  ServerFlags &
  ReadingFlags &
  ExpectRowsFlags &
  SourceFlags &
  ReportFlags &
  RecipeFlags &
  ShapeFlags &
  CreateFlags &
  ModeFlags &
  PlanFlags & { readonly markdown?: boolean };

/** Beside the formats of inputs: how the plan is printed. */
const MARKDOWN = 'markdown';
type Typed = Omit<Flags, 'format' | 'markdown'> & { readonly format?: Flags['format'] | typeof MARKDOWN };

/** `rollcall sync`: plans the changes that make groups match a file, and carries them out with `--apply`. */
export function syncCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('sync')
    .argument(
      '<file>',
      `who should be in which group: ${inputNames('or')}, also compressed; a ZIP of these; an address; - reads standard input`,
    )
    // Options behind the name of a subcommand are its own.
    .enablePositionalOptions();
  withPlan(withCreate(withDeciding(withMode(command))));
  withShape(withRecipeFlag(withReading(withExpectRows(withSource(command)))));
  if (FEATURES.deliver !== undefined) withReportTo(command);
  withServer(withRunning(command));
  const format = command.options.find(({ long }) => long === '--format');
  format?.choices([...(format.argChoices ?? []), MARKDOWN]);
  if (format !== undefined) format.description += `; ${MARKDOWN}: print the plan as Markdown, for a pull request`;
  command.action((file: string, { format, ...flags }: Typed) =>
    end(sync(io, file, format === MARKDOWN ? { ...flags, markdown: true } : { ...flags, ...(format && { format }) })),
  );
  return command
    .addCommand(syncApplyCommand(io, end))
    .addCommand(syncApproveCommand(io, end))
    .addCommand(syncRejectCommand(io, end))
    .addCommand(syncListCommand(io, end))
    .addCommand(syncShowCommand(io, end));
}

async function sync(io: Io, file: string, flags: Flags): Promise<ExitCode> {
  const { config, syncs: kept, server } = await openSyncs(flags);
  const shown = { json: flags.json === true, markdown: flags.markdown, planCsv: flags.planCsv };
  if (server !== undefined) return syncThere({ io, syncs: kept, server, ...shown }, file, flags);
  const chosen = await syncFlagsOf(flags);
  const fetched: FetchedFile | undefined = await (file === '-' ? standardInput(io) : fileToFetch(config, file, flags));
  if (fetched === undefined) await fileOf(file, file);
  const lookups = await lookupFiles(config, flags);
  const given = importOptionsOf(config, flags);
  const reporting = await reportTargetOf(config, flags);
  const ofPath = fetched === undefined ? await optionsWithRecipe(config, flags.recipe, given, file) : undefined;
  const create = async (
    syncs: SyncRunner,
    sendsTo: Aimed,
    id: string,
    options: ImportOptions,
    found: ByLookup<LookupSource>,
    name = file,
  ): Promise<string> => {
    const { create: creating } = options;
    const decision = {
      flags: chosen,
      create: creating,
      limits: flags.limit ?? {},
      apply: flags.apply === true,
      ...reporting,
    };
    const reading = syncReading(options, found);
    // Runs are compared by their source.
    const request = { file: name, source: fetched?.name ?? resolve(file), reading, ...decision, who: currentUser() };
    const made = await syncs.create({ id, ...request });
    noteHere(dataDir(config.dataDir), 'sync.create', made, inShort({ file: name, ...decision }), sendsTo);
    return made;
  };
  return runSync({
    config,
    io,
    ...shown,
    openService: serviceOpener(config, flags),
    beginLines: () => [...(fetched?.lines() ?? []), ...lookups.lines()],
    begin: async (syncs, { signal, coordinator: { sendsTo } }) => {
      const id = `sync-${newImportId()}`;
      const folder = dataDir(config.dataDir).sync(id);
      if (fetched === undefined || ofPath !== undefined) {
        const known = await lookups.obtain(folder, signal);
        return known && create(syncs, sendsTo, id, ofPath ?? given, known);
      }
      const { input } = planFiles(folder);
      const found = await fetched.fetch(input, signal);
      const known = found && (await lookups.obtain(folder, signal));
      if (found === undefined || known === undefined) return undefined;
      try {
        const whole = { ...given, ...expectedRows(given.expectRows, found) };
        if (file === '-') requireCount(whole);
        const read = await optionsWithRecipe(config, flags.recipe, whole, input, found.name);
        return await create(syncs, sendsTo, id, read, known, file === '-' ? file : found.name);
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
      }
    },
  });
}

/** Members who are missing from half a file would lose their groups. @throws UsageError */
function requireCount({ expectRows }: ImportOptions): void {
  if (expectRows !== undefined) return;
  throw new UsageError(
    'standard input does not say that it is whole: a program that breaks off looks like one that has ended; let its last line be "# rows=40", with as many rows as it has, or give --expect-rows',
  );
}
