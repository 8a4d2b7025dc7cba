import { Client } from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openQueue } from '../../src/app/open-queue.ts';
import { REGIONS } from '../../src/membership/membership.ts';
import { readConfig } from '../../src/platform/config.ts';
import { openBackend, openDriver } from '../../src/queue/open-backend.ts';
import { Doorkeeper } from '../imports/doorkeeper.ts';
import { csv, openPipeline, participants } from '../imports/pipeline-harness.ts';
import type { TestServer } from '../servers/server.ts';
import { eventually } from './fleet.ts';
import { POSTGRES } from './places.ts';

let server: TestServer;
beforeAll(async () => {
  server = await POSTGRES.start();
  return () => server.stop();
});

/** Counts the connections to a database, without its own. */
async function countConnections(url: string) {
  const client = new Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return async () => {
    const { rows } = await client.query(
      `select count(*)::int as open from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    return rows[0].open;
  };
}

test('a process that sends to three regions has at most five connections, and each region sees its worker', async () => {
  const url = await POSTGRES.newAddress(server);
  const connections = await countConnections(url);
  const door = new Doorkeeper();
  const place = { name: 'Postgres', open: () => openBackend(url) };
  const pipeline = await openPipeline({ place, concurrency: 4, chat: door.chat });
  const rows = REGIONS.flatMap((region) => participants(200, region).map((row) => ({ ...row, region })));
  const id = await pipeline.send(csv(rows));
  await door.until(12);
  for (const { queue } of pipeline.openRegions.values()) await eventually(() => queue.workers()).toBe(1);
  const whileCallsAreMade = await connections();
  door.open();
  expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
  expect(pipeline.counts(id)).toMatchObject({ added: 600 });
  // Connections stay open for a while when they are not needed any more.
  expect(Math.max(whileCallsAreMade, await connections())).toBeLessThanOrEqual(5);
});

test('processes that start at once on an empty database all begin, and a region counts the workers of each', async () => {
  const url = await POSTGRES.newAddress(server);
  const errors: Error[] = [];
  const backends = await Promise.all(Array.from({ length: 4 }, () => openDriver(url, (error) => errors.push(error))));
  const queues = backends.map((backend) => backend.queue('errands', {}));
  const workers = backends.map((backend) => backend.worker('errands', async () => {}, {}));
  onTestFinished(async () => {
    await Promise.all([...workers, ...queues].map((one) => one.close()));
    await Promise.all(backends.map((one) => one.close()));
  });
  for (const queue of queues) await eventually(() => queue.getWorkersCount()).toBe(4);
  await workers[0]?.close();
  for (const queue of queues) await eventually(() => queue.getWorkersCount()).toBe(3);
  expect(errors).toEqual([]);
});

test('a login that Postgres refuses is an error at once', async () => {
  const url = new URL(await POSTGRES.newAddress(server));
  url.pathname = '/nowhere';
  const config = readConfig({ queue: url.href });
  await expect(openQueue({ config, warn: () => {} }, () => {})).rejects.toMatchObject({
    code: 'QUEUE_REFUSED',
    message: expect.stringContaining('database "nowhere" does not exist'),
  });
});
