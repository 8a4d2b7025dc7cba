import { beforeAll, describe } from 'vitest';
import type { Backend } from '../../src/queue/backend.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { describeAlarms } from './schedule-alarms-suite.ts';

describe('on the embedded queue', () => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await openBackend();
    return () => backend.close();
  });

  describeAlarms(() => backend);
});
