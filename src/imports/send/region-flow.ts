import { randomUUID } from 'node:crypto';
import { isNoAnswer } from '../../chat/error-policy.ts';
import { asError } from '../../errors/rollcall-error.ts';
import {
  FIRST_LIMIT,
  type Flow,
  type FlowSums,
  NO_SUMS,
  newFlow,
  nextFlow,
  readFlow,
  shareOf,
  sumsOf,
} from '../../queue/flow.ts';
import type { JobQueue, SharedFlow } from '../../queue/job-queue.ts';
import type { CallRecord } from '../record/batch-result.ts';

/** Interval in which a process tells the others what its calls were like, in ms. */
const REPORT_MS = 250;
/** Share of the time in which this process computes, from which more calls at once bring it no more answers. */
const BUSY = 0.9;

interface RegionFlowOptions {
  readonly queue: Pick<JobQueue<never>, 'shareFlow' | 'swapNote'>;
  /** The most jobs of this process at once. */
  readonly most: number;
  /** Sets the number of jobs that this process runs at once. */
  readonly limit: (concurrency: number) => void;
  /** The share of the time since it was last asked in which this process computed. */
  readonly utilization?: () => number;
  /** In ms. */
  readonly now?: () => number;
  readonly onError: (error: Error) => void;
}

export type RegionFlow = ReturnType<typeof createRegionFlow>;

/**
 * Adapts the number of calls of a region's worker to the service (queue/flow.ts). All processes of the region count into the
 * same sums and keep to the same number, of which each has its share.
 */
export function createRegionFlow(options: RegionFlowOptions) {
  const { queue, limit, onError, utilization = loopUtilization(), now = () => performance.now() } = options;
  const by = randomUUID();
  let { most } = options;
  let allowed = 1;
  let active = 0;
  let sums: Record<keyof FlowSums, number> = { ...NO_SUMS };
  let spentTo = now();
  let timer: NodeJS.Timeout | undefined;
  let work: Promise<void> = Promise.resolve();
  let isRestarting = false;
  let isClosed = false;

  /** Counts the time since the last change, in which `active` jobs ran. */
  const spend = (change: number): void => {
    const at = now();
    const loadMs = active * (at - spentTo);
    sums.loadMs += loadMs;
    if (active >= allowed * 0.8 - 0.5) sums.fullMs += loadMs;
    spentTo = at;
    active += change;
  };
  const allow = (concurrency: number): void => {
    if (concurrency === allowed) return;
    spend(0);
    allowed = concurrency;
    limit(concurrency);
  };
  const exchange = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (isClosed) return;
    spend(0);
    const isBusy = utilization() > BUSY && allowed >= FIRST_LIMIT;
    // This process is what holds its jobs back then, and not their number.
    const more = isBusy ? { ...sums, fullMs: 0 } : sums;
    sums = { ...NO_SUMS };
    const isRestart = isRestarting;
    const counts = sumsOf((name) => Math.round(more[name]));
    const shared = await queue.shareFlow(by, most, counts);
    const flow = await changed(queue, shared, isRestart);
    if (isRestart) isRestarting = false;
    allow(shareOf(flow.limit, most, shared.most));
    // The numbers of others change without this process.
    if (active > 0 || more.ended > 0) reportLater();
  };
  const report = (): void => {
    work = work.then(exchange).catch((error: unknown) => {
      // The queue closes under the last report.
      if (!isClosed) onError(asError(error));
    });
  };
  const reportLater = (): void => {
    timer ??= setTimeout(report, REPORT_MS);
  };

  report();
  return {
    /** Runs a job. */
    count: async (process: () => Promise<void>): Promise<void> => {
      spend(1);
      const startedAt = now();
      reportLater();
      try {
        await process();
      } finally {
        spend(-1);
        sums.ended += 1;
        sums.busyMs += now() - startedAt;
      }
    },
    called: (call: Pick<CallRecord, 'kind' | 'code'>): void => {
      if (call.kind === 'slow-down' || isNoAnswer(call)) sums.failed += 1;
    },
    /** After an outage: all processes begin with one call at a time. */
    restart: (): void => {
      if (isRestarting) return;
      isRestarting = true;
      allow(1);
      report();
    },
    setMost: (changed: number): void => {
      most = changed;
      report();
    },
    /** To be called when no job runs any more. */
    close: (): void => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** The flow after a report. Where another process was faster, its step counts. */
async function changed(
  queue: RegionFlowOptions['queue'],
  { text, sums, most, now }: SharedFlow,
  isRestart: boolean,
): Promise<Flow> {
  const before = readFlow(text) ?? newFlow(sums, now);
  const after = isRestart ? restarted(before, sums, now) : nextFlow(before, sums, now, most);
  if (after === before && text !== '') return before;
  return readFlow(await queue.swapNote('flow', text, JSON.stringify(after))) ?? after;
}

/** The share of the time in which the event loop of this thread was not idle. */
function loopUtilization(): () => number {
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
