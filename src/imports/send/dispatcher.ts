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
  /** Queue of the results; null when workers are in this process. */
  readonly replyTo: string | null;
  readonly ledger: ImportLedger;
  /** The fair queues of the regions that it uses. */
  readonly fairQueues: ReadonlyMap<Region, FairQueue>;
  /** Whether a region's batches must wait; it becomes ready later (`ready`). */
  readonly mustWait: (region: Region) => boolean;
  readonly emit: Emit;
}

/** Dispatches the batches of one import and follows their results, until nothing is in flight any more. */
export class RunningImport {
  readonly #options: RunningImportOptions;
  readonly #regions: readonly RegionBatches[];
  readonly #stopped = new Set<Region>();
  /** In `paused` and `ended`, nothing more happens until the import is started again. */
  #mode: 'sending' | 'pausing' | 'paused' | 'ended' = 'ended';
  #work: Promise<void> = Promise.resolve();
  #lookingAgain: NodeJS.Timeout | undefined;

  constructor(options: RunningImportOptions) {
    this.#options = options;
    const { id, replyTo, ledger, fairQueues, mustWait } = options;
    const address = { importId: id, replyTo };
    const inTurn: RegionBatchesOptions['inTurn'] = (task) => this.#inTurn(task);
    this.#regions = Array.from(fairQueues, ([region, fairQueue]) => {
      const mayDispatch = () => this.#mayDispatchTo(region) && !mustWait(region);
      return createRegionBatches({ address, ledger, region, fairQueue, mayDispatch, inTurn });
    });
  }

  start(): void {
    this.#mode = 'sending';
    this.#stopped.clear();
    this.#lookAgain();
    void this.#inTurn(this.#settle);
  }

  /** A region whose batches had to wait may begin. */
  ready(region: Region): void {
    this.#in(region)?.lookAgain();
    void this.#inTurn(this.#settle);
  }

  /** Dispatches no more and withdraws what has not started. An event says that it is idle when the started calls have ended. */
  pause(): Promise<void> {
    this.#mode = 'pausing';
    return this.#withdrawAll();
  }

  /** Dispatches no more and leaves what is in flight to its workers: this process stops, they continue. */
  detach(): Promise<void> {
    this.#mode = this.#isPaused() ? 'paused' : 'ended';
    return this.#inTurn(() => {});
  }

  /** Gives the import up: dispatches no more and withdraws what waits in the queue. The ledger is left as it is. */
  drop(): Promise<void> {
    this.#mode = 'paused';
    return this.#inTurn(async () => {
      for (const batches of this.#regions) await batches.drop();
    });
  }

  /** Whether a region's batches are being withdrawn: the import is paused, or the region is stopped. */
  isWithdrawing(region: Region): boolean {
    return this.#isPaused() || this.#stopped.has(region);
  }

  /** Ids of the jobs of its batches in flight. */
  jobsIn(region: Region): string[] {
    return this.#in(region)?.jobs() ?? [];
  }

  /**
   * Puts batches in flight into the queue again, as far as their jobs are not there. If nothing more will be sent, they
   * are reclaimed instead.
   * @param lost ids of their jobs; `all` of the region
   */
  resend(region: Region, lost: ReadonlySet<string> | 'all', uncertainty: string): Promise<void> {
    return this.#inTurn(async () => {
      const batches = this.#in(region);
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

  recorded(recorded: readonly number[], { refusedGroups, stoppedRegions }: Consequences): void {
    for (const batches of this.#regions) for (const batch of recorded) batches.recorded(batch);
    for (const { region } of stoppedRegions) this.stopRegion(region);
    for (const group of refusedGroups) void this.#refuseGroup(group);
    for (const batches of this.#regions) batches.changed();
    if (!this.#isInFlight()) void this.#inTurn(this.#settle);
  }

  close(): void {
    clearTimeout(this.#lookingAgain);
    for (const batches of this.#regions) batches.close();
  }

  /** Does work on the queue, one task after the other. */
  #inTurn(task: () => Promise<void> | void): Promise<void> {
    const { id, emit } = this.#options;
    const failed = (error: unknown) => void emit(id, { kind: 'fault', code: 'SENDING_FAILED', error });
    this.#work = this.#work.then(task).catch(failed);
    return this.#work;
  }

  #mayDispatchTo(region: Region): boolean {
    return this.#mode === 'sending' && !this.#stopped.has(region);
  }

  #isPaused(): boolean {
    return this.#mode === 'pausing' || this.#mode === 'paused';
  }

  #in(region: Region): RegionBatches | undefined {
    return this.#regions.find((batches) => batches.region === region);
  }

  #isInFlight(): boolean {
    return this.#regions.some((batches) => batches.inFlight() > 0);
  }

  #lookAgain(): void {
    for (const batches of this.#regions) batches.lookAgain();
  }

  #reportIdle(why: IdleReason): void {
    this.#mode = why === 'paused' ? 'paused' : 'ended';
    void this.#options.emit(this.#options.id, { kind: 'idle', why });
  }

  /** When nothing is in flight, decides whether the import has ended, or sends more. */
  readonly #settle = (): void => {
    if (this.#isInFlight()) return;
    if (this.#mode === 'pausing') this.#reportIdle('paused');
    if (this.#mode !== 'sending') return;
    const open = [...this.#options.ledger.openRegions()];
    if (open.some((region) => !this.#stopped.has(region))) this.#lookAgain();
    else this.#reportIdle(open.length === 0 ? 'completed' : 'blocked');
  };

  /** Withdraws batches that are to be withdrawn, until nothing of them is in flight. */
  #withdrawAll(): Promise<void> {
    return this.#inTurn(async () => {
      clearTimeout(this.#lookingAgain);
      const withdrawing = this.#regions.filter(({ region }) => this.isWithdrawing(region));
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
      if (ids.size > 0) for (const batches of this.#regions) await batches.withdraw((job) => ids.has(job));
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

  /** Gives batches back to the ledger that are in the queue no more. */
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
    jobs: () => [...inFlight.keys()].map((batch) => jobId(address.importId, batch)),
    changed,
    /** There may be batches to send that were not there before. */
    lookAgain,
    /** A batch has its result. Does nothing for a batch of another region. */
    recorded: (batch: number) => {
      const sent = inFlight.get(batch);
      if (sent === undefined) return;
      fairQueue.served(sent.priority);
      end(batch);
    },
    /** Takes batches that no worker has started out of the queue; the ledger has them back. */
    withdraw: async (chosen: (jobId: string) => boolean) => {
      const jobs = await queue.withdraw(chosen);
      reclaim(jobs.map((job) => withdrawn(address, job)));
    },
    reclaim,
    /** Puts batches in flight into the queue once more. @param uncertainty why a call for them may have been carried out */
    queueAgain: async (batches: readonly BatchToSend[], uncertainty: string) => {
      ledger.markDispatched(batches.map(({ id }) => id));
      const jobs = batches.map((batch) =>
        toJob(
          address,
          { ...batch, uncertainty: batch.uncertainty ?? uncertainty },
          inFlight.get(batch.id)?.priority ?? fairQueue.current(),
        ),
      );
      await queue.again(jobs, BATCH_JOBS);
    },
    drop: async () => void (await queue.withdraw((id) => isJobOf(address.importId, id))),
    close: () => {
      fairQueue.leave(source);
      for (const batch of [...inFlight.keys()]) end(batch);
    },
  };
}

/** The batches of an import in flight in a region; each takes a place of the group that it changes. */
function countInFlight({ groups, freed }: FairQueue) {
  const inFlight = new Map<number, { readonly priority: number; readonly guid: string | undefined }>();
  return {
    inFlight,
    begin: (batch: number, guid: string | undefined, priority: number): void => {
      inFlight.set(batch, { priority, guid });
      if (guid !== undefined) groups.take(guid);
    },
    end: (batch: number): void => {
      const guid = inFlight.get(batch)?.guid;
      inFlight.delete(batch);
      if (guid !== undefined) freed(guid);
    },
  };
}
