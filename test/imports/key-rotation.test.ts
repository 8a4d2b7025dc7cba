import { describe, expect, onTestFinished, test } from 'vitest';
import { fingerprintOf } from '../../src/chat/chat-client.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import { watchKeys, watchWorkersKeys } from '../../src/imports/life/key-watch.ts';
import { csv, EMBEDDED, eventually, openPipeline, participants, QUEUE_PLACES, reached } from './pipeline-harness.ts';

const OLD_KEY = 'f00dfacef00dfacef00dfacef00dfacef00dface';

/** A pipeline whose key for region us was revoked; `rotate` puts the valid one into the settings. */
async function openRevoked(place: (typeof QUEUE_PLACES)[number]) {
  let current = OLD_KEY;
  const pipeline = await openPipeline({
    place,
    apiKeys: { us: OLD_KEY },
    currentKey: (region) => (region === 'us' ? current : undefined),
  });
  return {
    ...pipeline,
    coordinator: pipeline.coordinator,
    rotate: () => {
      current = pipeline.sandbox.apps.us.apiKey;
    },
  };
}

/** The settings are read often, the service is never asked. */
const EVERY = { lookMs: 5, askMs: 3_600_000 };

const mixed = csv([...participants(60), ...participants(30).map((row) => ({ ...row, region: 'eu' as const }))]);

describe.each(QUEUE_PLACES)('a key that is rotated, on the $name queue', (place) => {
  test('before anything is sent with it stops nothing', async () => {
    const { run, rotate, counts } = await openRevoked(place);
    rotate();
    const { id, state } = await run(csv(participants(60)));
    expect(state).toBe('completed');
    expect(counts(id)).toMatchObject({ read: 60, added: 60 });
  });

  test('after the region was stopped is taken up by resume, and the import says which one was refused', async () => {
    const { run, coordinator, rotate, counts } = await openRevoked(place);
    const { id, state, reason } = await run(csv(participants(60)));
    expect(state).toBe('blocked');
    expect(reason).toContain(`(key ${fingerprintOf(OLD_KEY)})`);
    expect((await coordinator.regions.status()).map(({ key }) => key)).toEqual([fingerprintOf(OLD_KEY)]);
    rotate();
    await coordinator.resume(id);
    expect(await coordinator.settled(id)).toMatchObject({ state: 'completed' });
    expect(counts(id)).toMatchObject({ read: 60, added: 60 });
    const { us } = Object.fromEntries((await coordinator.regions.status()).map(({ region, key }) => [region, key]));
    expect(us).not.toBe(fingerprintOf(OLD_KEY));
  });

  test('is taken up by itself where the process stays', async () => {
    const { run, coordinator, rotate, counts } = await openRevoked(place);
    const said: string[] = [];
    const failed: Error[] = [];
    const watch = watchKeys(
      coordinator,
      (text) => said.push(text),
      (error) => failed.push(error),
      EVERY,
    );
    onTestFinished(() => watch.stop());
    const blocked = await run(mixed);
    expect(blocked.state).toBe('blocked');
    rotate();
    await reached(coordinator, blocked.id, 'completed');
    expect(counts(blocked.id)).toMatchObject({ read: 90, added: 90 });
    expect(said.join()).toMatch(/continue/);
    expect(failed).toEqual([]);
  });

  test('opens the region again where workers are elsewhere', async () => {
    const { run, coordinator, rotate, openRegions } = await openRevoked(place);
    const { id } = await run(csv(participants(30)));
    const opened = openRegions.get('us');
    if (opened === undefined) throw new Error('region us is not open');
    // The worker's process: it knows the queue and the key, and nothing of imports.
    const worker = {
      renewKey: () => opened.worker?.renewKey() ?? false,
      keyFingerprint: () => 'new',
      takesCalls: async () => false,
    };
    const heard: string[] = [];
    const here = watchWorkersKeys(
      [{ region: 'us', queue: opened.queue, worker }],
      (text) => heard.push(text),
      () => {},
      EVERY,
    );
    onTestFinished(() => here.stop());
    await expect.poll(() => heard).toEqual([expect.stringMatching(/^Region us /)]);
    rotate();
    await expect.poll(() => opened.queue.isPaused()).toBe(false);
    await coordinator.resume(id);
    expect(await coordinator.settled(id)).toMatchObject({ state: 'completed' });
  });
});

test('a key that the service takes again continues its imports without a person, and the service is asked now and then', async () => {
  let isRefused = true;
  let questions = 0;
  const refusal = () =>
    Promise.reject(
      new RollcallError('REFUSED', {
        httpStatus: 401,
        serviceCode: 'AUTH_ERR_APIKEY_NOT_FOUND',
        serviceMessage: '',
        rate: {},
      }),
    );
  const { run, coordinator, counts, failures } = await openPipeline({
    place: EMBEDDED,
    chat: (service) => ({
      ...service,
      addMembers: (...call) => (isRefused ? refusal() : service.addMembers(...call)),
      getGroup: (...call) => {
        questions += 1;
        return isRefused ? refusal() : service.getGroup(...call);
      },
    }),
  });
  const said: string[] = [];
  const watch = watchKeys(
    coordinator,
    (text) => said.push(text),
    (error) => failures.push(error),
    { lookMs: 5, askMs: 20 },
  );
  onTestFinished(() => watch.stop());
  const { id, state } = await run(csv(participants(60)));
  expect(state).toBe('blocked');
  await eventually(() => questions).toBeGreaterThan(2);
  expect(said).toEqual([]);
  isRefused = false;
  await reached(coordinator, id, 'completed');
  expect(counts(id)).toMatchObject({ added: 60 });
  expect(said).toEqual([expect.stringContaining('region us')]);
});
