import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe } from 'vitest';
import type { Backend } from '../../src/queue/backend.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { layEmbeddedQueue } from '../queue/embedded-template.ts';
import { describeAlarms } from './schedule-alarms-suite.ts';

describe('on the embedded queue', () => {
  let backend: Backend;
  beforeAll(async () => {
    const root = await mkdtemp(join(tmpdir(), 'rollcall-test-'));
    await layEmbeddedQueue(root);
    backend = await openBackend(join(root, 'queue'));
    return async () => {
      await backend.close();
      await rm(root, { recursive: true });
    };
  });

  describeAlarms(() => backend);
});
