import { describe, expect, onTestFinished, test } from 'vitest';
import { fingerprintOf } from '../../src/chat/chat-client.ts';
import { watchKeys, watchWorkersKeys } from '../../src/imports/life/key-watch.ts';
import { csv, openPipeline, participants, QUEUE_PLACES, reached } from './pipeline-harness.ts';

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
    expect((await coordinator.regions()).map(({ key }) => key)).toEqual([fingerprintOf(OLD_KEY)]);
    rotate();
    await coordinator.resume(id);
    expect(await coordinator.settled(id)).toMatchObject({ state: 'completed' });
    expect(counts(id)).toMatchObject({ read: 60, added: 60 });
    const { us } = Object.fromEntries((await coordinator.regions()).map(({ region, key }) => [region, key]));
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
      5,
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
    const worker = { renewKey: () => opened.renewKey(), keyFingerprint: () => 'new' };
    const heard: string[] = [];
    const here = watchWorkersKeys(
      [{ region: 'us', queue: opened.queue, worker }],
      (text) => heard.push(text),
      () => {},
      5,
    );
    onTestFinished(() => here.stop());
    await expect
      .poll(() => heard)
      .toEqual([expect.stringMatching(/^Region us is stopped: the service refused its key or plan/)]);
    rotate();
    await expect.poll(() => opened.queue.isPaused()).toBe(false);
    await coordinator.resume(id);
    expect(await coordinator.settled(id)).toMatchObject({ state: 'completed' });
  });
});
