import { beforeAll, describe } from 'vitest';
import { describeSharing } from '../imports/sharing-suite.ts';
import type { TestServer } from '../servers/server.ts';
import { POSTGRES, queuePlace, REDIS, type ServerPlace } from './places.ts';

describe.each<ServerPlace>([REDIS, POSTGRES])('on $name', (place) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await place.start();
    return () => server.stop();
  });

  describeSharing(queuePlace(place, () => server));
});
