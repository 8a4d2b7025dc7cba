import { type AddMembersPayload, addMembers, listsOf } from '../../../jobs/add-members.ts';
import { type CreateMissingPayload, createMissing, createOf } from '../../../jobs/create-missing.ts';
import { type EditMemberPayload, editMember, editOf } from '../../../jobs/edit-member.ts';
import { type ResultAddress, uncertaintyOf } from '../../../jobs/send-batch.ts';
import type { Region } from '../../membership/membership.ts';
import type { QueuedJob } from '../../queue/job-queue.ts';
import type { Report, Standstill } from '../happening.ts';
import type { ReclaimedBatch } from '../record/batch-result.ts';
import type { BatchToSend, ImportLedger } from '../record/import-ledger.ts';
import type { Consequences } from '../record/recording.ts';
import { BACKLOG, type BatchSource, type FairQueue } from './fair-queue.ts';

/** A call in flight may go back to the queue instead of ending: while calls are awaited, the queue is checked this often, in ms. */
const LOOK_AGAIN_MS = 250;

/** Dispatches the batches of one import and follows their results, until nothing is in flight any more. */
export interface RunningImport {
  /** Begins or continues. */
  go(): void;
  /** A region whose batches had to wait may begin. */
  ready(region: Region): void;
  /** Dispatches no more and withdraws what has not started. The standstill is reported when the started calls have ended. */
  hold(): Promise<void>;
  /** Dispatches no more and leaves what is in flight to its workers: this process stops, they continue. */
  rest(): Promise<void>;
  /** Gives the import up: dispatches no more and withdraws what waits in the queue. The ledger is left as it is. */
  drop(): Promise<void>;
  /** How many batches are in flight in a region. */
  outIn(region: Region): number;
  /** Whether a region's batches are being withdrawn: the import is held, or the region is stopped. */
  leaves(region: Region): boolean;
  /**
   * Puts batches into the queue again that were put there before `before` (ms since 1970) and have no result. Harmless
   * while a batch is still there: its job id is the same. If nothing more will be sent, they are reclaimed instead.
   */
  resend(region: Region, before: number, uncertainty: string): Promise<void>;
  /** The region refuses every call: its batches are withdrawn. */
  stop(region: Region): void;
  /** Called by the recorder. */
  recorded(batches: readonly number[], consequences: Consequences): void;
  close(): void;
}

export interface RunningImportOptions {
  readonly id: string;
  /** Queue that brings the results back; null when workers are in this process. */
  readonly replyTo: string | null;
  readonly ledger: ImportLedger;
  /** Of the regions that it uses. */
  readonly fairQueues: ReadonlyMap<Region, FairQueue>;
  /** Whether a region's batches must wait; it becomes ready later (`ready`). */
  readonly mustWait: (region: Region) => boolean;
  /** Gets standstills and faults. */
  readonly report: Report;
}

export function createRunningImport({
  id,
  replyTo,
  ledger,
  fairQueues,
  mustWait,
  report,
}: RunningImportOptions): RunningImport {
  const address = { importId: id, replyTo };
  const stopped = new Set<Region>();
  let dispatching = false;
  let held = false;
  let still = true;
  /** Work on the queue, one task after the other. */
  let work: Promise<void> = Promise.resolve();
  let lookingAgain: NodeJS.Timeout | undefined;

  const enqueue = (task: () => Promise<void>): Promise<void> => {
    work = work.then(task).catch((error: unknown) => void report(id, { kind: 'fault', code: 'SENDING_FAILED', error }));
    return work;
  };

  const sources: ReadonlyMap<Region, RegionSource> = new Map(
    [...fairQueues].map(([region, fairQueue]) => [region, openSource(region, fairQueue)]),
  );

  function openSource(region: Region, fairQueue: FairQueue): RegionSource {
    const unanswered = ledger.dispatchedBatches(region, Number.POSITIVE_INFINITY, BACKLOG);
    const out = new Map(unanswered.map((batch) => [batch.id, fairQueue.current()]));
    const dispatch: BatchSource['dispatch'] = async (most, priorityOf) => {
      let sent = 0;
      await enqueue(async () => {
        if (!dispatching || stopped.has(region) || mustWait(region)) return;
        const jobs = ledger.pendingBatches(region, most).map((batch, nth) => toJob(address, batch, priorityOf(nth)));
        if (jobs.length === 0) return;
        // Marked first: if the process dies in between, a batch may be marked uncertain without need, but never missed.
        ledger.markDispatched(jobs.map(({ payload }) => payload.batch));
        for (const { payload, priority } of jobs) out.set(payload.batch, priority);
        sent = jobs.length;
        await fairQueue.queue.add(jobs);
      });
      return sent;
    };
    const source = { region, fairQueue, out, dispatch };
    fairQueue.join(source);
    return source;
  }

  const outCount = () => [...sources.values()].reduce((sum, { out }) => sum + out.size, 0);

  const changed = (): void => {
    for (const source of sources.values()) source.fairQueue.changed(source);
  };

  const standStill = (why: Standstill): void => {
    dispatching = false;
    if (still) return;
    still = true;
    void report(id, { kind: 'standstill', why });
  };

  /** When nothing is in flight: has the import ended, or is there more to send? */
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

  const forget = (source: RegionSource, batches: readonly ReclaimedBatch[]): void => {
    // If the last answer has come meanwhile, the import may have finished, and its ledger may be closed.
    if (batches.length === 0) return;
    ledger.reclaim(batches);
    for (const { batch } of batches) source.out.delete(batch);
    source.fairQueue.changed(source);
  };

  const withdraw = async (source: RegionSource, chosen: (jobId: string) => boolean): Promise<void> => {
    const jobs = await source.fairQueue.queue.withdraw(chosen);
    forget(
      source,
      jobs.map(({ payload, starts = 0 }) => ({
        batch: payload.batch,
        uncertainty: uncertaintyOf(payload, starts),
        calls: payload.calls,
      })),
    );
  };

  const leaves = (region: Region) => held || stopped.has(region);

  const ours = (queued: string) => queued.startsWith(`${id}-`);

  /** Withdraws batches from regions that are to stop, until nothing of them is in flight. */
  const reclaim = (): Promise<void> =>
    enqueue(async () => {
      clearTimeout(lookingAgain);
      const standing = [...sources.values()].filter(({ region }) => leaves(region));
      for (const source of standing) await withdraw(source, ours);
      settle();
      if (standing.some(({ out }) => out.size > 0)) lookingAgain = setTimeout(reclaim, LOOK_AGAIN_MS);
    });

  const stop = (region: Region): void => {
    if (stopped.has(region)) return;
    stopped.add(region);
    void reclaim();
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
      const source = sources.get(region);
      if (source !== undefined) source.fairQueue.changed(source);
      void enqueue(async () => settle());
    },
    hold: () => {
      held = true;
      dispatching = false;
      still = false;
      return reclaim();
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
        for (const { fairQueue } of sources.values()) await fairQueue.queue.withdraw(ours);
      });
    },
    outIn: (region) => sources.get(region)?.out.size ?? 0,
    leaves,
    resend: (region, before, uncertainty) =>
      enqueue(async () => {
        const source = sources.get(region);
        const unanswered = ledger.dispatchedBatches(region, before, BACKLOG);
        if (source === undefined || unanswered.length === 0) return;
        if (!dispatching || stopped.has(region)) {
          forget(
            source,
            unanswered.map((batch) => ({ batch: batch.id, uncertainty, calls: [] })),
          );
          settle();
          return;
        }
        ledger.markDispatched(unanswered.map((batch) => batch.id));
        await source.fairQueue.queue.add(
          unanswered.map((batch) =>
            toJob(
              address,
              { ...batch, uncertainty: batch.uncertainty ?? uncertainty },
              source.out.get(batch.id) ?? source.fairQueue.current(),
            ),
          ),
        );
      }),
    stop,
    recorded: (batches, { refusedGroups, stoppedRegions }) => {
      for (const source of sources.values()) {
        for (const batch of batches) {
          source.fairQueue.served(source.out.get(batch) ?? 0);
          source.out.delete(batch);
        }
      }
      for (const { region } of stoppedRegions) stop(region);
      for (const group of refusedGroups) {
        void enqueue(async () => {
          const ids = new Set(ledger.dispatchedOfGroup(group).map((batch) => jobId(id, batch)));
          if (ids.size > 0) for (const source of sources.values()) await withdraw(source, (queued) => ids.has(queued));
          ledger.settleRefusedGroup(group);
          settle();
        });
      }
      changed();
      if (outCount() === 0) void enqueue(async () => settle());
    },
    close: () => {
      clearTimeout(lookingAgain);
      for (const source of sources.values()) source.fairQueue.leave(source);
    },
  };
}

/** What an import sends to one region. */
interface RegionSource extends BatchSource {
  readonly region: Region;
  readonly fairQueue: FairQueue;
  readonly out: Map<number, number>;
}

/** A batch of the ledger as a job. Its id is the same every time, so that adding it twice queues it once. */
function toJob(
  { importId, replyTo }: ResultAddress,
  batch: BatchToSend,
  priority: number,
): QueuedJob<AddMembersPayload | CreateMissingPayload | EditMemberPayload> & { readonly priority: number } {
  const { region, guid, onBehalfOf, uncertainty } = batch;
  const common = {
    importId,
    replyTo,
    batch: batch.id,
    region,
    guid,
    onBehalfOf,
    uncertainty,
    calls: [],
    handedBack: 0,
  };
  const id = jobId(importId, batch.id);
  if (batch.creation !== undefined) {
    const payload = { version: 1 as const, ...common, onBehalfOf: '', create: createOf(batch, batch.creation) };
    return { id, priority, name: createMissing.name, payload };
  }
  return batch.action === 'add'
    ? { id, priority, name: addMembers.name, payload: { version: 1, ...common, lists: listsOf(batch) } }
    : { id, priority, name: editMember.name, payload: { version: 1, ...common, ...editOf(batch) } };
}

function jobId(importId: string, batch: number): string {
  return `${importId}-${batch}`;
}
