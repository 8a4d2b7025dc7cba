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
import { createGroupReader } from './group-reader.ts';
import { watchForLosses } from './lost-jobs.ts';
import { createOpenImports, type OpenImport } from './open-imports.ts';
import { createOpenRegions, watchCircuits } from './open-regions.ts';
import type { RegionOpener } from './region.ts';
import { openResultQueues, resultsRecorded } from './result-queues.ts';

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
  /** Gets troubles that pass by themselves. */
  readonly onError: (error: Error) => void;
}

/** The longest time, in ms, that a cancelled import waits for what its groups say of rows in flight. */
const ASK_REST_MS = 30_000;
const STOPS = 'this process stops, and begins nothing';

export type Sending = ReturnType<typeof createSending>;

/** Sends imports: opens their ledgers and regions, and takes their results. Life decides what follows (life/life.ts). */
export function createSending(options: SendingOptions) {
  let isStopping = false;
  const emit: Emit = async (id, what) => {
    // The next start continues from here.
    if (what.kind !== 'idle' || !isStopping) await options.emit(id, what);
  };
  const parts = openParts({ ...options, emit }, () => isStopping);
  const { results, imports, regions, groups, firstSteps, allRunning } = parts;
  const watches = watchesOf(parts);
  const pause = async (id: string): Promise<boolean> => {
    const opened = imports.open(id);
    opened.paused = true;
    firstSteps.interrupt(id);
    // An import that did not run in this process may still have batches with workers of other processes.
    const running = opened.running ?? (results && (await runningOf(parts, id, opened)));
    await running?.pause();
    return running === undefined && !isStopping;
  };
  const close = (id: string): void => {
    firstSteps.interrupt(id);
    imports.close(id);
  };
  return {
    groups,
    regions,
    results: results ?? { areTaken: async () => true },
    open: imports.open,
    /** Begins to send, or continues. An event says when it is idle. */
    run: async (id: string): Promise<void> => {
      if (isStopping) return;
      const opened = imports.open(id);
      opened.paused = false;
      opened.runningSince = Date.now();
      const running = await runningOf(parts, id, opened);
      for (const region of opened.ledger.regionsUsed()) await regions.resume(region);
      opened.ledger.creating?.begin();
      // It may be paused meanwhile.
      if (isStopping || opened.paused) return;
      takeFirstSteps(parts, id, opened, running);
      running.start();
    },
    /** Sends no more, and withdraws what no worker has begun. Returns true if nothing was in flight; otherwise an event says when it is idle. */
    pause,
    /**
     * Asks the groups of batches that an earlier call may have carried out, and sends nothing else. Returns false where the service
     * is not there; otherwise an event says when it is idle, ASK_REST_MS later at most.
     */
    askRest: async (id: string): Promise<boolean> => {
      const opened = imports.open(id);
      const running = await runningOf(parts, id, opened);
      const used = opened.ledger.openRegions();
      const isThere = (await regions.status()).some(
        ({ region, circuit, stopped, workers }) =>
          used.has(region) && circuit.state === 'closed' && !stopped && workers > 0,
      );
      if (!isThere || isStopping) return false;
      opened.paused = false;
      running.start();
      setTimeout(() => {
        if (imports.all.has(id) && !isStopping) void pause(id);
      }, ASK_REST_MS).unref();
      return true;
    },
    drop: (id: string): Promise<void> => {
      firstSteps.interrupt(id);
      return imports.drop(id);
    },
    dropped: imports.dropped,
    close,
    stop: async (deadlineMs: number): Promise<void> => {
      isStopping = true;
      void watches.circuits.stop();
      await groups.stop(deadlineMs);
      void watches.losses?.stop();
      await imports.allDropped();
      await Promise.all([
        // Workers of other processes continue without this one, and their results wait for it.
        ...allRunning().map((one) => (results === undefined ? one.pause() : one.detach())),
        regions.stopWorking(deadlineMs),
      ]);
      // Calls that were given up went back to their queues; reclaim them with what is known about them.
      if (results === undefined) await Promise.all(allRunning().map((one) => one.pause()));
      for (const id of imports.all.keys()) close(id);
      await regions.close();
      await results?.close(deadlineMs);
    },
  };
}

type Parts = ReturnType<typeof openParts>;

/** The parts, wired together: how results come back, from the workers of this process and of others. */
function openParts(options: SendingOptions, isStopping: () => boolean) {
  const { dir, catalog, backend, emit, onError } = options;
  const failed = (id: string, error: unknown) => void emit(id, { kind: 'fault', code: 'RECORDING_FAILED', error });
  /** Undefined where all workers are in this process. */
  const results = openResultQueues(backend, catalog.coordinatorId(), onError);
  const recorder = createRecorder({ recorded, failed, refused: onError });
  const imports = createOpenImports({ dir, catalog, recorder, workersEnd: results === undefined, failed });
  const regions = createOpenRegions(
    async (region) => {
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
    openRegion: regions.open,
    rounds: regions.fairQueueOf,
    replyTo: results?.answers.name ?? null,
    onError,
  });
  results?.start({
    record: async (id, found) => {
      // Ignored if the import has finished or was deleted: its rows have outcomes. A failed one sends again when it is resumed.
      const state = catalog.find(id)?.state;
      if (state === undefined || state === 'failed' || isFinal(state)) return;
      imports.open(id);
      await Promise.all(found.map((result) => recorder.deliver(id, result)));
    },
    answered: groups.answered,
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
    for (const stopped of consequences.stoppedRegions) stopForOthers(stopped, id);
    void emit(id, { kind: 'recorded' });
  }

  /** Every call of the region would be refused, those of other imports too. @param by the import that knows it already */
  function stopForOthers(stopped: StoppedRegion, by: string): void {
    imports.stopRegion(stopped, by);
    groups.stopped(stopped);
  }

  const firstSteps = createFirstSteps(groups.pages, isStopping);
  const allRunning = () => [...imports.all.values()].flatMap(({ running }) => running ?? []);
  return { ...options, isStopping, results, imports, regions, groups, firstSteps, allRunning, stopForOthers };
}

/** Watches the queues of the regions: for jobs that are lost, and for a service that does not answer. */
function watchesOf({ results, imports, regions, groups, allRunning, catalog, config, onError, circuitChanged }: Parts) {
  const losses =
    results &&
    watchForLosses({
      results: [results.outcomes, results.answers],
      regions: regions.all,
      imports: () => [groups, ...allRunning()],
      onError,
    });
  const seen = giveUpOn({ imports, groups, catalog, config });
  return { losses, circuits: watchCircuits(regions.all, { seen, changed: circuitChanged }, onError) };
}

/** Opens the import's regions and finds what it has in flight. */
async function runningOf(
  { isStopping, results, regions, firstSteps, emit, onError }: Parts,
  id: string,
  opened: OpenImport,
): Promise<RunningImport> {
  const { ledger, options } = opened;
  const used = await Promise.all(ledger.regionsUsed().map(regions.open));
  // Otherwise batches whose results wait would be sent again.
  if (results !== undefined && opened.running === undefined)
    await resultsRecorded(results.outcomes, isStopping, onError);
  if (isStopping()) throw new Error(STOPS);
  opened.running ??= new RunningImport({
    id,
    replyTo: results?.outcomes.name ?? null,
    ledger,
    fairQueues: new Map(
      used.map((one) => [one.region, regions.fairQueueOf(options.silent ? one.forSilent : one.queue)]),
    ),
    mustWait: (region) => firstSteps.isAsking(id, region),
    emit,
  });
  return opened.running;
}

/** Asks what must be known first, which may take minutes, a call for every group: each region begins when it has its answers. */
function takeFirstSteps(
  { isStopping, regions, firstSteps, stopForOthers, emit, onError }: Parts,
  id: string,
  opened: OpenImport,
  running: RunningImport,
): void {
  const isPaused = () => isStopping() || opened.paused;
  const told = {
    ready: (region: Region): void => {
      if (isPaused()) return;
      // Rows of banned users have outcomes now.
      void emit(id, { kind: 'recorded' });
      if (!isPaused()) running.ready(region);
    },
    stopped: (stopped: StoppedRegion): void => {
      if (isPaused()) return;
      const { region, code } = stopped;
      opened.ledger.stopRegion(stopped);
      running.stopRegion(region);
      if (code === BANS_UNKNOWN || code === SERVICE_AWAY) return;
      stopForOthers(stopped, id);
      regions
        .open(region)
        .then(({ queue }) => queue.pause())
        .catch((error: unknown) => onError(asError(error)));
    },
  };
  firstSteps
    .take(id, opened.ledger, opened.options, told)
    .catch((error: unknown) => emit(id, { kind: 'fault', code: 'SENDING_FAILED', error }));
}
