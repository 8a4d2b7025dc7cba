import type { FinishImportPayload } from '../../jobs/finish-import.ts';
import type { ImportRecord } from '../ledger/catalog.ts';
import { type ImportLedger, openImportLedger, totalRows } from '../ledger/import-ledger.ts';
import { type ImportState, isFinal } from '../membership/import-state.ts';
import type { Region } from '../membership/membership.ts';
import type { DataDir } from './data-dir.ts';
import { RegionWithoutApp } from './import-errors.ts';
import { errorLimit, readOptions } from './import-options.ts';
import type { Recorder } from './recorder.ts';
import type { JobQueue } from '../queue/job-queue.ts';
import type { BatchResult } from '../ledger/batch-result.ts';
import type { RecordOutcomesPayload } from '../../jobs/record-outcomes.ts';
import { watchForLosses } from './losses.ts';
import type { RegionLine, RegionStatus } from './region-line.ts';
import type { Consequences } from '../ledger/recording.ts';
import { createRunningImport, type RunningImport, type Standstill } from './running-import.ts';

/** Runs imports: opens their ledgers and regions, and decides what follows when one stands still. */
export interface Runner {
  /** An import's ledger is complete: start it, unless it is not wanted, a dry run, or has too many invalid rows. */
  staged(id: string, start: boolean): Promise<void>;
  go(id: string): Promise<void>;
  hold(id: string): Promise<void>;
  cancel(id: string): Promise<void>;
  /** Takes a result that a worker elsewhere found. */
  record(id: string, result: BatchResult): Promise<void>;
  ledgerOf(id: string): { ledger: ImportLedger; close: () => void };
  /** What the regions are doing that imports have used so far. */
  regions(): Promise<RegionStatus[]>;
  stop(deadlineMs: number): Promise<void>;
}

type FinalState = FinishImportPayload['state'];

interface RunnerOptions {
  readonly dir: DataDir;
  readonly find: (id: string) => ImportRecord;
  readonly move: (id: string, to: ImportState, detail?: string) => void;
  readonly recorder: Recorder;
  readonly regions: ReadonlySet<Region>;
  /** Queue that brings results from other processes; undefined when all workers are in this one. */
  readonly outcomes: JobQueue<RecordOutcomesPayload> | undefined;
  readonly openLine: (region: Region) => Promise<RegionLine>;
  readonly finish: (id: string, state: FinalState, reason?: string) => Promise<void>;
  readonly stateOf: (id: string) => ImportState | undefined;
  readonly fail: (error: unknown) => void;
  /** Told of troubles that the queue mends by itself. */
  readonly onError: (error: Error) => void;
}

interface OpenImport {
  readonly ledger: ImportLedger;
  running: RunningImport | undefined;
  /** Set when the import is to end before everything is sent. */
  ending: { readonly state: 'aborted' | 'cancelled'; readonly reason: string | undefined } | undefined;
}

const ORPHANED = 'the process that sent it ended before an answer came';

export function createRunner(options: RunnerOptions): Runner {
  const { dir, find, move, recorder, regions, outcomes, stateOf, finish, fail } = options;
  const imports = new Map<string, OpenImport>();
  const lines = new Map<Region, Promise<RegionLine>>();
  let stopping = false;
  const losses =
    outcomes === undefined
      ? undefined
      : watchForLosses({
          outcomes,
          lines: async () => Promise.all(lines.values()),
          imports: () => [...imports.values()].flatMap(({ running }) => (running === undefined ? [] : [running])),
          onError: options.onError,
        });

  const open = (id: string): OpenImport => {
    let opened = imports.get(id);
    if (opened === undefined) {
      const ledger = openImportLedger(dir.ledger(id));
      // Workers of this process ended with it; those elsewhere go on, and their results come.
      if (outcomes === undefined) ledger.takeBackAll(ORPHANED);
      opened = { ledger, running: undefined, ending: undefined };
      imports.set(id, opened);
      recorder.open(id, ledger, (batches, consequences) => recorded(id, batches, consequences));
    }
    return opened;
  };

  const line = (region: Region): Promise<RegionLine> => {
    let opened = lines.get(region);
    if (opened === undefined) {
      opened = options.openLine(region);
      lines.set(region, opened);
    }
    return opened;
  };

  const checkRegions = (id: string, ledger: ImportLedger): void => {
    const missing = ledger.regionsUsed().filter((region) => !regions.has(region));
    if (missing.length > 0) throw new RegionWithoutApp(id, missing);
  };

  const tooManyErrors = (id: string, ledger: ImportLedger): string | undefined => {
    const rows = totalRows(ledger.tallies());
    const errors = rows.failed + rows.invalid + rows.unconfirmed;
    const limit = errorLimit(readOptions(find(id)), rows.read);
    return errors > limit
      ? `${errors} rows failed, are invalid or unconfirmed; --max-errors allows ${limit}`
      : undefined;
  };

  const end = async (id: string, state: 'aborted' | 'cancelled', reason?: string): Promise<void> => {
    open(id).ledger.leaveRest(`not sent: the import was ${state} first`);
    await finish(id, state, reason);
  };

  const standsStill = async (id: string, why: Standstill): Promise<void> => {
    const { ledger, ending } = open(id);
    const unsent = ledger.openBatches().size > 0;
    if (ending !== undefined && unsent) return end(id, ending.state, ending.reason);
    if (!unsent) return finish(id, 'completed');
    if (why === 'blocked') {
      const stopped = ledger.stoppedRegions().map(({ region, code, message }) => `${region}: ${code}, ${message}`);
      return move(id, 'blocked', `the service refused ${stopped.join('; ')}`);
    }
    if (find(id).state === 'pausing') move(id, 'paused');
  };

  /** What was recorded goes to the running import, and the bound on errors is looked at. */
  function recorded(id: string, batches: readonly number[], consequences: Consequences): void {
    const opened = open(id);
    opened.running?.recorded(batches, consequences);
    if (opened.ending !== undefined || opened.running === undefined) return;
    const reason = tooManyErrors(id, opened.ledger);
    if (reason === undefined) return;
    opened.ending = { state: 'aborted', reason };
    void opened.running.hold();
  }

  const run = async (id: string, opened: OpenImport): Promise<void> => {
    const used = await Promise.all(opened.ledger.regionsUsed().map(line));
    if (stopping) return;
    for (const { queue } of used) if (await queue.isPaused()) await queue.resume();
    if (opened.running === undefined) {
      // Results that wait would be asked for again otherwise.
      if (outcomes !== undefined) await drained(outcomes);
      opened.running = createRunningImport({
        id,
        replyTo: outcomes?.name ?? null,
        ledger: opened.ledger,
        lines: new Map(used.map((one) => [one.region, one])),
        onStandstill: (why) => void standsStill(id, why).catch(fail),
        onFailure: fail,
      });
    }
    opened.running.go();
  };

  return {
    staged: async (id, start) => {
      const opened = open(id);
      const reason = tooManyErrors(id, opened.ledger);
      if (reason !== undefined) return end(id, 'aborted', reason);
      if (readOptions(find(id)).dryRun) return move(id, 'staged', 'a dry run: read and checked, nothing was sent');
      try {
        checkRegions(id, opened.ledger);
      } catch (error) {
        return move(id, 'staged', error instanceof Error ? error.message : undefined);
      }
      move(id, 'staged');
      if (!start) return;
      move(id, 'running');
      await run(id, opened);
    },
    go: async (id) => {
      const opened = open(id);
      const { state } = find(id);
      if (state === 'cancelling') return end(id, 'cancelled');
      if (state === 'running' && opened.running !== undefined) return;
      checkRegions(id, opened.ledger);
      opened.ledger.startRegions();
      if (state !== 'running') move(id, 'running');
      await run(id, opened);
    },
    hold: async (id) => {
      const { running } = open(id);
      if (running !== undefined) await running.hold();
      else await standsStill(id, 'held');
    },
    cancel: async (id) => {
      const opened = open(id);
      if (find(id).state === 'staged') return end(id, 'cancelled');
      if (find(id).state !== 'cancelling') move(id, 'cancelling');
      opened.ending = { state: 'cancelled', reason: undefined };
      if (opened.running !== undefined) await opened.running.hold();
      else await standsStill(id, 'held');
    },
    record: async (id, result) => {
      // Of an import that is over, or was deleted: its rows have their outcomes.
      const state = stateOf(id);
      if (state !== undefined && !isFinal(state)) {
        open(id);
        await recorder.deliver(id, result);
      }
    },
    ledgerOf: (id) => ({
      ledger: open(id).ledger,
      close: () => {
        recorder.close(id);
        imports.get(id)?.ledger.close();
        imports.delete(id);
      },
    }),
    regions: async () => Promise.all((await Promise.all(lines.values())).map((one) => one.status())),
    stop: async (deadlineMs) => {
      stopping = true;
      const opened = await Promise.allSettled(lines.values());
      const working = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      losses?.stop();
      const answered = Promise.all([
        // Workers elsewhere go on without this process, and their results wait for it.
        ...[...imports.values()].map(({ running }) => (outcomes === undefined ? running?.hold() : running?.rest())),
        ...working.map((one) => one.stopWorking()),
      ]);
      const timer = setTimeout(() => {
        for (const one of working) one.abort();
      }, deadlineMs);
      await answered;
      clearTimeout(timer);
      for (const { ledger } of imports.values()) ledger.close();
      await Promise.all(working.map((one) => one.close()));
    },
  };
}

/** Resolves when no result waits any more. */
async function drained(outcomes: JobQueue<RecordOutcomesPayload>): Promise<void> {
  for (;;) {
    const { waiting, active, delayed } = await outcomes.depth();
    if (waiting + active + delayed === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
