import { EventEmitter } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { AddMembersPorts } from '../../jobs/add-members.ts';
import { type FinishImportPayload, finishImport } from '../../jobs/finish-import.ts';
import { recordOutcomes } from '../../jobs/record-outcomes.ts';
import { type StageImportPayload, type StagingProgress, stageImport } from '../../jobs/stage-import.ts';
import { type ImportRecord, openCatalog } from '../ledger/catalog.ts';
import { type ImportState, isFinal, nextStates, TransitionError } from '../membership/import-state.ts';
import type { Region } from '../membership/membership.ts';
import type { Backend } from '../queue/backend.ts';
import { openJobQueue } from '../queue/job-queue.ts';
import { type JobWorker, startJobWorker } from '../queue/job-worker.ts';
import { closingJobs } from './closing.ts';
import { type DataDir, ownDataDir } from './data-dir.ts';
import { UnknownImport } from './import-errors.ts';
import { newImportId } from './import-id.ts';
import { type ImportOptions, importOptions } from './import-options.ts';
import { openOutcomesQueue } from './outcome-sender.ts';
import { createRecorder } from './recorder.ts';
import type { RegionLine, RegionStatus } from './region-line.ts';
import { createRunner } from './runner.ts';
import { stagingJobs } from './staging.ts';

/** The one process that owns a data directory: it stages files, dispatches batches, records outcomes, writes reports. */
export interface Coordinator {
  readonly events: EventEmitter<CoordinatorEvents>;
  /** Queues a file for staging, and for sending when it is staged (unless it is a dry run). Returns the import's id. */
  create(request: CreateImport): Promise<string>;
  find(id: string): ImportRecord;
  pause(id: string): Promise<ImportRecord>;
  /** Goes on with an import that is staged, paused or blocked, or that a stop or crash interrupted. */
  resume(id: string): Promise<ImportRecord>;
  cancel(id: string): Promise<ImportRecord>;
  /** What the regions are doing that imports have used so far. */
  regions(): Promise<RegionStatus[]>;
  /** Resolves when nothing more happens by itself: over, paused, blocked, or staged by a dry run. */
  settled(id: string): Promise<ImportRecord>;
  /** Takes nothing new, lets calls under way answer for at most `deadlineMs`, and closes. Imports can be resumed. */
  stop(deadlineMs: number): Promise<void>;
}

export interface CreateImport {
  /** As the user named it. */
  readonly file: string;
  /** The path to read. */
  readonly source: string;
  readonly options: ImportOptions;
  readonly retryOf?: string;
  /** False: stop when it is staged, and wait for `resume`. */
  readonly start?: boolean;
  /** Given where the caller needs it beforehand, to put the source into the import's folder. */
  readonly id?: string;
}

export interface CoordinatorEvents {
  state: [record: ImportRecord];
  staging: [id: string, progress: StagingProgress];
  /** The ledger or the queue fails: nothing can go on. */
  failure: [error: Error];
}

export interface CoordinatorOptions {
  readonly dir: DataDir;
  readonly backend: (dir: DataDir) => Promise<Backend>;
  /** Regions that have an app. */
  readonly regions: ReadonlySet<Region>;
  readonly openLine: (region: Region, backend: Backend, deliver: AddMembersPorts['deliver']) => Promise<RegionLine>;
  readonly version: string;
  /** Told of troubles that the queue mends by itself. */
  readonly onError: (error: Error) => void;
}

/** Jobs with results that are recorded at the same time, most of them in one transaction. */
const OUTCOME_JOBS = 50;
/** How often jobs that a wiped queue has lost are put there again, in ms. */
const KEEP_MS = 5_000;

/** States in which an import waits for somebody. */
const AT_REST: ReadonlySet<ImportState> = new Set(['staged', 'paused', 'blocked']);

export async function openCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  const { dir, onError } = options;
  // Whatever fails before the end of the start gives back what was taken until then.
  await using taken = new AsyncDisposableStack();
  taken.defer(ownDataDir(dir));
  const catalog = openCatalog(dir.catalog);
  taken.defer(() => catalog.close());
  const events = new EventEmitter<CoordinatorEvents>();
  const backend = await options.backend(dir);
  taken.defer(() => backend.close());
  const fail = (error: unknown) => {
    events.emit('failure', error instanceof Error ? error : new Error(String(error)));
  };
  /** Imports that are over but for their reports. */
  const ending = new Map<string, FinishImportPayload>();
  const move = (id: string, to: ImportState, detail?: string): ImportRecord => {
    const record = catalog.move(id, to, detail);
    if (isFinal(to)) ending.delete(id);
    events.emit('state', record);
    return record;
  };

  /** Imports that are not to start when they are staged. */
  const waiting = new Set<string>();
  const recorder = createRecorder(fail);
  const staging = stagingJobs({
    dir,
    find,
    move,
    progress: (id, progress) => events.emit('staging', id, progress),
    staged: (id) => runner.staged(id, !waiting.has(id)),
    fail,
  });
  const closing = closingJobs({
    dir,
    find,
    move,
    version: options.version,
    fail,
    ledgerOf: (id) => runner.ledgerOf(id),
  });
  // Named after this coordinator, because others may share the server.
  const owner = catalog.coordinatorId();
  const stagings = openJobQueue<StageImportPayload>(backend, `stage-import-${owner}`, stageImport, onError);
  const closings = openJobQueue<FinishImportPayload>(backend, `finish-import-${owner}`, finishImport, onError);
  // Leftovers of an earlier process: what is still to do is in the ledger.
  await Promise.all([stagings.clear(), closings.clear()]);
  const outcomes = backend.shared ? openOutcomesQueue(backend, `outcomes-${owner}`, onError) : undefined;
  const runner = createRunner({
    dir,
    find,
    move,
    recorder,
    regions: options.regions,
    outcomes,
    stateOf: (id) => catalog.find(id)?.state,
    openLine: (region) =>
      options.openLine(region, backend, ({ importId }, result) => recorder.deliver(importId, result)),
    finish: async (importId, state, reason) => {
      ending.set(importId, { version: 1, importId, state, ...(reason !== undefined && { reason }) });
      await queueEnding();
    },
    fail,
    onError,
  });
  const workers: JobWorker[] = [
    ...(outcomes === undefined
      ? []
      : [
          startJobWorker({
            backend,
            queue: outcomes,
            definition: recordOutcomes,
            ports: { record: (importId, result) => runner.record(importId, result) },
            concurrency: OUTCOME_JOBS,
            onError,
          }),
        ]),
    startJobWorker({
      backend,
      queue: stagings,
      definition: stageImport,
      ports: staging.ports,
      concurrency: 1,
      onError,
    }),
    startJobWorker({
      backend,
      queue: closings,
      definition: finishImport,
      ports: closing.ports,
      concurrency: 1,
      onError,
    }),
  ];

  function find(id: string): ImportRecord {
    const record = catalog.find(id);
    if (record === undefined) throw new UnknownImport(id);
    return record;
  }

  /** Job ids stay the same, so that what is still queued is not queued twice. */
  async function queueEnding(): Promise<void> {
    await closings.add([...ending.values()].map((payload) => ({ id: `finish-${payload.importId}`, payload })));
  }

  // A shared queue may be wiped: the jobs that end imports are put there again until they have done it.
  const keepEnding = setInterval(() => {
    if (backend.shared && ending.size > 0) queueEnding().catch(onError);
  }, KEEP_MS);

  const stage = (importId: string) => stagings.add([{ id: `stage-${importId}`, payload: { version: 1, importId } }]);

  const refuse = (record: ImportRecord, to: ImportState): never => {
    throw new TransitionError(record.state, to);
  };

  const resources = taken.move();
  let stopping: Promise<void> | undefined;

  return {
    events,
    find,
    create: async ({ id = newImportId(), file, source, options: chosen, retryOf, start = true }) => {
      if (!start) waiting.add(id);
      mkdirSync(dir.folder(id), { recursive: true, mode: 0o700 });
      catalog.add({ id, file, source, options: JSON.stringify(importOptions.parse(chosen)), retryOf: retryOf ?? null });
      events.emit('state', find(id));
      await stage(id);
      return id;
    },
    pause: async (id) => {
      const record = find(id);
      if (record.state === 'pausing' || record.state === 'paused') return record;
      if (record.state !== 'running') refuse(record, 'pausing');
      move(id, 'pausing');
      await runner.hold(id);
      return find(id);
    },
    resume: async (id) => {
      const record = find(id);
      if (record.state === 'staging') {
        if (!staging.isUnderWay(id)) await stage(id);
      } else if (isFinal(record.state)) refuse(record, 'running');
      else await runner.go(id);
      return find(id);
    },
    cancel: async (id) => {
      const record = find(id);
      if (record.state === 'staging') {
        await staging.abort(id);
        if (find(id).state === 'staging') return move(id, 'cancelled');
      }
      // It may have been staged, and even started, in the meantime.
      const { state } = find(id);
      if (!nextStates(state).some((next) => next === 'cancelling' || next === 'cancelled'))
        refuse(find(id), 'cancelled');
      await runner.cancel(id);
      return find(id);
    },
    regions: () => runner.regions(),
    settled: async (id) => {
      find(id);
      return new Promise((resolve) => {
        // A state is looked at when the move is over: `staged` is passed through on the way to `running`.
        const look = () =>
          queueMicrotask(() => {
            const record = find(id);
            if (!AT_REST.has(record.state) && !isFinal(record.state)) return;
            events.off('state', look);
            resolve(record);
          });
        events.on('state', look);
        look();
      });
    },
    stop: (deadlineMs) => {
      stopping ??= (async () => {
        clearInterval(keepEnding);
        await staging.abortAll();
        await runner.stop(deadlineMs);
        // A server that is away keeps no one here; what these jobs had to do, the next start does.
        const leave = backend.shared
          ? setTimeout(() => workers.map((worker) => worker.abort()), deadlineMs)
          : undefined;
        await Promise.all(workers.map((worker) => worker.close()));
        clearTimeout(leave);
        await Promise.all([stagings.close(), closings.close(), outcomes?.close()]);
        await resources.disposeAsync();
      })();
      return stopping;
    },
  };
}
