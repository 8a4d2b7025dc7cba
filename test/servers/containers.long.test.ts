import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBackend } from '../../src/queue/open-backend.ts';
import { newAddress, placeIn } from '../fleet/places.ts';
import { csv, openPipeline, participants } from '../imports/pipeline-harness.ts';
import { describeBullWorker } from '../queue/bull-worker-suite.ts';
import { describeCircuit } from '../queue/circuit-suite.ts';
import { describeJobQueue } from '../queue/job-queue-suite.ts';
import { describeJobWorker } from '../queue/job-worker-suite.ts';
import { dockerAnswers } from './program.ts';
import { startRedis } from './redis.ts';
import type { TestServer } from './server.ts';

/**
 * Redis in a container, started by testcontainers: from Docker, or from Podman, whose socket TEST_CONTAINERS_ENGINE names
 * (.ci/engine). It runs on the machine's network, where ports need no forwarding.
 */
const engine = process.env['TEST_CONTAINERS_ENGINE'];
if (engine) {
  Object.assign(process.env, {
    DOCKER_HOST: engine,
    TESTCONTAINERS_RYUK_DISABLED: 'true',
    TESTCONTAINERS_HOST_OVERRIDE: '127.0.0.1',
    TEST_CONTAINERS_NETWORK: 'host',
  });
}
const answers = await dockerAnswers();
const why = 'no container engine answers: start Docker, or Podman with .ci/engine';

test('a container engine answers', ({ skip }) => {
  skip(!answers && process.env['CI'] !== 'true', why);
  expect(answers, why).toBe(true);
});

describe.runIf(answers)('on Redis in a container', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());
  const open = () => openBackend(newAddress(server));

  describe('jobs in a queue', () => describeJobQueue('Redis', open));
  describe('running jobs', () => describeJobWorker('Redis', open));
  describe('running jobs of others', () => describeBullWorker(() => newAddress(server)));
  describe('the circuit', () => describeCircuit('Redis', open));

  test('an import ends, every row of it in its group, also when the container was killed and started again', async () => {
    const pipeline = await openPipeline({ place: placeIn(() => server) });
    const id = await pipeline.send(csv(participants(2_000)));
    await expect.poll(() => pipeline.counts(id).added).toBeGreaterThan(0);
    await server.kill();
    await server.start();
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    const { added, already_member: already } = pipeline.counts(id);
    expect(added + already).toBe(2_000);
    expect(pipeline.sandbox.members('us', 'g').size).toBe(2_000);
    pipeline.failures.length = 0;
  });
});
