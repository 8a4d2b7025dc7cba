import { closeWithin } from '../../queue/job-worker.ts';
import { type RegionWorkerOptions, startRegionWorker } from './region.ts';
import { closeQueues, openRegionQueues } from './region-queues.ts';
import { createResultSender } from './result-queues.ts';

export type WorkingRegion = ReturnType<typeof startWorkerProcess>['regions'][number];

interface WorkerProcessOptions extends Pick<RegionWorkerOptions, 'backend' | 'config' | 'observer' | 'onError'> {
  readonly apps: readonly (Pick<RegionWorkerOptions, 'region' | 'host' | 'chat'> & { readonly appId: string })[];
}

/** Workers of some regions in a process of their own: they need the queue and the regions' keys, and nothing else. */
export function startWorkerProcess({ apps, ...options }: WorkerProcessOptions) {
  const { backend, onError } = options;
  const { deliver, answer, close } = createResultSender(backend, onError);
  const regions = apps.map(({ appId, ...app }) => {
    const queues = openRegionQueues(backend, app.region, appId, onError);
    const worker = startRegionWorker({ ...options, ...app, ...queues, deliver, answer });
    return { region: app.region, ...queues, worker };
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
