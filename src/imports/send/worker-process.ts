import type { ChatClient } from '../../chat/chat-client.ts';
import type { Region } from '../../membership/membership.ts';
import type { Backend } from '../../queue/backend.ts';
import { closeWithin } from '../../queue/job-worker.ts';
import type { CallObserver } from './call-observer.ts';
import { type RegionWorkerOptions, startRegionWorker } from './region.ts';
import { closeQueues, openRegionQueues } from './region-queues.ts';
import { createResultSender } from './result-queues.ts';

export type WorkingRegion = ReturnType<typeof startWorkerProcess>['regions'][number];

interface WorkerProcessOptions {
  readonly backend: Backend;
  readonly apps: readonly {
    readonly region: Region;
    readonly appId: string;
    readonly host?: string | undefined;
    readonly chat: ChatClient;
  }[];
  readonly config: RegionWorkerOptions['config'];
  readonly observer: CallObserver;
  readonly onError: (error: Error) => void;
}

/** Workers of some regions in a process of their own: they need the queue and the regions' keys, and nothing else. */
export function startWorkerProcess(options: WorkerProcessOptions) {
  const { backend, config, observer, onError } = options;
  const { deliver, answer, close } = createResultSender(backend, onError);
  const regions = options.apps.map(({ region, appId, host, chat }) => {
    const queues = openRegionQueues(backend, region, appId, onError);
    const worker = startRegionWorker({
      region,
      host,
      backend,
      ...queues,
      chat,
      config,
      deliver,
      answer,
      observer,
      onError,
    });
    return { region, ...queues, worker };
  });
  return {
    regions,
    /** Takes no more, lets calls in flight finish for at most `deadlineMs`, and hands back the rest. */
    stop: async (deadlineMs: number) => {
      await closeWithin(
        deadlineMs,
        regions.map(({ worker }) => worker),
      );
      await close();
      await Promise.all(regions.map(closeQueues));
      await backend.close();
    },
  };
}
