import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { serviceOpener } from '../../../app/open-service.ts';
import { askOwner } from '../../../app/owner-socket.ts';
import { noteCommand } from '../../../cli/audit.ts';
import { checkTarget } from '../../../cli/check-target.ts';
import { changeCatalog } from '../../../cli/client/data-directory.ts';
import { type CoordinateOptions, type Coordinating, coordinate } from '../../../cli/coordinate.ts';
import { currentUser } from '../../../cli/current-user.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { expectedRows, type FetchedFile, fileToFetch, requireCount, standardInput } from '../../../cli/fetched-file.ts';
import type { RunningFlags } from '../../../cli/flags/flags.ts';
import { importOptionsOf } from '../../../cli/flags/import-flags.ts';
import { lookupFiles } from '../../../cli/lookup-files.ts';
import { optionsWithRecipe } from '../../../cli/recipe-options.ts';
import { sayNothingBegan } from '../../../cli/run.ts';
import { followImport } from '../../../cli/run-import.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { type Progress, showSteps } from '../../../cli/screen/show-progress.ts';
import type { ImportRecord } from '../../../imports/catalog.ts';
import { newImportId } from '../../../imports/import-id.ts';
import type { ImportOptions } from '../../../imports/import-options.ts';
import type { Coordinator } from '../../../imports/life/coordinator.ts';
import { fileStateOf } from '../../../imports/read/file-state.ts';
import type { LookupSource } from '../../../imports/stage/lookup-file.ts';
import type { Aimed } from '../../../imports/target.ts';
import { isSyncUnderWay } from '../../../membership/sync-state.ts';
import type { ByLookup } from '../../../options/lookups.ts';
import { keptOf } from '../../../options/option.ts';
import { SURVEYING } from '../../../options/sending-options.ts';
import type { Config } from '../../../platform/config.ts';
import { type DataDir, dataDir } from '../../../platform/data-dir.ts';
import { inShort } from '../../../text/wording.ts';
import { composeSyncs } from '../compose-syncs.ts';
import { type Sync, syncReadingOf } from '../kept-sync.ts';
import { syncOperations } from '../operations.ts';
import { type PlanningProgress, planFiles } from '../plan/prepare.ts';
import type { SyncRunner } from '../run/sync-runner.ts';
import { openSyncCatalog } from '../sync-catalog.ts';
import { SyncRefused } from '../sync-errors.ts';
import { type SyncFileFlags, syncFlagsOf } from './sync-flags.ts';
import { concludeSync, documentOf, planningLine, type Shown, showPlan } from './sync-outcome.ts';
import { findSync, type SyncRuns } from './target-syncs.ts';

/**
 * Syncs that this process plans and carries out. Stored plans are decided about by the server that uses the data
 * directory, if one runs.
 */
export function localSyncRuns(config: Config, flags: RunningFlags, shown: Shown): SyncRuns {
  const { io, syncs, json } = shown;
  const { imports } = syncs;
  const dir = dataDir(config.dataDir);
  const run = (running: Pick<RunSyncOptions, 'begin' | 'beginLines'>) =>
    runSync({ ...shown, ...running, config, openService: serviceOpener(config, flags) });
  return {
    plan: async (file, flags) => run(await planning(config, io, file, flags)),
    undo: async (id, flags) => {
      const decided = await syncFlagsOf(flags);
      return run({
        begin: async (syncs, { coordinator }) => {
          const { limit = {}, apply = false } = flags;
          const decision = { ...decided, limits: limit, apply, ...keptOf(SURVEYING, flags) };
          const made = await syncs.undo(id, { ...decision, who: currentUser() });
          noteCommand<typeof syncOperations>(
            dir,
            'import.undo',
            made,
            `of ${id} ${inShort(decision)}`,
            coordinator.sendsTo,
          );
          return made;
        },
      });
    },
    carryOut: async (id, reason) => {
      const verb = reason === undefined ? 'apply' : 'approve';
      const record = findSync(config.dataDir, id);
      const note = reason ?? record.file;
      if (await askToDecide(dir, id, verb, reason)) {
        if (json) io.out.write(`${JSON.stringify(await documentOf(syncs, await syncs.find(id)))}\n`);
        say(io, `The server that uses the data directory carries out sync ${id}. See how far it is with:`);
        say(io, `  ${imports.command('sync', 'show', id)}`);
        return EXIT.ok;
      }
      checkTarget(imports.command('sync', verb, id), id, record.sandbox, flags.sandbox === true);
      return run({
        begin: async (syncs, { coordinator }) => {
          if (reason === undefined) await syncs.apply(id, currentUser());
          else syncs.approve(id, currentUser(), reason);
          noteCommand<typeof syncOperations>(dir, `sync.${verb}`, id, note, coordinator.sendsTo);
          return id;
        },
      });
    },
    reject: async (id, reason) => {
      findSync(config.dataDir, id);
      if (reason.trim() === '') throw SyncRefused.reason('reject', id);
      if (await askToDecide(dir, id, 'reject', reason)) return;
      // Nothing is sent, so it needs neither queue nor service.
      await changeCatalog(dir, openSyncCatalog, (catalog) => {
        catalog.move(id, 'rejected', { who: currentUser(), reason });
        noteCommand<typeof syncOperations>(dir, 'sync.reject', id, reason);
      });
    },
  };
}

/** Has the owner of the data directory do it; false when there is none. @throws RollcallError as it refuses */
async function askToDecide(
  dir: DataDir,
  id: string,
  verb: 'apply' | 'approve' | 'reject',
  reason?: string,
): Promise<boolean> {
  return (await askOwner(dir, syncOperations[verb], { id, reason }, currentUser())) !== undefined;
}

/** Returns how a sync of a file begins. What can be refused before anything is opened is refused here. */
async function planning(
  config: Config,
  io: Io,
  file: string,
  flags: SyncFileFlags,
): Promise<Pick<RunSyncOptions, 'begin' | 'beginLines'>> {
  const chosen = await syncFlagsOf(flags);
  const fetched: FetchedFile | undefined = await (file === '-' ? standardInput(io) : fileToFetch(config, file, flags));
  if (fetched === undefined) await fileStateOf(file, file);
  const lookups = await lookupFiles(config, flags);
  const given = importOptionsOf(config, flags);
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
      ...chosen,
      create: creating,
      limits: flags.limit ?? {},
      apply: flags.apply === true,
      ...keptOf(SURVEYING, flags),
    };
    const reading = syncReadingOf(options, found);
    // Runs are compared by their source.
    const request = { file: name, source: fetched?.name ?? resolve(file), reading, ...decision, who: currentUser() };
    const made = await syncs.create({ id, ...request });
    noteCommand<typeof syncOperations>(
      dataDir(config.dataDir),
      'sync.create',
      made,
      inShort({ file: name, ...decision }),
      sendsTo,
    );
    return made;
  };
  return {
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
        const whole = { ...given, ...expectedRows(given, found) };
        if (file === '-') requireCount(whole);
        const read = await optionsWithRecipe(config, flags.recipe, whole, input, found.name);
        return await create(syncs, sendsTo, id, read, known, file === '-' ? file : found.name);
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
      }
    },
  };
}

interface RunSyncOptions extends Shown, Omit<CoordinateOptions, 'howToContinue'> {
  /** Progress of `begin`. */
  readonly beginLines?: (() => readonly string[]) | undefined;
  /** Starts or continues a sync, and returns its id; undefined when there is nothing to run. */
  readonly begin: (syncs: SyncRunner, coordinating: Coordinating) => Promise<string | undefined>;
}

/** Runs a sync in this process, shows its progress, and returns its exit code. */
export async function runSync(options: RunSyncOptions): Promise<ExitCode> {
  const { io } = options;
  const { imports } = options.syncs;
  let id: string | undefined;
  let interrupted = false;
  const howToContinue = () =>
    id === undefined ? [] : ['See how far it came:', `  ${imports.command('sync', 'show', id)}`];
  const failure = await coordinate({ ...options, howToContinue }, async (coordinating) => {
    const { coordinator, dir, service, log, fail, until } = coordinating;
    const syncs = composeSyncs(coordinator, dir, service, log, { stage: io.reading?.stage });
    coordinating.onStop(() => syncs.stop());
    syncs.events.on('failure', fail);
    const begun = await coordinating.begun(options.begin(syncs, coordinating), 'the sync to begin', options.beginLines);
    if (begun === undefined) {
      interrupted = coordinating.signal.aborted;
      return;
    }
    id = begun;
    const onPlanned = () => void showPlan(options, begun);
    await until(syncs.settled(begun), followSync(io, dir, coordinator, syncs, begun, onPlanned));
    const { state, importId } = syncs.find(begun);
    // Otherwise a server that continues unfinished work would carry it out later.
    interrupted = coordinating.signal.aborted && isSyncUnderWay(state) && importId === null;
    if (interrupted) syncs.cancel(begun, currentUser());
  });
  if (failure !== undefined) return EXIT.fatal;
  if (id === undefined) return interrupted ? sayNothingBegan(io) : EXIT.ok;
  const code = await concludeSync(options, id);
  return interrupted ? EXIT.interrupted : code;
}

/** Shows the planning, then the plan, then the import that carries it out. */
function followSync(
  io: Io,
  dir: DataDir,
  coordinator: Coordinator,
  syncs: SyncRunner,
  id: string,
  onPlanned: () => void,
): Progress {
  let last: PlanningProgress | undefined;
  const planning = showSteps(io, () => (last === undefined ? [] : [planningLine(last)]), {
    begins: 'the planning to begin',
    regions: () => coordinator.regions.status(),
  });
  let carrying: Progress | undefined;
  let isPlanned = syncs.find(id).state !== 'planning';
  const onProgress = (planned: string, progress: PlanningProgress) => {
    if (planned === id) last = progress;
  };
  const onSync = (record: Sync) => {
    if (record.id !== id || isPlanned) return;
    isPlanned = true;
    planning.stop();
    onPlanned();
  };
  // The import has the id of its sync.
  const onImport = (record: ImportRecord) => {
    if (record.id !== id || carrying !== undefined) return;
    planning.stop();
    carrying = followImport(io, dir, coordinator, id);
  };
  syncs.events.on('planning', onProgress);
  syncs.events.on('state', onSync);
  coordinator.events.on('state', onImport);
  return {
    stop: () => {
      planning.stop();
      carrying?.stop();
      syncs.events.off('planning', onProgress);
      syncs.events.off('state', onSync);
      coordinator.events.off('state', onImport);
    },
  };
}
