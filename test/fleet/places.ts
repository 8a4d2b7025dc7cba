import { openBackend } from '../../src/queue/open-backend.ts';
import { QUEUE_PLACES, type QueuePlace } from '../imports/pipeline-harness.ts';
import { createDatabase, startPostgres } from '../servers/postgres.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';

/** A place for queues that a server keeps: a new address, empty, for each test. */
export interface ServerPlace {
  readonly name: string;
  start(): Promise<TestServer>;
  /** An address on this server where no one else is. */
  newAddress(server: TestServer): Promise<string>;
}

let addresses = 0;

export const REDIS: ServerPlace = {
  name: 'Redis',
  start: () => startRedis(),
  newAddress: async ({ url }) => `${url}?namespace=test_${++addresses}`,
};

export const POSTGRES: ServerPlace = {
  name: 'Postgres',
  start: () => startPostgres(),
  newAddress: (server) => createDatabase(server, `test_${++addresses}`),
};

/** Returns the place of the queue for the pipeline's harness: each data directory keeps its address. */
export function queuePlace({ name, newAddress }: ServerPlace, server: () => TestServer): QueuePlace {
  const urls = new Map<string, Promise<string>>();
  return {
    name,
    open: async ({ root }) => {
      const url = urls.get(root) ?? newAddress(server());
      urls.set(root, url);
      return openBackend(await url);
    },
  };
}

export const EMBEDDED: QueuePlace = QUEUE_PLACES.find(({ name }) => name === 'embedded') ?? missing();

function missing(): never {
  throw new Error('the pipeline is not tested on the embedded queue');
}
