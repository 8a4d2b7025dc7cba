import type { RegionStatus } from '../../api/regions.ts';
import { isFinal } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import { type ImportOptions, readOptions } from '../import-options.ts';
import type { BatchResult, StoppedRegion } from '../record/batch-result.ts';
import { type ImportLedger, openImportLedger, totalRows } from '../record/import-ledger.ts';
import type { Consequences } from '../record/recording.ts';
import { createRunningImport, type RunningImport, type Standstill } from '../send/dispatcher.ts';
import { createGroupReader, type GroupReader } from '../send/group-reader.ts';
import { watchForLosses } from '../send/lost-jobs.ts';
import { createRegionLines } from '../send/regions.ts';
import { drained } from '../send/returns.ts';
import { targetOf, tooManyErrors } from '../send/sendable.ts';
import { held } from './creating-step.ts';
import { createFirstSteps } from './first-steps.ts';
import type { RunnerOptions } from './runner-options.ts';

/** Runs imports: opens their ledgers and regions, and decides what follows when one stands still. */
export interface Runner {
  readonly groups: GroupReader;
  /** An import's ledger is complete: start it, unless it is not wanted, a dry run, or has too many invalid rows. */
  staged(id: string, start: boolean): Promise<void>;
  go(id: string): Promise<void>;
  hold(id: string): Promise<void>;
  cancel(id: string): Promise<void>;
  /** Takes a result that a worker elsewhere found. */
  record(id: string, result: BatchResult): Promise<void>;
  /** Gives an import up that met an unexpected error: nothing more of it is sent or recorded. Never rejects. */
  drop(id: string): Promise<void>;
  /** Throws what keeps the rows of an import from being sent by this process: WrongTarget, RegionWithoutApp. */
  check(id: string): void;
  /** Closes an import's ledger, if it is open. */
  close(id: string): void;
  /** What the regions are doing that imports have used so far. */
  regions(): Promise<RegionStatus[]>;
  /** Takes up keys that were changed in the settings; gives the regions whose key was. */
  renewKeys(regions: ReadonlySet<Region>): Promise<Region[]>;
  stop(deadlineMs: number): Promise<void>;
}

interface OpenImport {
  readonly ledger: ImportLedger;
  /** As kept with the import. */
  options: ImportOptions;
  running: RunningImport | undefined;
  /** Whether this process has recorded results of it. */
  progressed: boolean;
  /** Set when the import is to end before everything is sent. */
  ending: 'aborted' | 'cancelled' | undefined;
}

const STOPS = 'this process stops, and begins nothing';
const FIRST_SENT = 'the rows to try first were sent, and the others wait';
const ORPHANED = 'the process that sent it ended before an answer came';

export function createRunner(options: RunnerOptions): Runner {
  const { dir, find, move, recorder, regions, outcomes, answers, stateOf, finish, fault } = options;
  const imports = new Map<string, OpenImport>();
  /** Imports that are being given up. */
  const dropping = new Map<string, Promise<void>>();
  const lines = createRegionLines((region) => {
    if (stopping) throw new Error(STOPS);
    return options.openLine(region);
  }, regions.size);
  const target = targetOf(options);
  let stopping = false;
  const losses =
    outcomes &&
    watchForLosses({
      returns: [outcomes, ...(answers ? [answers] : [])],
      lines: lines.all,
      imports: () => [groups, ...[...imports.values()].flatMap(({ running }) => running ?? [])],
      onError: options.onError,
    });

  const open = (id: string): OpenImport => {
    let opened = imports.get(id);
    if (opened === undefined) {
      options.attend(id);
      const chosen = readOptions(find(id));
      const ledger = openImportLedger(dir.ledger(id), chosen.create);
      // Workers of this process ended with it; those elsewhere go on, and their results come.
      if (outcomes === undefined) ledger.takeBackAll(ORPHANED);
      opened = { ledger, options: chosen, running: undefined, progressed: false, ending: undefined };
      imports.set(id, opened);
      recorder.open(id, ledger, (batches, consequences) => recorded(id, batches, consequences));
    }
    return opened;
  };

  const closeLedger = (id: string): void => {
    const opened = imports.get(id);
    firstSteps.interrupt(id);
    recorder.close(id);
    opened?.running?.close();
    opened?.ledger.close();
    imports.delete(id);
  };

  const drop = (id: string): Promise<void> => {
    const opened = imports.get(id);
    if (opened === undefined) return dropping.get(id) ?? Promise.resolve();
    firstSteps.interrupt(id);
    recorder.close(id);
    imports.delete(id);
    const dropped = (async () => {
      await opened.running?.drop();
      opened.running?.close();
      opened.ledger.close();
    })()
      // What is wrong with it has been said.
      .catch(() => {})
      .finally(() => dropping.delete(id));
    dropping.set(id, dropped);
    return dropped;
  };

  const groups = createGroupReader({
    line: async (region) => lines.open(region),
    roundOf: (opened) => lines.roundsOf(opened).current(),
    replyTo: answers?.name ?? null,
    onError: options.onError,
  });

  const firstSteps = createFirstSteps(groups.pages, () => stopping);

  const end = (id: string, state: 'aborted' | 'cancelled'): void => {
    const opened = open(id);
    opened.ledger.leaveRest(`not sent: the import was ${state} first`);
    // Counted at the end: calls that were under way have brought errors since, and what is in doubt counts as well.
    finish(id, state, state === 'aborted' ? tooManyErrors(opened) : undefined);
  };

  /** Closes an import of which every batch has its end. */
  const close = (id: string, opened: OpenImport): void => {
    if (totalRows(opened.ledger.tallies()).unprocessed === 0) finish(id, 'completed');
    // The rest was given up before, by a process that did not live to close the import.
    else if (find(id).state === 'cancelling') finish(id, 'cancelled');
    else finish(id, 'aborted', tooManyErrors(opened) ?? 'it was ended before, and then interrupted');
  };

  const standsStill = (id: string, why: Standstill): void => {
    if (stopping) return;
    const opened = open(id);
    const { ledger, ending } = opened;
    const isWaiting = (ledger.creating?.waiting() ?? 0) > 0;
    const isDone = ledger.openBatches().size === 0 && !isWaiting;
    if (isDone && ledger.laterBatches() === 0) close(id, opened);
    else if (ending !== undefined) end(id, ending);
    else if (isDone) move(id, 'paused', FIRST_SENT, 'FIRST_ROWS');
    else if (why === 'blocked') {
      const stopped = ledger.stoppedRegions().map(({ region, code, message }) => `${region}: ${code}, ${message}`);
      move(id, 'blocked', `the service refused ${stopped.join('; ')}`, 'SERVICE_REFUSED');
    } else if (find(id).state === 'pausing') move(id, 'paused');
    else if (why === 'completed') create(id, opened);
  };

  /** Everything else is sent: what rows wait for is created, or a person is asked. */
  const create = (id: string, { ledger, options: { create: chosen }, running }: OpenImport): void => {
    const next = chosen && ledger.creating?.next(chosen);
    if (next?.kind === 'held') {
      const { reason, remedy } = held(next.over);
      move(id, 'blocked', reason, 'CREATE_LIMIT', remedy);
    } else running?.go();
  };

  /** What was recorded goes to the running import, and the bound on errors is looked at. */
  function recorded(id: string, batches: readonly number[], consequences: Consequences): void {
    const opened = open(id);
    if (!opened.progressed) {
      opened.progressed = true;
      options.progressed(id);
    }
    opened.running?.recorded(batches, consequences);
    for (const stopped of consequences.stoppedRegions) {
      stopElsewhere(id, stopped);
      groups.stopped(stopped);
    }
    if (opened.ending !== undefined || opened.running === undefined) return;
    if (tooManyErrors(opened) === undefined) return;
    opened.ending = 'aborted';
    void opened.running.hold();
  }

  /** A region's line is shared: when it stops for one import, it stops for all. */
  const stopElsewhere = (id: string, stopped: StoppedRegion): void => {
    for (const [other, { ledger, running }] of imports) {
      if (other === id || running === undefined || !ledger.regionsUsed().includes(stopped.region)) continue;
      try {
        ledger.stopRegion(stopped);
        running.stop(stopped.region);
      } catch (error) {
        fault(other, 'RECORDING_FAILED', error);
      }
    }
  };

  const hold = async (id: string): Promise<void> => {
    const opened = open(id);
    firstSteps.interrupt(id);
    // Batches of an import that nobody ran here may still be with workers elsewhere.
    const running = outcomes === undefined ? opened.running : await runningOf(id, opened);
    if (running === undefined) standsStill(id, 'held');
    else await running.hold();
  };

  /** The import's regions are opened, and what is out of it is known. */
  const runningOf = async (id: string, opened: OpenImport): Promise<RunningImport> => {
    const used = await Promise.all(opened.ledger.regionsUsed().map(async (region) => lines.open(region)));
    // Results that wait would be asked for again otherwise.
    if (outcomes !== undefined && opened.running === undefined)
      await drained(outcomes, () => stopping, options.onError);
    if (stopping) throw new Error(STOPS);
    opened.running ??= createRunningImport({
      id,
      replyTo: outcomes?.name ?? null,
      ledger: opened.ledger,
      rounds: new Map(used.map((one) => [one.region, lines.roundsOf(one)])),
      mustWait: (region) => firstSteps.isAsking(id, region),
      onStandstill: (why) => {
        try {
          standsStill(id, why);
        } catch (error) {
          fault(id, 'SENDING_FAILED', error);
        }
      },
      onFailure: (error) => fault(id, 'SENDING_FAILED', error),
    });
    return opened.running;
  };

  const run = async (id: string, opened: OpenImport): Promise<void> => {
    if (stopping) return;
    const running = await runningOf(id, opened);
    for (const region of opened.ledger.regionsUsed()) {
      const { queue, renewKey } = await lines.open(region);
      renewKey();
      if (await queue.isPaused()) await queue.resume();
    }
    if (opened.options.create) opened.ledger.creating?.begin(opened.options.create);
    // Paused or cancelled meanwhile?
    const isHeld = () => stopping || find(id).state !== 'running';
    if (isHeld()) return;
    const ready = (region: Region): void => {
      if (isHeld()) return;
      if (tooManyErrors(opened) === undefined) {
        running.ready(region);
        return;
      }
      opened.ending = 'aborted';
      void running.hold();
    };
    // It may take minutes, and a call for every group: a region begins when it has its answers.
    firstSteps
      .take(id, opened.ledger, opened.options, ready)
      .catch((error: unknown) => fault(id, 'SENDING_FAILED', error));
    running.go();
  };

  return {
    groups,
    staged: async (id, start) => {
      const opened = open(id);
      if (tooManyErrors(opened) !== undefined) return end(id, 'aborted');
      const obstacle = target.obstacleOf(id, opened);
      if (obstacle !== undefined || !start) {
        // It may wait for days, and others with it.
        closeLedger(id);
        return move(id, 'staged', obstacle?.reason, obstacle?.code, obstacle?.remedy);
      }
      move(id, 'staged');
      move(id, 'running');
      await run(id, opened);
    },
    go: async (id) => {
      await dropping.get(id);
      const opened = open(id);
      opened.options = readOptions(find(id));
      const { state } = find(id);
      if (state === 'cancelling') opened.ending ??= 'cancelled';
      if (opened.ending !== undefined) return hold(id);
      target.check(id, opened);
      opened.ledger.startRegions();
      // One that was paused before the first rows were through goes on with these.
      const isThrough = opened.ledger.openBatches().size === 0 && (opened.ledger.creating?.waiting() ?? 0) === 0;
      if (state === 'paused' && isThrough) opened.ledger.releaseLater();
      if (state !== 'running') move(id, 'running');
      if (tooManyErrors(opened) === undefined) return run(id, opened);
      opened.ending = 'aborted';
      await hold(id);
    },
    hold,
    cancel: async (id) => {
      await dropping.get(id);
      const opened = open(id);
      if (find(id).state === 'staged') return end(id, 'cancelled');
      if (find(id).state !== 'cancelling') move(id, 'cancelling');
      opened.ending = 'cancelled';
      await hold(id);
    },
    record: async (id, result) => {
      // Of an import that is over, or was deleted: its rows have their outcomes. One that has failed asks again.
      const state = stateOf(id);
      if (state !== undefined && state !== 'failed' && !isFinal(state)) {
        open(id);
        await recorder.deliver(id, result);
      }
    },
    drop,
    check: (id) => target.check(id, open(id)),
    close: closeLedger,
    regions: async () => Promise.all((await lines.all()).map((one) => one.status())),
    renewKeys: async (wanted) => {
      const open = (await lines.all()).filter(({ region }) => wanted.has(region));
      return open.filter(({ renewKey }) => renewKey()).map(({ region }) => region);
    },
    stop: async (deadlineMs) => {
      stopping = true;
      groups.stop();
      const working = await lines.working();
      losses?.stop();
      await Promise.all(dropping.values());
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
      // Calls that were given up have gone back to their queues, with what is known about them.
      if (outcomes === undefined) await Promise.all([...imports.values()].map(({ running }) => running?.hold()));
      for (const id of imports.keys()) closeLedger(id);
      await Promise.all(working.map((one) => one.close()));
    },
  };
}
