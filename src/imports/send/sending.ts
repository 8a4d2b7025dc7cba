import type { RegionStatus } from '../../api/regions.ts';
import { isFinal } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Backend } from '../../queue/backend.ts';
import type { Catalog } from '../catalog.ts';
import type { Report } from '../happening.ts';
import { type ImportOptions, readOptions } from '../import-options.ts';
import type { StoppedRegion } from '../record/batch-result.ts';
import { type ImportLedger, openImportLedger } from '../record/import-ledger.ts';
import { createRecorder } from '../record/recorder.ts';
import type { Consequences } from '../record/recording.ts';
import { createRunningImport, type RunningImport } from './dispatcher.ts';
import { createFirstSteps } from './first-steps.ts';
import { createGroupReader, type GroupReader } from './group-reader.ts';
import { watchForLosses } from './lost-jobs.ts';
import type { OpenLine } from './region.ts';
import { createRegionLines } from './regions.ts';
import { drained, openReturns } from './returns.ts';

/** Sends imports: opens their ledgers and regions, and takes their results. Life decides what follows (life/life.ts). */
export interface Sending {
  readonly groups: GroupReader;
  /** Opens an import with its ledger; its results are taken from now on. */
  open(id: string): OpenImport;
  /** Begins to send, or continues. Its standstill is reported. */
  run(id: string): Promise<void>;
  /** Sends no more, and withdraws what no worker has begun. Returns true if nothing was in flight; otherwise the standstill is reported. */
  hold(id: string): Promise<boolean>;
  /** Drops an import after an unexpected error: nothing more of it is sent or recorded. Never rejects. */
  drop(id: string): Promise<void>;
  /** Resolves when an import that is being dropped is dropped. */
  dropped(id: string): Promise<void>;
  /** Closes an import's ledger, if it is open. */
  close(id: string): void;
  /** What the regions are doing that imports have used so far. */
  regions(): Promise<RegionStatus[]>;
  /** Reads keys from the settings again; returns the regions whose key has changed. */
  renewKeys(regions: ReadonlySet<Region>): Promise<Region[]>;
  stop(deadlineMs: number): Promise<void>;
}

interface SendingOptions {
  readonly dir: DataDir;
  readonly catalog: Pick<Catalog, 'find' | 'get' | 'attend' | 'progressed' | 'coordinatorId'>;
  readonly backend: Backend;
  /** Regions that have an app. */
  readonly regions: ReadonlySet<Region>;
  readonly openLine: OpenLine;
  readonly report: Report;
  /** Gets troubles that the queue recovers from by itself. */
  readonly onError: (error: Error) => void;
}

export interface OpenImport {
  readonly ledger: ImportLedger;
  /** As kept with the import. */
  options: ImportOptions;
  running: RunningImport | undefined;
  /** Whether nothing more of it is to be sent for now. */
  held: boolean;
  /** Whether this process has recorded results of it. */
  progressed: boolean;
  /** Set when the import is to end before everything is sent. */
  ending: 'aborted' | 'cancelled' | undefined;
}

const STOPS = 'this process stops, and begins nothing';
const ORPHANED = 'the process that sent it ended before an answer came';

export function createSending(options: SendingOptions): Sending {
  const { dir, catalog, backend, onError } = options;
  const imports = new Map<string, OpenImport>();
  /** Imports that are being dropped. */
  const dropping = new Map<string, Promise<void>>();
  let stopping = false;

  const report: Report = async (id, what) => {
    // The next start continues from here.
    if (what.kind !== 'standstill' || !stopping) await options.report(id, what);
  };

  const returns = openReturns(backend, catalog.coordinatorId(), onError);
  const { outcomes, answers } = returns;
  const recorder = createRecorder(
    (id, error) => void report(id, { kind: 'fault', code: 'RECORDING_FAILED', error }),
    onError,
  );
  const lines = createRegionLines((region) => {
    if (stopping) throw new Error(STOPS);
    return options.openLine(
      region,
      backend,
      ({ importId }, result) =>
        recorder.deliver(importId, result).catch((error: unknown) => {
          // Its import has failed: the result is not needed, and a second call would not change that.
          if (catalog.find(importId)?.state !== 'failed') throw error;
        }),
      async ({ requestId }, answer) => groups.answered(requestId, answer),
    );
  }, options.regions.size);
  const groups = createGroupReader({
    line: async (region) => lines.open(region),
    roundOf: (opened) => lines.roundsOf(opened).current(),
    replyTo: answers?.name ?? null,
    onError,
  });

  const firstSteps = createFirstSteps(groups.pages, () => stopping);

  const losses =
    outcomes &&
    watchForLosses({
      returns: [outcomes, ...(answers ? [answers] : [])],
      lines: lines.all,
      imports: () => [groups, ...[...imports.values()].flatMap(({ running }) => running ?? [])],
      onError,
    });

  const open = (id: string): OpenImport => {
    let opened = imports.get(id);
    if (opened === undefined) {
      catalog.attend(id);
      const chosen = readOptions(catalog.get(id));
      const ledger = openImportLedger(dir.ledger(id), chosen.create);
      // Workers of the earlier process ended with it. Workers of other processes continue, and their results come.
      if (outcomes === undefined) ledger.reclaimAll(ORPHANED);
      opened = {
        ledger,
        options: chosen,
        running: undefined,
        held: true,
        progressed: false,
        ending: undefined,
      };
      imports.set(id, opened);
      recorder.open(id, ledger, (batches, consequences) => recorded(id, batches, consequences));
    }
    return opened;
  };

  returns.start({
    record: async (id, result) => {
      // Ignored if the import has finished or was deleted: its rows have outcomes. A failed one sends again when it is resumed.
      const state = catalog.find(id)?.state;
      if (state !== undefined && state !== 'failed' && !isFinal(state)) {
        open(id);
        await recorder.deliver(id, result);
      }
    },
    answered: groups.answered,
  });

  const close = (id: string): void => {
    const opened = imports.get(id);
    firstSteps.interrupt(id);
    recorder.close(id);
    imports.delete(id);
    if (opened !== undefined) shut(opened);
  };

  const shut = (opened: OpenImport): void => {
    opened.held = true;
    opened.running?.close();
    opened.ledger.close();
  };

  const drop = (id: string): Promise<void> => {
    const opened = imports.get(id);
    if (opened === undefined) return dropping.get(id) ?? Promise.resolve();
    firstSteps.interrupt(id);
    recorder.close(id);
    imports.delete(id);
    opened.held = true;
    const dropped = (async () => {
      await opened.running?.drop();
      shut(opened);
    })()
      // The fault was reported before.
      .catch(() => {})
      .finally(() => dropping.delete(id));
    dropping.set(id, dropped);
    return dropped;
  };

  /** Passes recorded results to the running import, and to other imports if a region is stopped. */
  function recorded(id: string, batches: readonly number[], consequences: Consequences): void {
    const opened = open(id);
    if (!opened.progressed) {
      opened.progressed = true;
      catalog.progressed(id);
    }
    opened.running?.recorded(batches, consequences);
    for (const stopped of consequences.stoppedRegions) {
      stopElsewhere(id, stopped);
      groups.stopped(stopped);
    }
    void report(id, { kind: 'recorded' });
  }

  /** Imports share a region's line: when it stops for one, it stops for all. */
  const stopElsewhere = (id: string, stopped: StoppedRegion): void => {
    for (const [other, { ledger, running }] of imports) {
      if (other === id || running === undefined || !ledger.regionsUsed().includes(stopped.region)) continue;
      try {
        ledger.stopRegion(stopped);
        running.stop(stopped.region);
      } catch (error) {
        void report(other, { kind: 'fault', code: 'RECORDING_FAILED', error });
      }
    }
  };

  /** Opens the import's regions and finds what it has in flight. */
  const runningOf = async (id: string, opened: OpenImport): Promise<RunningImport> => {
    const used = await Promise.all(opened.ledger.regionsUsed().map(async (region) => lines.open(region)));
    // Otherwise batches whose results wait would be sent again.
    if (outcomes !== undefined && opened.running === undefined) await drained(outcomes, () => stopping, onError);
    if (stopping) throw new Error(STOPS);
    opened.running ??= createRunningImport({
      id,
      replyTo: outcomes?.name ?? null,
      ledger: opened.ledger,
      rounds: new Map(used.map((one) => [one.region, lines.roundsOf(one)])),
      mustWait: (region) => firstSteps.isAsking(id, region),
      report,
    });
    return opened.running;
  };

  return {
    groups,
    open,
    run: async (id) => {
      if (stopping) return;
      const opened = open(id);
      opened.held = false;
      const running = await runningOf(id, opened);
      for (const region of opened.ledger.regionsUsed()) {
        const { queue, renewKey } = await lines.open(region);
        renewKey();
        if (await queue.isPaused()) await queue.resume();
      }
      if (opened.options.create) opened.ledger.creating?.begin(opened.options.create);
      // It may be held meanwhile.
      const isHeld = () => stopping || opened.held;
      if (isHeld()) return;
      const ready = (region: Region): void => {
        if (isHeld()) return;
        // Rows of banned users have outcomes now.
        void report(id, { kind: 'recorded' });
        if (!isHeld()) running.ready(region);
      };
      // This may take minutes, a call for every group: each region begins when it has its answers.
      firstSteps
        .take(id, opened.ledger, opened.options, ready)
        .catch((error: unknown) => report(id, { kind: 'fault', code: 'SENDING_FAILED', error }));
      running.go();
    },
    hold: async (id) => {
      const opened = open(id);
      opened.held = true;
      firstSteps.interrupt(id);
      // An import that did not run in this process may still have batches with workers of other processes.
      const running = opened.running ?? (outcomes === undefined ? undefined : await runningOf(id, opened));
      await running?.hold();
      return running === undefined && !stopping;
    },
    drop,
    dropped: async (id) => dropping.get(id),
    close,
    regions: async () => Promise.all((await lines.all()).map((one) => one.status())),
    renewKeys: async (wanted) => {
      const open = (await lines.all()).filter(({ region }) => wanted.has(region));
      return open.filter(({ renewKey }) => renewKey()).map(({ region }) => region);
    },
    stop: async (deadlineMs) => {
      stopping = true;
      await groups.stop(deadlineMs);
      const working = await lines.working();
      losses?.stop();
      await Promise.all(dropping.values());
      const answered = Promise.all([
        // Workers of other processes continue without this one, and their results wait for it.
        ...[...imports.values()].map(({ running }) => (outcomes === undefined ? running?.hold() : running?.rest())),
        ...working.map((one) => one.stopWorking()),
      ]);
      const timer = setTimeout(() => {
        for (const one of working) one.abort();
      }, deadlineMs);
      await answered;
      clearTimeout(timer);
      // Calls that were given up went back to their queues; reclaim them with what is known about them.
      if (outcomes === undefined) await Promise.all([...imports.values()].map(({ running }) => running?.hold()));
      for (const id of imports.keys()) close(id);
      await Promise.all(working.map((one) => one.close()));
      await returns.close(deadlineMs);
    },
  };
}
