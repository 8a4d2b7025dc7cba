import { beforeAll, describe } from 'vitest';
import { describeSharing } from '../imports/sharing-suite.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { placeIn } from './places.ts';

describe('on Redis', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
    return () => server.stop();
  });

  describeSharing(placeIn(() => server));
});
