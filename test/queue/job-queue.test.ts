import { join } from 'node:path';
import { openBackend } from '../../src/queue/backend.ts';
import { tempDir } from '../temp-dir.ts';
import { layEmbeddedQueue } from './embedded-template.ts';
import { describeJobQueue } from './job-queue-suite.ts';
import { describeJobWorker } from './job-worker-suite.ts';

const BACKENDS = {
  'the embedded backend': async () => {
    const dataDir = tempDir();
    await layEmbeddedQueue(dataDir);
    return openBackend(join(dataDir, 'queue'));
  },
};

for (const [name, open] of Object.entries(BACKENDS)) {
  describeJobQueue(name, open);
  describeJobWorker(name, open);
}
