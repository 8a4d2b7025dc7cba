import { type AddMembersPayload, type AddMembersPorts, addMembers } from '../../jobs/add-members.ts';
import type { ChatClient } from '../chat/client.ts';
import type { Region } from '../membership/membership.ts';
import type { Backend } from '../queue/backend.ts';
import { type JobQueue, openJobQueue } from '../queue/job-queue.ts';
import { type JobWorker, startJobWorker } from '../queue/job-worker.ts';

/** What a region is doing. */
export interface RegionStatus {
  readonly region: Region;
  /** Jobs that wait for a worker, that wait for their next attempt, and that run. */
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
  /** Whether calls were stopped because the service refused the region's key or plan. */
  readonly stopped: boolean;
  /** Ms until the rate limit lets the next call start. */
  readonly limitedForMs: number;
}

/** One app of the service in one region: its queue, and its workers in this process. */
export interface RegionLine {
  readonly region: Region;
  readonly queue: JobQueue<AddMembersPayload>;
  status(): Promise<RegionStatus>;
  /** Takes no more jobs; resolves when running ones have finished. */
  stopWorking(): Promise<void>;
  /** Gives up the calls under way. */
  abort(): void;
  close(): Promise<void>;
}

export interface RegionLineOptions {
  readonly region: Region;
  readonly appId: string;
  readonly chat: ChatClient;
  readonly backend: Backend;
  readonly callsPerMinute: number;
  readonly concurrency: number;
  readonly deliver: AddMembersPorts['deliver'];
  readonly onError: (error: Error) => void;
}

export async function openRegionLine(options: RegionLineOptions): Promise<RegionLine> {
  const { region, appId, chat, backend, deliver, onError } = options;
  const queue = openJobQueue<AddMembersPayload>(backend, `add-members-${region}-${appId}`, addMembers, onError);
  // The embedded queue is a cache of the ledger, which says anew what is to be sent.
  await queue.clear();
  await queue.setCallsPerMinute(options.callsPerMinute);
  const worker: JobWorker = startJobWorker({
    backend,
    queue,
    definition: addMembers,
    ports: { chat, deliver, stopRegion: () => queue.pause() },
    concurrency: options.concurrency,
    onError,
  });
  return {
    region,
    queue,
    status: async () => {
      const [depth, stopped, limitedForMs] = await Promise.all([queue.depth(), queue.isPaused(), queue.limitedForMs()]);
      return { region, ...depth, stopped, limitedForMs };
    },
    stopWorking: () => worker.close(),
    abort: () => worker.abort(),
    close: async () => {
      await worker.close();
      await queue.close();
      await chat.close();
    },
  };
}
