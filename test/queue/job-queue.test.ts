import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBackend } from '../../src/queue/open-backend.ts';
import { describeQueueBoard } from './board-suite.ts';
import { layEmbeddedQueue } from './embedded-template.ts';
import { describeJobQueue } from './job-queue-suite.ts';
import { describeJobWorker } from './job-worker-suite.ts';
import type { OpenBackend } from './queue-harness.ts';

const BACKENDS: readonly { readonly name: string; readonly open: OpenBackend }[] = [
  {
    name: 'the embedded backend',
    open: async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-test-'));
      await layEmbeddedQueue(dataDir);
      const backend = await openBackend(join(dataDir, 'queue'));
      return {
        ...backend,
        close: async () => {
          await backend.close();
          await rm(dataDir, { recursive: true });
        },
      };
    },
  },
];

for (const { name, open } of BACKENDS) {
  describeJobQueue(name, open);
  describeJobWorker(name, open);
  describeQueueBoard(name, open);
}
