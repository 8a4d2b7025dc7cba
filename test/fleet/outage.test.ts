import { expect, onTestFinished, test } from 'vitest';
import { Doorkeeper } from '../imports/doorkeeper.ts';
import { csv, openPipeline, participants } from '../imports/pipeline-harness.ts';
import { startRedis } from '../servers/redis.ts';
import { placeIn } from './places.ts';

/** An import while the server of its queue is away. */
async function runningImport() {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const door = new Doorkeeper();
  const pipeline = await openPipeline({ place: placeIn(() => server), concurrency: 2, chat: door.chat });
  // The queue's reports while it is away are no failures of the import.
  onTestFinished(() => {
    pipeline.failures.length = 0;
  });
  const id = await pipeline.send(csv(participants(300)));
  await door.until(2);
  const ends = async () => {
    door.open();
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    const { added, already_member: already } = pipeline.counts(id);
    expect(added + already).toBe(300);
    expect(pipeline.sandbox.members('us', 'g').size).toBe(300);
  };
  return { server, ends };
}

test('an import goes on when the server was killed and started again', async () => {
  const { server, ends } = await runningImport();
  await server.kill();
  await server.start();
  await ends();
});

test('an import goes on when the queue was wiped', async () => {
  const { server, ends } = await runningImport();
  await server.flush();
  await ends();
});

test('an import waits for a server that does not answer', async () => {
  const { server, ends } = await runningImport();
  await server.freeze();
  const ended = ends();
  await server.thaw();
  await ended;
});
