import { addMembers } from '../../../jobs/add-members.ts';
import type { BatchPayload } from '../../../jobs/send-batch.ts';
import type { RegionStatus } from '../../api/regions.ts';
import type { Region } from '../../membership/membership.ts';
import type { Backend } from '../../queue/backend.ts';
import { type JobQueue, openJobQueue } from '../../queue/job-queue.ts';
import { type RegionWorker, type RegionWorkerOptions, startRegionWorker } from './region-worker.ts';

/** One app of the service in one region, as the coordinator sees it: its queue, and its worker if one is in this process. */
export interface RegionLine {
  readonly region: Region;
  readonly queue: JobQueue<BatchPayload>;
  status(): Promise<RegionStatus>;
  /** Sets the budget again where a wiped queue has forgotten it. */
  keepBudget(): Promise<void>;
  /** Takes up a key that was changed in the settings; gives whether it was. */
  renewKey(): boolean;
  /** Takes no more jobs in this process; resolves when running ones have finished. */
  stopWorking(): Promise<void>;
  /** Gives up the calls under way in this process. */
  abort(): void;
  close(): Promise<void>;
}

/** Opens a region's line; what its calls come to goes where the two last say. */
export type OpenLine = (
  region: Region,
  backend: Backend,
  deliver: RegionWorkerOptions['deliver'],
  answer: RegionWorkerOptions['answer'],
) => Promise<RegionLine>;

export interface RegionLineOptions {
  readonly region: Region;
  readonly appId: string;
  /** Host of the service that the calls are meant for; empty where any worker may make them. */
  readonly host?: string | undefined;
  readonly backend: Backend;
  readonly callsPerMinute: number;
  /** Share in percent of what the service says it allows, in place of these calls; absent: exactly these. */
  readonly budgetShare?: number | undefined;
  /** Absent: other processes send. */
  readonly worker: Pick<RegionWorkerOptions, 'chat' | 'concurrency' | 'deliver' | 'answer' | 'observer'> | undefined;
  readonly onError: (error: Error) => void;
}

/** All workers of a region and app share one queue, and with it one budget of calls. */
export function openRegionQueue(
  backend: Backend,
  region: Region,
  appId: string,
  onError: (error: Error) => void,
): JobQueue<BatchPayload> {
  return openJobQueue(backend, `add-members-${region}-${appId}`, addMembers, onError);
}

/**
 * Jobs carry the host that they are meant for, because an app id alone does not tell two services apart, and the share of
 * the budget that they may use.
 */
function meantFor(
  { host = '', budgetShare: share }: Pick<RegionLineOptions, 'host' | 'budgetShare'>,
  queue: JobQueue<BatchPayload>,
): JobQueue<BatchPayload> {
  if (host === '' && share === undefined) return queue;
  const about = { ...(host !== '' && { host }), ...(share !== undefined && { share }) };
  return {
    ...queue,
    add: (jobs) => queue.add(jobs.map((job) => ({ ...job, payload: { ...job.payload, ...about } }))),
  };
}

export async function openRegionLine(options: RegionLineOptions): Promise<RegionLine> {
  const { region, appId, backend, onError } = options;
  const queue = meantFor(options, openRegionQueue(backend, region, appId, onError));
  // A queue of this process alone is a cache of the ledger, which says anew what is to be sent.
  if (!backend.shared) await queue.clear();
  await queue.setCallsPerMinute(options.callsPerMinute);
  const worker: RegionWorker | undefined =
    options.worker === undefined
      ? undefined
      : startRegionWorker({ region, host: options.host, backend, queue, onError, ...options.worker });
  return {
    region,
    queue,
    status: async () => {
      const [depth, stopped, limitedForMs, callsPerMinute = null, workers] = await Promise.all([
        queue.depth(),
        queue.isPaused(),
        queue.limitedForMs(),
        queue.callsPerMinute(),
        backend.shared ? queue.workers() : 1,
      ]);
      return {
        region,
        ...depth,
        stopped,
        limitedForMs,
        callsPerMinute,
        workers,
        key: worker?.keyFingerprint() ?? null,
      };
    },
    keepBudget: async () => {
      if ((await queue.callsPerMinute()) === undefined) await queue.setCallsPerMinute(options.callsPerMinute);
    },
    renewKey: () => worker?.renewKey() ?? false,
    stopWorking: async () => worker?.close(),
    abort: () => worker?.abort(),
    close: async () => {
      await worker?.close();
      await queue.close();
    },
  };
}
