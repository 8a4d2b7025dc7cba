import pLimit from 'p-limit';
import { type AddMembersPayload, type AddMembersPorts, addMembers } from '../../jobs/add-members.ts';
import type { ChatClient } from '../chat/client.ts';
import type { Region } from '../membership/membership.ts';
import type { Outcome } from '../membership/outcome.ts';
import type { Backend } from '../queue/backend.ts';
import type { JobQueue } from '../queue/job-queue.ts';
import { startJobWorker } from '../queue/job-worker.ts';

/** What sends a region's batches in this process. */
export interface RegionWorker {
  readonly region: Region;
  /** Calls at the same time, from now on. */
  setConcurrency(concurrency: number): void;
  /** Takes no more jobs; resolves when running ones have finished. */
  close(): Promise<void>;
  /** Gives up the calls under way; their batches go back into the queue. */
  abort(): void;
}

/** Told of calls and outcomes, for metrics. */
export interface CallObserver {
  called(region: Region, ms: number, code: string): void;
  /** Rows that got this outcome. */
  settled(region: Region, outcome: Outcome, rows: number): void;
}

export interface RegionWorkerOptions {
  readonly region: Region;
  readonly backend: Backend;
  readonly queue: JobQueue<AddMembersPayload>;
  readonly chat: ChatClient;
  readonly concurrency: number;
  readonly deliver: AddMembersPorts['deliver'];
  readonly observer?: CallObserver;
  readonly onError: (error: Error) => void;
}

export function startRegionWorker(options: RegionWorkerOptions): RegionWorker {
  const { region, backend, queue, chat, deliver, onError } = options;
  // The queue counts jobs and this counts calls: what one process sends to one host at the same time.
  const limit = pLimit(options.concurrency);
  const budget = budgetWatch(queue, onError);
  const worker = startJobWorker<AddMembersPayload, AddMembersPorts>({
    backend,
    queue,
    definition: addMembers,
    ports: {
      chat: { addMembers: (guid, request, call) => limit(() => chat.addMembers(guid, request, call)) },
      deliver,
      settled: (outcome, rows) => options.observer?.settled(region, outcome, rows),
      stopRegion: () => queue.pause(),
      called: (call, rate) => {
        options.observer?.called(region, call.ms, call.code);
        if (rate?.limit !== undefined) budget(rate.limit);
      },
    },
    concurrency: options.concurrency,
    onError,
  });
  return {
    region,
    setConcurrency: (concurrency) => {
      limit.concurrency = concurrency;
      worker.setConcurrency(concurrency);
    },
    close: async () => {
      await worker.close();
      await chat.close();
    },
    abort: () => worker.abort(),
  };
}

/** Somebody else may raise the budget again (a restarted coordinator): it is compared anew after this time, in ms. */
const COMPARE_MS = 2_000;

/** Lowers the region's budget to what the service says it allows in a minute, if that is less than what is set. */
function budgetWatch(queue: JobQueue<AddMembersPayload>, onError: (error: Error) => void): (perMinute: number) => void {
  let comparedAt = Number.NEGATIVE_INFINITY;
  let lowest = Number.POSITIVE_INFINITY;
  return (perMinute) => {
    const now = performance.now();
    if (perMinute < 1 || (perMinute >= lowest && now - comparedAt < COMPARE_MS)) return;
    comparedAt = now;
    lowest = perMinute;
    queue
      .callsPerMinute()
      .then(async (set) => {
        if (set === undefined || set > perMinute) await queue.setCallsPerMinute(perMinute);
      })
      .catch(onError);
  };
}
