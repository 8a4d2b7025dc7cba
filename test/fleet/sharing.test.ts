import { beforeAll, describe } from 'vitest';
import { describeSmallBehindBig } from '../imports/sharing-suite.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { placeIn } from './places.ts';

/** The whole of it is in sharing.long.test.ts. */
describe('on Redis', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
    return () => server.stop();
  });

  describeSmallBehindBig(placeIn(() => server));
});
