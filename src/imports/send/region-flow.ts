import { randomUUID } from 'node:crypto';
import { isNoAnswer } from '../../chat/error-policy.ts';
import { asError } from '../../errors/message-of.ts';
import {
  FIRST_LIMIT,
  type Flow,
  type FlowSums,
  NO_SUMS,
  newFlow,
  nextFlow,
  readFlow,
  shareOf,
} from '../../queue/flow.ts';
import type { JobQueue } from '../../queue/job-queue.ts';
import type { CallRecord } from '../record/batch-result.ts';

/** Interval in which a process tells the others what its calls were like, in ms. */
const REPORT_MS = 250;
/** Share of the time in which this process computes, from which more calls at once bring it no more answers. */
const BUSY = 0.9;

interface RegionFlowOptions {
  /** Keeps what the processes share. */
  readonly queue: Pick<JobQueue<never>, 'shareFlow' | 'swapFlow'>;
  /** The most jobs of this process at once. */
  readonly most: number;
  /** Sets the number of jobs that this process runs at once. */
  readonly limit: (concurrency: number) => void;
  /** Returns the share of the time since it was last asked in which this process computed. */
  readonly utilization?: () => number;
  /** Returns the time by which calls are measured, in ms. */
  readonly now?: () => number;
  readonly onError: (error: Error) => void;
}

/**
 * Adapts the number of calls of a region's worker to the service (queue/flow.ts). All processes of the region count into the
 * same sums and keep to the same number, of which each has its share.
 */
export class RegionFlow {
  readonly #options: RegionFlowOptions;
  readonly #id = randomUUID();
  readonly #utilization: () => number;
  readonly #now: () => number;
  #most: number;
  #allowed: number;
  #sums: Record<keyof FlowSums, number> = { ...NO_SUMS };
  #active = 0;
  #spentTo: number;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #restarting = false;
  #closed = false;

  constructor(options: RegionFlowOptions) {
    this.#options = options;
    this.#utilization = options.utilization ?? utilization();
    this.#now = options.now ?? (() => performance.now());
    this.#spentTo = this.#now();
    this.#most = options.most;
    this.#allowed = 1;
    void this.#report();
  }

  /** Counts the run of a job. */
  async count(process: () => Promise<void>): Promise<void> {
    this.#spend(1);
    const startedAt = this.#now();
    this.#timer ??= setTimeout(() => void this.#report(), REPORT_MS);
    try {
      await process();
    } finally {
      this.#spend(-1);
      this.#sums.ended += 1;
      this.#sums.busyMs += this.#now() - startedAt;
    }
  }

  /** Takes note of a call that has ended. */
  called(call: Pick<CallRecord, 'kind' | 'code'>): void {
    if (call.kind === 'slow-down' || isNoAnswer(call)) this.#sums.failed += 1;
  }

  /** After an outage: all processes begin with one call at a time. */
  restart(): void {
    if (this.#restarting) return;
    this.#restarting = true;
    this.#allow(1);
    void this.#report();
  }

  /** Changes the most jobs of this process at once. */
  setMost(most: number): void {
    this.#most = most;
    void this.#report();
  }

  /** To be called when no job runs any more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** The part of the time since the last change in which `#active` jobs ran. */
  #spend(change: number): void {
    const now = this.#now();
    const loadMs = this.#active * (now - this.#spentTo);
    const isFull = this.#active >= this.#allowed * 0.8 - 0.5;
    this.#sums.loadMs += loadMs;
    if (isFull) this.#sums.fullMs += loadMs;
    this.#spentTo = now;
    this.#active += change;
  }

  #report(): Promise<void> {
    this.#work = this.#work.then(() => this.#exchange()).catch(this.#failed);
    return this.#work;
  }

  readonly #failed = (error: unknown): void => {
    // The queue closes under the last report.
    if (!this.#closed) this.#options.onError(asError(error));
  };

  async #exchange(): Promise<void> {
    const { queue } = this.#options;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#closed) return;
    this.#spend(0);
    const isBusy = this.#utilization() > BUSY && this.#allowed >= FIRST_LIMIT;
    // This process is what holds its jobs back then, and not their number.
    const more = isBusy ? { ...this.#sums, fullMs: 0 } : this.#sums;
    this.#sums = { ...NO_SUMS };
    const isRestart = this.#restarting;
    const { text, sums, most, now } = await queue.shareFlow(this.#id, this.#most, rounded(more));
    const before = readFlow(text) ?? newFlow(sums, now);
    const after = isRestart ? restarted(before, sums, now) : nextFlow(before, sums, now, most);
    // Where another process was faster, its step counts.
    const found =
      after === before && text !== '' ? before : readFlow(await queue.swapFlow(text, JSON.stringify(after)));
    const flow = found ?? after;
    if (isRestart) this.#restarting = false;
    this.#allow(shareOf(flow.limit, this.#most, most));
    // The numbers of others change without this process.
    if (this.#active > 0 || more.ended > 0) this.#timer ??= setTimeout(() => void this.#report(), REPORT_MS);
  }

  #allow(concurrency: number): void {
    if (concurrency === this.#allowed) return;
    this.#spend(0);
    this.#allowed = concurrency;
    this.#options.limit(concurrency);
  }
}

/** The share of the time in which the event loop of this thread was not idle. */
function utilization(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

function restarted(flow: Flow, sums: FlowSums, now: number): Flow {
  return flow.limit === 1 && flow.phase === 'start' ? flow : newFlow(sums, now, 1);
}

function rounded(sums: FlowSums): FlowSums {
  const { ended, failed, busyMs, loadMs, fullMs } = sums;
  return { ended, failed, busyMs: Math.round(busyMs), loadMs: Math.round(loadMs), fullMs: Math.round(fullMs) };
}
