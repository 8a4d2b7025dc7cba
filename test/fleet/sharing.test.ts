import { beforeAll, describe } from 'vitest';
import { describeSmallBehindBig } from '../imports/sharing-suite.ts';
import type { TestServer } from '../servers/server.ts';
import { queuePlace, REDIS } from './places.ts';

/** The whole of it, on Postgres too, is in sharing.long.test.ts. */
describe('on Redis', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await REDIS.start();
    return () => server.stop();
  });

  describeSmallBehindBig(queuePlace(REDIS, () => server));
});
