import type { ResultAddress } from '../../../jobs/batch-payload.ts';
import type { Region } from '../../membership/membership.ts';
import type { Emit, IdleReason } from '../import-event.ts';
import type { ReclaimedBatch } from '../record/batch-result.ts';
import type { BatchToSend, ImportLedger } from '../record/import-ledger.ts';
import type { Consequences } from '../record/recording.ts';
import { BATCH_JOBS, isJobOf, jobId, toJob, withdrawn } from './batch-jobs.ts';
import { BACKLOG, type BatchSource, type FairQueue } from './fair-queue.ts';
import { nextBatches } from './next-batches.ts';

/** A call in flight may go back to the queue instead of ending: while calls are awaited, the queue is checked this often, in ms. */
const LOOK_AGAIN_MS = 250;

interface RunningImportOptions {
  readonly id: string;
  /** Queue that brings the results back; null when workers are in this process. */
  readonly replyTo: string | null;
  readonly ledger: ImportLedger;
  /** The fair queues of the regions that it uses. */
  readonly fairQueues: ReadonlyMap<Region, FairQueue>;
  /** Whether a region's batches must wait; it becomes ready later (`ready`). */
  readonly mustWait: (region: Region) => boolean;
  /** Gets when it is idle, and faults. */
  readonly emit: Emit;
}

/** Dispatches the batches of one import and follows their results, until nothing is in flight any more. */
export class RunningImport {
  readonly #options: RunningImportOptions;
  readonly #regions: ReadonlyMap<Region, RegionBatches>;
  readonly #stopped = new Set<Region>();
  #dispatching = false;
  #paused = false;
  #still = true;
  #work: Promise<void> = Promise.resolve();
  #lookingAgain: NodeJS.Timeout | undefined;

  constructor(options: RunningImportOptions) {
    this.#options = options;
    const { id, replyTo, ledger, fairQueues, mustWait } = options;
    this.#regions = new Map(
      [...fairQueues].map(([region, fairQueue]) => {
        const mayDispatch = () => this.#mayDispatchTo(region) && !mustWait(region);
        const inTurn = (task: () => Promise<void>) => this.#inTurn(task);
        const address = { importId: id, replyTo };
        return [region, createRegionBatches({ address, ledger, region, fairQueue, mayDispatch, inTurn })];
      }),
    );
  }

  /** Begins or continues. */
  start(): void {
    this.#paused = false;
    this.#still = false;
    this.#dispatching = true;
    this.#stopped.clear();
    this.#lookAgain();
    this.#settleInTurn();
  }

  /** A region whose batches had to wait may begin. */
  ready(region: Region): void {
    this.#regions.get(region)?.lookAgain();
    this.#settleInTurn();
  }

  /** Dispatches no more and withdraws what has not started. An event says that it is idle when the started calls have ended. */
  pause(): Promise<void> {
    this.#paused = true;
    this.#dispatching = false;
    this.#still = false;
    return this.#withdrawAll();
  }

  /** Dispatches no more and leaves what is in flight to its workers: this process stops, they continue. */
  detach(): Promise<void> {
    this.#dispatching = false;
    this.#still = true;
    return this.#inTurn(async () => {});
  }

  /** Gives the import up: dispatches no more and withdraws what waits in the queue. The ledger is left as it is. */
  drop(): Promise<void> {
    this.#paused = true;
    this.#dispatching = false;
    this.#still = true;
    return this.#inTurn(async () => {
      for (const batches of this.#all()) await batches.drop();
    });
  }

  /** Whether a region's batches are being withdrawn: the import is paused, or the region is stopped. */
  isWithdrawing(region: Region): boolean {
    return this.#paused || this.#stopped.has(region);
  }

  /** Returns the ids of the jobs of a region's batches in flight. */
  jobsIn(region: Region): string[] {
    return this.#regions.get(region)?.jobs() ?? [];
  }

  /**
   * Puts batches in flight into the queue again, as far as their jobs are not there. If nothing more will be sent, they
   * are reclaimed instead.
   * @param lost ids of their jobs; `all` of the region
   */
  resend(region: Region, lost: ReadonlySet<string> | 'all', uncertainty: string): Promise<void> {
    return this.#inTurn(async () => {
      const batches = this.#regions.get(region);
      const { id, ledger } = this.#options;
      const unanswered = ledger
        .dispatchedBatches(region, Number.POSITIVE_INFINITY, BACKLOG)
        .filter((batch) => lost === 'all' || lost.has(jobId(id, batch.id)));
      if (batches === undefined || unanswered.length === 0) return;
      if (this.#mayDispatchTo(region)) {
        await batches.queueAgain(unanswered, uncertainty);
        return;
      }
      batches.reclaim(unanswered.map((batch) => ({ batch: batch.id, uncertainty, calls: [] })));
      this.#settle();
    });
  }

  /** The region refuses every call: its batches are withdrawn. */
  stopRegion(region: Region): void {
    if (this.#stopped.has(region)) return;
    this.#stopped.add(region);
    void this.#withdrawAll();
  }

  /** Called by the recorder. */
  recorded(recorded: readonly number[], { refusedGroups, stoppedRegions }: Consequences): void {
    for (const batches of this.#all()) for (const batch of recorded) batches.recorded(batch);
    for (const { region } of stoppedRegions) this.stopRegion(region);
    for (const group of refusedGroups) void this.#refuseGroup(group);
    this.#changed();
    if (!this.#isInFlight()) this.#settleInTurn();
  }

  close(): void {
    clearTimeout(this.#lookingAgain);
    for (const batches of this.#all()) batches.close();
  }

  /** Does work on the queue, one task after the other. */
  #inTurn(task: () => Promise<void>): Promise<void> {
    const { id, emit } = this.#options;
    const failed = (error: unknown) => void emit(id, { kind: 'fault', code: 'SENDING_FAILED', error });
    this.#work = this.#work.then(task).catch(failed);
    return this.#work;
  }

  #mayDispatchTo(region: Region): boolean {
    return this.#dispatching && !this.#stopped.has(region);
  }

  #all(): RegionBatches[] {
    return [...this.#regions.values()];
  }

  #isInFlight(): boolean {
    return this.#all().some((batches) => batches.inFlight() > 0);
  }

  #changed(): void {
    for (const batches of this.#all()) batches.changed();
  }

  #lookAgain(): void {
    for (const batches of this.#all()) batches.lookAgain();
  }

  #reportIdle(why: IdleReason): void {
    this.#dispatching = false;
    if (this.#still) return;
    this.#still = true;
    void this.#options.emit(this.#options.id, { kind: 'idle', why });
  }

  #settleInTurn(): void {
    void this.#inTurn(async () => this.#settle());
  }

  /** Called when nothing is in flight: decides whether the import has ended, or sends more. */
  #settle(): void {
    if (this.#isInFlight()) return;
    if (this.#paused) {
      this.#reportIdle('paused');
      return;
    }
    if (!this.#dispatching) return;
    const open = [...this.#options.ledger.openRegions()];
    if (open.some((region) => !this.#stopped.has(region))) this.#lookAgain();
    else this.#reportIdle(open.length === 0 ? 'completed' : 'blocked');
  }

  /** Withdraws batches that are to be withdrawn, until nothing of them is in flight. */
  #withdrawAll(): Promise<void> {
    return this.#inTurn(async () => {
      clearTimeout(this.#lookingAgain);
      const withdrawing = this.#all().filter(({ region }) => this.isWithdrawing(region));
      for (const batches of withdrawing) await batches.withdraw((job) => isJobOf(this.#options.id, job));
      this.#settle();
      if (withdrawing.some((batches) => batches.inFlight() > 0)) {
        this.#lookingAgain = setTimeout(() => this.#withdrawAll(), LOOK_AGAIN_MS);
      }
    });
  }

  /** Ends a group that the service refuses: its batches that are queued are withdrawn, and its rows have that refusal. */
  #refuseGroup(group: number): Promise<void> {
    const { id, ledger } = this.#options;
    return this.#inTurn(async () => {
      const ids = new Set(ledger.dispatchedOfGroup(group).map((batch) => jobId(id, batch)));
      if (ids.size > 0) for (const batches of this.#all()) await batches.withdraw((job) => ids.has(job));
      ledger.settleRefusedGroup(group);
      this.#settle();
    });
  }
}

type RegionBatches = ReturnType<typeof createRegionBatches>;

interface RegionBatchesOptions {
  readonly address: ResultAddress;
  readonly ledger: ImportLedger;
  readonly region: Region;
  readonly fairQueue: FairQueue;
  readonly mayDispatch: () => boolean;
  /** Does work on the queue when the work before it is done. Never rejects. */
  readonly inTurn: (task: () => Promise<void>) => Promise<void>;
}

/** The batches of one import in one region: how they get into the queue, and out of it again. */
function createRegionBatches(options: RegionBatchesOptions) {
  const { address, ledger, region, fairQueue, mayDispatch, inTurn } = options;
  const { queue } = fairQueue;
  const next = nextBatches(ledger, region, fairQueue.groups);
  const { inFlight, begin, end } = countInFlight(fairQueue);
  for (const { id, guid, creation } of ledger.dispatchedBatches(region, Number.POSITIVE_INFINITY, BACKLOG))
    begin(id, creation === undefined ? guid : undefined, fairQueue.current());

  const dispatch: BatchSource['dispatch'] = async (most, priorityOf) => {
    let sent = 0;
    await inTurn(async () => {
      if (!mayDispatch()) return;
      const batches = next.take(most);
      if (batches.length === 0) return;
      // Marked first: if the process dies in between, a batch may be marked uncertain without need, but never missed.
      ledger.markDispatched(batches.map(({ id }) => id));
      for (const [nth, { id, guid }] of batches.entries()) begin(id, guid, priorityOf(nth));
      sent = batches.length;
      await queue.add(ledger.toSend(region, batches).map((batch, nth) => toJob(address, batch, priorityOf(nth))));
    });
    return sent;
  };

  const source: BatchSource = { inFlight, dispatch };
  fairQueue.join(source);
  const changed = () => fairQueue.changed(source);
  const lookAgain = () => {
    next.lookAgain();
    changed();
  };

  const reclaim = (batches: readonly ReclaimedBatch[]): void => {
    // If the last answer has come meanwhile, the import may have finished, and its ledger may be closed.
    if (batches.length === 0) return;
    ledger.reclaim(batches);
    for (const { batch } of batches) end(batch);
    lookAgain();
  };

  return {
    region,
    inFlight: () => inFlight.size,
    /** Ids of their jobs. */
    jobs: () => [...inFlight.keys()].map((batch) => jobId(address.importId, batch)),
    /** Fewer are in flight. */
    changed,
    /** There may be batches to send that were not there before. */
    lookAgain,
    /** A batch has its result. Does nothing for a batch of another region. */
    recorded: (batch: number) => {
      const priority = inFlight.get(batch);
      if (priority === undefined) return;
      fairQueue.served(priority);
      end(batch);
    },
    /** Takes batches that no worker has started out of the queue; the ledger has them back. */
    withdraw: async (chosen: (jobId: string) => boolean) => {
      const jobs = await queue.withdraw(chosen);
      reclaim(jobs.map((job) => withdrawn(address, job)));
    },
    /** Gives batches back to the ledger that are in the queue no more. */
    reclaim,
    /** Puts batches in flight into the queue once more. @param uncertainty why a call for them may have been carried out */
    queueAgain: async (batches: readonly BatchToSend[], uncertainty: string) => {
      ledger.markDispatched(batches.map(({ id }) => id));
      const jobs = batches.map((batch) =>
        toJob(
          address,
          { ...batch, uncertainty: batch.uncertainty ?? uncertainty },
          inFlight.get(batch.id) ?? fairQueue.current(),
        ),
      );
      await queue.again(jobs, BATCH_JOBS);
    },
    /** Takes all of them out of the queue. The ledger is left as it is. */
    drop: async () => void (await queue.withdraw((id) => isJobOf(address.importId, id))),
    close: () => {
      fairQueue.leave(source);
      for (const batch of [...inFlight.keys()]) end(batch);
    },
  };
}

/** The batches of an import in flight in a region, with their priorities; each takes a place of the group that it changes. */
function countInFlight(fairQueue: FairQueue) {
  const inFlight = new Map<number, number>();
  const groupOf = new Map<number, string>();
  return {
    inFlight: inFlight as ReadonlyMap<number, number>,
    begin: (batch: number, guid: string | undefined, priority: number): void => {
      inFlight.set(batch, priority);
      if (guid === undefined) return;
      groupOf.set(batch, guid);
      fairQueue.groups.take(guid);
    },
    end: (batch: number): void => {
      inFlight.delete(batch);
      const guid = groupOf.get(batch);
      groupOf.delete(batch);
      if (guid !== undefined) fairQueue.freed(guid);
    },
  };
}
