import { doubtOf } from '../../../jobs/send-batch.ts';
import type { Region } from '../../membership/membership.ts';
import type { BatchTakenBack } from '../record/batch-result.ts';
import type { ImportLedger } from '../record/import-ledger.ts';
import type { Consequences } from '../record/recording.ts';
import { jobId, toJob } from './batch-job.ts';
import { BACKLOG, type Feed, type Rounds } from './rounds.ts';

/** A call under way may go back to the queue instead of ending: while calls are awaited, it is looked after this often. */
const LOOK_AGAIN_MS = 250;

/** Why nothing of an import is out any more. */
export type Standstill = 'completed' | 'blocked' | 'held';

/** Dispatches the batches of one import and follows their results, until nothing is out any more. */
export interface RunningImport {
  /** Begins or goes on. */
  go(): void;
  /** A region whose batches had to wait may begin. */
  ready(region: Region): void;
  /** Dispatches no more and takes back what is not under way. The standstill follows when the calls under way have ended. */
  hold(): Promise<void>;
  /** Dispatches no more and leaves what is out to its workers: this process goes, they stay. */
  rest(): Promise<void>;
  /** Gives it up: dispatches no more, and takes what waits out of the queue. The ledger is left as it is. */
  drop(): Promise<void>;
  /** How many batches are out in a region. */
  outIn(region: Region): number;
  /** Whether nothing of it is to stay out in a region: it is held, or the region is stopped. */
  leaves(region: Region): boolean;
  /**
   * Puts batches into the queue once more that were put there before `before` (ms since 1970) and not heard of. Harmless
   * while a batch is still there: its job id is the same. When no more is to be sent, they are taken back instead.
   */
  resend(region: Region, before: number, doubt: string): Promise<void>;
  /** The region refuses every call: nothing of it stays out. */
  stop(region: Region): void;
  /** Told by the recorder. */
  recorded(batches: readonly number[], consequences: Consequences): void;
  close(): void;
}

export interface RunningImportOptions {
  readonly id: string;
  /** Queue that brings the results back; null when workers are in this process. */
  readonly replyTo: string | null;
  readonly ledger: ImportLedger;
  /** Of the regions that it uses. */
  readonly rounds: ReadonlyMap<Region, Rounds>;
  /** Whether a region's batches must wait; it becomes ready later (`ready`). */
  readonly mustWait: (region: Region) => boolean;
  readonly onStandstill: (why: Standstill) => void;
  readonly onFailure: (error: unknown) => void;
}

export function createRunningImport({
  id,
  replyTo,
  ledger,
  rounds,
  mustWait,
  onStandstill,
  onFailure,
}: RunningImportOptions): RunningImport {
  const address = { importId: id, replyTo };
  const stopped = new Set<Region>();
  let dispatching = false;
  let held = false;
  let still = true;
  /** Work on the queue, one thing after the other. */
  let work: Promise<void> = Promise.resolve();
  let lookingAgain: NodeJS.Timeout | undefined;

  const enqueue = (task: () => Promise<void>): Promise<void> => {
    work = work.then(task).catch(onFailure);
    return work;
  };

  const lanes: ReadonlyMap<Region, Lane> = new Map(
    [...rounds].map(([region, turns]) => [region, openLane(region, turns)]),
  );

  function openLane(region: Region, turns: Rounds): Lane {
    const unheard = ledger.dispatchedBatches(region, Number.POSITIVE_INFINITY, BACKLOG);
    const out = new Map(unheard.map((batch) => [batch.id, turns.current()]));
    const dispatch: Feed['dispatch'] = async (most, roundOf) => {
      let sent = 0;
      await enqueue(async () => {
        if (!dispatching || stopped.has(region) || mustWait(region)) return;
        const jobs = ledger.pendingBatches(region, most).map((batch, nth) => toJob(address, batch, roundOf(nth)));
        if (jobs.length === 0) return;
        // Marked first: should the process die in between, a doubt too many is noted, and never one too few.
        ledger.markDispatched(jobs.map(({ payload }) => payload.batch));
        for (const { payload, round } of jobs) out.set(payload.batch, round);
        sent = jobs.length;
        await turns.queue.add(jobs);
      });
      return sent;
    };
    const lane = { region, rounds: turns, out, dispatch };
    turns.join(lane);
    return lane;
  }

  const outCount = () => [...lanes.values()].reduce((sum, { out }) => sum + out.size, 0);

  const changed = (): void => {
    for (const lane of lanes.values()) lane.rounds.changed(lane);
  };

  const standStill = (why: Standstill): void => {
    dispatching = false;
    if (still) return;
    still = true;
    onStandstill(why);
  };

  /** Where nothing is out: is that the end, or is there more to send? */
  const settle = (): void => {
    if (outCount() > 0) return;
    if (held) {
      standStill('held');
      return;
    }
    if (!dispatching) return;
    const open = [...ledger.openBatches().keys()];
    if (open.some((region) => !stopped.has(region))) changed();
    else standStill(open.length === 0 ? 'completed' : 'blocked');
  };

  const forget = (lane: Lane, batches: readonly BatchTakenBack[]): void => {
    // Where the last answer has come meanwhile, the import may be over, and its ledger closed.
    if (batches.length === 0) return;
    ledger.takeBack(batches);
    for (const { batch } of batches) lane.out.delete(batch);
    lane.rounds.changed(lane);
  };

  const withdraw = async (lane: Lane, chosen: (jobId: string) => boolean): Promise<void> => {
    const jobs = await lane.rounds.queue.withdraw(chosen);
    forget(
      lane,
      jobs.map(({ payload, starts = 0 }) => ({
        batch: payload.batch,
        doubt: doubtOf(payload, starts),
        calls: payload.calls,
      })),
    );
  };

  const leaves = (region: Region) => held || stopped.has(region);

  const ours = (queued: string) => queued.startsWith(`${id}-`);

  /** Takes back what is out of regions that are to stand still, until nothing is. */
  const takeBack = (): Promise<void> =>
    enqueue(async () => {
      clearTimeout(lookingAgain);
      const standing = [...lanes.values()].filter(({ region }) => leaves(region));
      for (const lane of standing) await withdraw(lane, ours);
      settle();
      if (standing.some(({ out }) => out.size > 0)) lookingAgain = setTimeout(takeBack, LOOK_AGAIN_MS);
    });

  const stop = (region: Region): void => {
    if (stopped.has(region)) return;
    stopped.add(region);
    void takeBack();
  };

  return {
    go: () => {
      held = false;
      still = false;
      dispatching = true;
      stopped.clear();
      changed();
      void enqueue(async () => settle());
    },
    ready: (region) => {
      const lane = lanes.get(region);
      if (lane !== undefined) lane.rounds.changed(lane);
      void enqueue(async () => settle());
    },
    hold: () => {
      held = true;
      dispatching = false;
      still = false;
      return takeBack();
    },
    rest: () => {
      dispatching = false;
      still = true;
      return enqueue(async () => {});
    },
    drop: () => {
      held = true;
      dispatching = false;
      still = true;
      return enqueue(async () => {
        for (const { rounds: turns } of lanes.values()) await turns.queue.withdraw(ours);
      });
    },
    outIn: (region) => lanes.get(region)?.out.size ?? 0,
    leaves,
    resend: (region, before, doubt) =>
      enqueue(async () => {
        const lane = lanes.get(region);
        const unheard = ledger.dispatchedBatches(region, before, BACKLOG);
        if (lane === undefined || unheard.length === 0) return;
        if (!dispatching || stopped.has(region)) {
          forget(
            lane,
            unheard.map((batch) => ({ batch: batch.id, doubt, calls: [] })),
          );
          settle();
          return;
        }
        ledger.markDispatched(unheard.map((batch) => batch.id));
        await lane.rounds.queue.add(
          unheard.map((batch) =>
            toJob(address, { ...batch, doubt: batch.doubt ?? doubt }, lane.out.get(batch.id) ?? lane.rounds.current()),
          ),
        );
      }),
    stop,
    recorded: (batches, { refusedGroups, stoppedRegions }) => {
      for (const lane of lanes.values()) {
        for (const batch of batches) {
          lane.rounds.served(lane.out.get(batch) ?? 0);
          lane.out.delete(batch);
        }
      }
      for (const { region } of stoppedRegions) stop(region);
      for (const group of refusedGroups) {
        void enqueue(async () => {
          const ids = new Set(ledger.dispatchedOfGroup(group).map((batch) => jobId(id, batch)));
          if (ids.size > 0) for (const lane of lanes.values()) await withdraw(lane, (queued) => ids.has(queued));
          ledger.settleRefusedGroup(group);
          settle();
        });
      }
      changed();
      if (outCount() === 0) void enqueue(async () => settle());
    },
    close: () => {
      clearTimeout(lookingAgain);
      for (const lane of lanes.values()) lane.rounds.leave(lane);
    },
  };
}

/** What an import sends to one region. */
interface Lane extends Feed {
  readonly region: Region;
  readonly rounds: Rounds;
  readonly out: Map<number, number>;
}
