import { type CoordinateOptions, type Coordinating, coordinate } from '../../../cli/coordinate.ts';
import { currentUser } from '../../../cli/current-user.ts';
import { EXIT, type ExitCode } from '../../../cli/exit-codes.ts';
import { followImport, sayNothingBegan } from '../../../cli/run-import.ts';
import type { Io } from '../../../cli/screen/io.ts';
import { type Progress, showSteps } from '../../../cli/screen/progress.ts';
import { localImports } from '../../../cli/target/local-imports.ts';
import { typedCommand } from '../../../cli/typed-command.ts';
import type { ImportRecord } from '../../../imports/catalog.ts';
import type { Coordinator } from '../../../imports/life/coordinator.ts';
import { isSyncUnderWay } from '../../../membership/sync-state.ts';
import type { DataDir } from '../../../platform/data-dir.ts';
import { composeSyncs } from '../compose-syncs.ts';
import type { PlanningProgress } from '../plan/prepare.ts';
import type { SyncRunner } from '../run/runner-port.ts';
import type { SyncRecord } from '../sync-catalog.ts';
import { planningLine } from './planning-line.ts';
import { concludeSync, printPlan, writePlan } from './sync-outcome.ts';
import { syncsOf } from './sync-target.ts';

export interface RunSyncOptions extends Omit<CoordinateOptions, 'howToContinue'> {
  readonly json: boolean;
  /** Whether plan and result are printed as Markdown, in place of text. */
  readonly markdown?: boolean | undefined;
  /** The path at which the plan is written as CSV; undefined: it is not written. */
  readonly planCsv?: string | undefined;
  /** Progress of `begin`. */
  readonly beginLines?: (() => readonly string[]) | undefined;
  /** Starts or continues a sync, and returns its id; undefined when there is nothing to run. */
  readonly begin: (syncs: SyncRunner, here: Coordinating) => Promise<string | undefined>;
}

/** Runs a sync in this process, shows its progress, and returns its exit code. */
export async function runSync(options: RunSyncOptions): Promise<ExitCode> {
  const { config, io, json, markdown } = options;
  const kept = syncsOf(config, localImports(config));
  let id: string | undefined;
  let interrupted = false;
  const howToContinue = () =>
    id === undefined ? [] : ['See how far it came:', `  ${typedCommand(config, 'sync', 'show', id)}`];
  const failure = await coordinate({ ...options, howToContinue }, async (here) => {
    const { coordinator, dir, service, log, fail, until } = here;
    const syncs = composeSyncs(coordinator, dir, service, log, { stage: io.reading?.stage });
    here.onStop(() => syncs.stop());
    syncs.events.on('failure', fail);
    const begun = await here.begun(options.begin(syncs, here), 'the sync to begin', options.beginLines);
    if (begun === undefined) {
      interrupted = here.signal.aborted;
      return;
    }
    id = begun;
    const onPlanned = json || markdown ? () => {} : () => void printPlan(kept, io, begun);
    await until(syncs.settled(begun), followSync(io, dir, coordinator, syncs, begun, onPlanned));
    const { state, importId } = syncs.find(begun);
    // Otherwise a server that continues unfinished work would carry it out later.
    interrupted = here.signal.aborted && isSyncUnderWay(state) && importId === null;
    if (interrupted) syncs.cancel(begun, currentUser());
  });
  if (failure !== undefined) return EXIT.fatal;
  if (id === undefined) return interrupted ? sayNothingBegan(io) : EXIT.ok;
  if (options.planCsv !== undefined) await writePlan(kept, id, options.planCsv);
  const code = await concludeSync(kept, io, id, json, markdown);
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
    regions: () => coordinator.regions(),
  });
  let carrying: Progress | undefined;
  let isPlanned = syncs.find(id).state !== 'planning';
  const onProgress = (planned: string, progress: PlanningProgress) => {
    if (planned === id) last = progress;
  };
  const onSync = (record: SyncRecord) => {
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
