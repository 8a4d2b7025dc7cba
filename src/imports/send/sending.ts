import type { CircuitStatus } from '../../api/region-status.ts';
import { asError } from '../../errors/rollcall-error.ts';
import { isFinal } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import type { Config } from '../../platform/config.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Backend } from '../../queue/backend.ts';
import type { Catalog } from '../catalog.ts';
import type { Emit } from '../import-event.ts';
import type { StoppedRegion } from '../record/batch-result.ts';
import { createRecorder } from '../record/recorder.ts';
import type { Consequences } from '../record/recording.ts';
import { BANS_UNKNOWN, createFirstSteps } from './ban-check.ts';
import { RunningImport } from './dispatcher.ts';
import { giveUpOn, type Patience, SERVICE_AWAY } from './give-up.ts';
import { createGroupReader, type GroupReader } from './group-reader.ts';
import { watchForLosses } from './lost-jobs.ts';
import { createOpenImports, type OpenImport, type OpenImports } from './open-imports.ts';
import { createOpenRegions, type OpenRegions, watchCircuits } from './open-regions.ts';
import type { RegionOpener } from './region.ts';
import { openResultQueues, type ResultQueues, resultsRecorded } from './result-queues.ts';

/** Settings of sending, for all imports. */
export type SendingConfig = Patience & Pick<Config, 'perGroup'>;

/** With what imports are sent, and who learns of it. */
export interface SendingOptions {
  readonly dir: DataDir;
  readonly catalog: Pick<Catalog, 'find' | 'get' | 'list' | 'attend' | 'progressed' | 'coordinatorId'>;
  readonly backend: Backend;
  /** Regions that have an app. */
  readonly regions: ReadonlySet<Region>;
  readonly openRegion: RegionOpener;
  readonly emit: Emit;
  readonly config: SendingConfig;
  /** The circuit of a region has opened or closed. */
  readonly circuitChanged: (region: Region, status: CircuitStatus) => void;
  /** Gets troubles that the queue recovers from by itself. */
  readonly onError: (error: Error) => void;
}

/** The longest time, in ms, that a cancelled import waits for what its groups say of rows in flight. */
const ASK_REST_MS = 30_000;
const STOPS = 'this process stops, and begins nothing';

/** Sends imports: opens their ledgers and regions, and takes their results. Life decides what follows (life/life.ts). */
export class Sending implements Pick<OpenImports, 'open' | 'close' | 'drop' | 'dropped'> {
  readonly groups: GroupReader;
  readonly regions: OpenRegions;
  readonly results: Pick<ResultQueues, 'areTaken'>;
  readonly #emit: Emit;
  readonly #onError: SendingOptions['onError'];
  readonly #parts: ReturnType<typeof openParts>;
  readonly #circuits: ReturnType<typeof watchCircuits>;
  #stopping = false;

  constructor(options: SendingOptions) {
    const { onError, config, circuitChanged } = options;
    const emit: Emit = async (id, what) => {
      // The next start continues from here.
      if (what.kind !== 'idle' || !this.#stopping) await options.emit(id, what);
    };
    this.#emit = emit;
    this.#onError = onError;
    this.#parts = openParts({ ...options, emit }, () => this.#stopping);
    const { imports, groups, regions } = this.#parts;
    this.groups = groups;
    this.regions = regions;
    this.results = this.#parts.results ?? { areTaken: async () => true };
    const seen = giveUpOn({ imports, groups, catalog: options.catalog, config });
    this.#circuits = watchCircuits(regions.all, { seen, changed: circuitChanged }, onError);
  }

  open(id: string): OpenImport {
    return this.#parts.imports.open(id);
  }

  /** Begins to send, or continues. An event says when it is idle. */
  async run(id: string): Promise<void> {
    if (this.#stopping) return;
    const { imports, regions, firstSteps } = this.#parts;
    const opened = imports.open(id);
    opened.paused = false;
    opened.runningSince = Date.now();
    const running = await this.#runningOf(id, opened);
    for (const region of opened.ledger.regionsUsed()) await regions.resume(region);
    opened.ledger.creating?.begin();
    // It may be paused meanwhile.
    const isPaused = () => this.#stopping || opened.paused;
    if (isPaused()) return;
    const told = {
      ready: (region: Region): void => {
        if (isPaused()) return;
        // Rows of banned users have outcomes now.
        void this.#emit(id, { kind: 'recorded' });
        if (!isPaused()) running.ready(region);
      },
      stopped: (stopped: StoppedRegion): void => {
        if (isPaused()) return;
        opened.ledger.stopRegion(stopped);
        running.stopRegion(stopped.region);
        if (stopped.code !== BANS_UNKNOWN && stopped.code !== SERVICE_AWAY) this.#stopForAll(stopped, id);
      },
    };
    // This may take minutes, a call for every group: each region begins when it has its answers.
    firstSteps
      .take(id, opened.ledger, opened.options, told)
      .catch((error: unknown) => this.#emit(id, { kind: 'fault', code: 'SENDING_FAILED', error }));
    running.start();
  }

  /** Sends no more, and withdraws what no worker has begun. Returns true if nothing was in flight; otherwise an event says when it is idle. */
  async pause(id: string): Promise<boolean> {
    const { results, imports, firstSteps } = this.#parts;
    const opened = imports.open(id);
    opened.paused = true;
    firstSteps.interrupt(id);
    // An import that did not run in this process may still have batches with workers of other processes.
    const running = opened.running ?? (results && (await this.#runningOf(id, opened)));
    await running?.pause();
    return running === undefined && !this.#stopping;
  }

  /**
   * Asks the groups of batches that an earlier call may have carried out, and sends nothing else. Returns false where the service
   * is not there; otherwise an event says when it is idle, ASK_REST_MS later at most.
   */
  async askRest(id: string): Promise<boolean> {
    const opened = this.#parts.imports.open(id);
    const running = await this.#runningOf(id, opened);
    const used = opened.ledger.openRegions();
    const statuses = await this.#parts.regions.status();
    const isThere = statuses.some(
      ({ region, circuit, stopped, workers }) =>
        used.has(region) && circuit.state === 'closed' && !stopped && workers > 0,
    );
    if (!isThere || this.#stopping) return false;
    opened.paused = false;
    running.start();
    setTimeout(() => {
      if (this.#parts.imports.all.has(id) && !this.#stopping) void this.pause(id);
    }, ASK_REST_MS).unref();
    return true;
  }

  drop(id: string): Promise<void> {
    this.#parts.firstSteps.interrupt(id);
    return this.#parts.imports.drop(id);
  }

  dropped(id: string): Promise<void> {
    return this.#parts.imports.dropped(id);
  }

  close(id: string): void {
    this.#parts.firstSteps.interrupt(id);
    this.#parts.imports.close(id);
  }

  async stop(deadlineMs: number): Promise<void> {
    const { results, regions, groups, imports, allRunning, losses } = this.#parts;
    this.#stopping = true;
    void this.#circuits.stop();
    await groups.stop(deadlineMs);
    void losses?.stop();
    await imports.allDropped();
    await Promise.all([
      // Workers of other processes continue without this one, and their results wait for it.
      ...allRunning().map((one) => (results === undefined ? one.pause() : one.detach())),
      regions.stopWorking(deadlineMs),
    ]);
    // Calls that were given up went back to their queues; reclaim them with what is known about them.
    if (results === undefined) await Promise.all(allRunning().map((one) => one.pause()));
    for (const id of imports.all.keys()) this.close(id);
    await regions.close();
    await results?.close(deadlineMs);
  }

  /** Opens the import's regions and finds what it has in flight. */
  async #runningOf(id: string, opened: OpenImport): Promise<RunningImport> {
    const { results, regions, firstSteps } = this.#parts;
    const outcomes = results?.outcomes;
    const used = await Promise.all(opened.ledger.regionsUsed().map(async (region) => regions.open(region)));
    // Otherwise batches whose results wait would be sent again.
    if (outcomes !== undefined && opened.running === undefined)
      await resultsRecorded(outcomes, () => this.#stopping, this.#onError);
    if (this.#stopping) throw new Error(STOPS);
    opened.running ??= new RunningImport({
      id,
      replyTo: outcomes?.name ?? null,
      ledger: opened.ledger,
      fairQueues: new Map(
        used.map((one) => [one.region, regions.fairQueueOf(opened.options.silent ? one.forSilent : one.queue)]),
      ),
      mustWait: (region) => firstSteps.isAsking(id, region),
      emit: this.#emit,
    });
    return opened.running;
  }

  /** Every call of the region would be refused, those of other imports too. */
  #stopForAll(stopped: StoppedRegion, by: string): void {
    const { imports, groups, regions } = this.#parts;
    imports.stopRegion(stopped, by);
    groups.stopped(stopped);
    regions
      .open(stopped.region)
      .then(({ queue }) => queue.pause())
      .catch((error: unknown) => this.#onError(asError(error)));
  }
}

/** The parts, wired together: how results come back, from the workers of this process and of others. */
function openParts(options: SendingOptions, isStopping: () => boolean) {
  const { catalog, backend, emit, onError } = options;
  const results = openResultQueues(backend, catalog.coordinatorId(), onError);
  const failed = (id: string, error: unknown) => void emit(id, { kind: 'fault', code: 'RECORDING_FAILED', error });
  const recorder = createRecorder({ recorded, failed, refused: onError });
  const regions = createOpenRegions(
    (region) => {
      if (isStopping()) throw new Error(STOPS);
      return options.openRegion(region, backend, {
        deliver: ({ importId }, result) =>
          recorder.deliver(importId, result).catch((error: unknown) => {
            // Its import was dropped: the result is not needed, and a second call would not change that.
            if (imports.all.has(importId)) throw error;
          }),
        answer: async ({ requestId }, answer) => groups.answered(requestId, answer),
        starting: ({ importId }) => began(importId),
      });
    },
    options.regions.size,
    results === undefined,
    options.config.perGroup,
  );
  const groups = createGroupReader({
    openRegion: async (region) => regions.open(region),
    rounds: regions.fairQueueOf,
    replyTo: results?.answers.name ?? null,
    onError,
  });
  const firstSteps = createFirstSteps((...which) => groups.pages(...which), isStopping);
  const imports = createOpenImports({ dir: options.dir, catalog, recorder, workersEnd: results === undefined, failed });
  const allRunning = () => [...imports.all.values()].flatMap((opened) => opened.running ?? []);

  const losses =
    results &&
    watchForLosses({
      results: [results.outcomes, results.answers],
      regions: regions.all,
      imports: () => [groups, ...allRunning()],
      onError,
    });

  results?.start({
    record: async (id, results) => {
      // Ignored if the import has finished or was deleted: its rows have outcomes. A failed one sends again when it is resumed.
      const state = catalog.find(id)?.state;
      if (state !== undefined && state !== 'failed' && !isFinal(state)) {
        imports.open(id);
        await Promise.all(results.map((result) => recorder.deliver(id, result)));
      }
    },
    answered: (id, answer) => groups.answered(id, answer),
  });

  /** A call of this process begins. Imports whose batches only wait in the queue are not what the process dies of. */
  function began(id: string): void {
    const opened = imports.all.get(id);
    if (opened === undefined || opened.attended) return;
    opened.attended = true;
    catalog.attend(id);
  }

  /** Passes recorded results to the running import, and to other imports if a region is stopped. */
  function recorded(id: string, batches: readonly number[], consequences: Consequences): void {
    const opened = imports.open(id);
    if (!opened.progressed) {
      opened.progressed = true;
      catalog.progressed(id);
    }
    opened.running?.recorded(batches, consequences);
    for (const stopped of consequences.stoppedRegions) {
      imports.stopRegion(stopped, id);
      groups.stopped(stopped);
    }
    void emit(id, { kind: 'recorded' });
  }

  return { results, regions, groups, firstSteps, imports, allRunning, losses };
}
