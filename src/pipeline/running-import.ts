import type { AddMembersPayload } from '../../jobs/add-members.ts';
import type { BatchTakenBack } from '../ledger/batch-result.ts';
import type { ImportLedger } from '../ledger/import-ledger.ts';
import type { Consequences } from '../ledger/recording.ts';
import type { Region } from '../membership/membership.ts';
import type { QueuedJob } from '../queue/job-queue.ts';
import { jobId, toJob } from './producer.ts';
import type { RegionLine } from './region-line.ts';

/** Batches that are dispatched and not recorded, at most, over all regions: a bound on the queue's memory. */
export const BACKLOG = 2_000;
/** Batches that one round trip dispatches. */
const CHUNK = 200;
/** A call under way may go back to the queue instead of ending: while calls are awaited, it is looked after this often. */
const LOOK_AGAIN_MS = 250;

/** Why nothing of an import is out any more. */
export type Standstill = 'completed' | 'blocked' | 'held';

/** Dispatches the batches of one import and follows their results, until nothing is out any more. */
export interface RunningImport {
  /** Begins or goes on. */
  go(): void;
  /** Dispatches no more and takes back what is not under way. The standstill follows when the calls under way have ended. */
  hold(): Promise<void>;
  /** Dispatches no more and leaves what is out to its workers: this process goes, they stay. */
  rest(): Promise<void>;
  /** How many batches are out in a region. */
  outIn(region: Region): number;
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
  readonly lines: ReadonlyMap<Region, RegionLine>;
  readonly onStandstill: (why: Standstill) => void;
  readonly onFailure: (error: unknown) => void;
}

export function createRunningImport({
  id,
  replyTo,
  ledger,
  lines,
  onStandstill,
  onFailure,
}: RunningImportOptions): RunningImport {
  const address = { importId: id, replyTo };
  const regions = ledger.regionsUsed();
  const share = Math.max(1, Math.floor(BACKLOG / Math.max(1, regions.length)));
  /** Batches that are out, by region. */
  const out = new Map<Region, Set<number>>(
    regions.map((region) => [
      region,
      new Set(ledger.dispatchedBatches(region, Number.POSITIVE_INFINITY, BACKLOG).map(({ id }) => id)),
    ]),
  );
  const stopped = new Set<Region>();
  let dispatching = false;
  let held = false;
  let still = true;
  /** Work on the queue, one thing after the other. */
  let work: Promise<void> = Promise.resolve();
  let pumpPlanned = false;
  let lookingAgain: NodeJS.Timeout | undefined;

  const enqueue = (task: () => Promise<void>): Promise<void> => {
    work = work.then(task).catch(onFailure);
    return work;
  };

  const line = (region: Region): RegionLine => {
    const found = lines.get(region);
    if (found === undefined) throw new Error(`region ${region} has no app`);
    return found;
  };

  const outCount = () => [...out.values()].reduce((sum, batches) => sum + batches.size, 0);

  const fill = async (region: Region, batches: Set<number>): Promise<void> => {
    while (dispatching && !stopped.has(region) && batches.size <= share - Math.min(CHUNK, share)) {
      const next = ledger.pendingBatches(region, Math.min(CHUNK, share - batches.size));
      if (next.length === 0) return;
      // Marked first: should the process die in between, a doubt too many is noted, and never one too few.
      ledger.markDispatched(next.map((batch) => batch.id));
      for (const batch of next) batches.add(batch.id);
      await line(region).queue.add(next.map((batch) => toJob(address, batch)));
    }
  };

  const pump = (): void => {
    if (pumpPlanned) return;
    pumpPlanned = true;
    void enqueue(async () => {
      pumpPlanned = false;
      for (const [region, batches] of out) await fill(region, batches);
      if (outCount() === 0) settle();
    });
  };

  const standStill = (why: Standstill): void => {
    dispatching = false;
    if (still) return;
    still = true;
    onStandstill(why);
  };

  /** Nothing is out: is that the end, or is there more to send? */
  const settle = (): void => {
    if (held) {
      standStill('held');
      return;
    }
    if (!dispatching) return;
    const open = [...ledger.openBatches().keys()];
    if (open.some((region) => !stopped.has(region))) pump();
    else standStill(open.length === 0 ? 'completed' : 'blocked');
  };

  const withdraw = async (region: Region, chosen: (jobId: string) => boolean): Promise<void> => {
    const jobs = await line(region).queue.withdraw(chosen);
    // Where the last answer has come meanwhile, the import may be over, and its ledger closed.
    if (jobs.length === 0) return;
    ledger.takeBack(jobs.map(takenBack));
    for (const { payload } of jobs) out.get(region)?.delete(payload.batch);
  };

  const ours = (queued: string) => queued.startsWith(`${id}-`);

  /** Takes back what is out of regions that are to stand still, until nothing is. */
  const takeBack = (): Promise<void> =>
    enqueue(async () => {
      clearTimeout(lookingAgain);
      const standing = regions.filter((region) => held || stopped.has(region));
      for (const region of standing) await withdraw(region, ours);
      if (outCount() === 0) settle();
      if (standing.some((region) => out.get(region)?.size !== 0)) lookingAgain = setTimeout(takeBack, LOOK_AGAIN_MS);
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
      pump();
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
    outIn: (region) => out.get(region)?.size ?? 0,
    resend: (region, before, doubt) =>
      enqueue(async () => {
        const unheard = ledger.dispatchedBatches(region, before, BACKLOG);
        if (unheard.length === 0) return;
        if (!dispatching || stopped.has(region)) {
          ledger.takeBack(unheard.map((batch) => ({ batch: batch.id, doubt, calls: [] })));
          for (const batch of unheard) out.get(region)?.delete(batch.id);
          if (outCount() === 0) settle();
          return;
        }
        ledger.markDispatched(unheard.map((batch) => batch.id));
        await line(region).queue.add(unheard.map((batch) => toJob(address, { ...batch, doubt: batch.doubt ?? doubt })));
      }),
    stop,
    recorded: (batches, { refusedGroups, stoppedRegions }) => {
      for (const batch of batches) for (const set of out.values()) set.delete(batch);
      for (const { region } of stoppedRegions) stop(region);
      for (const group of refusedGroups) {
        void enqueue(async () => {
          const ids = new Set(ledger.dispatchedOfGroup(group).map((batch) => jobId(id, batch)));
          if (ids.size > 0) for (const region of regions) await withdraw(region, (queued) => ids.has(queued));
          ledger.settleRefusedGroup(group);
          if (outCount() === 0) settle();
        });
      }
      if (outCount() === 0 || [...out.values()].some((set) => set.size <= share - Math.min(CHUNK, share))) pump();
    },
    close: () => clearTimeout(lookingAgain),
  };
}

function takenBack({ payload: { batch, doubt, calls } }: QueuedJob<AddMembersPayload>): BatchTakenBack {
  return { batch, doubt, calls };
}
