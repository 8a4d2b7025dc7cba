import { expect, test } from 'vitest';
import { bullBackend, type Driver } from '../../src/queue/bull-backend.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { describeJobQueue } from './job-queue-suite.ts';
import { describeJobWorker } from './job-worker-suite.ts';

describeJobQueue('the embedded backend', openBackend);
describeJobWorker('the embedded backend', openBackend);

test('a job that runs after a worker lost it is stalled', async () => {
  const lost = { timestamp: 1, stalledCounter: 1 };
  const jobs = { prioritized: [], active: [lost, { ...lost, stalledCounter: 0 }] };
  const getJobs = async ([state]: readonly (keyof typeof jobs)[]) => jobs[state ?? 'active'];
  const driver = { queue: () => ({ on: () => undefined, getJobs }) } as unknown as Driver;
  const queue = bullBackend(driver).openQueue('errands', { name: 'errand', attempts: 1 }, () => undefined);
  expect(await queue.inspect()).toEqual({ nextAddedAt: undefined, stalled: 1 });
});
