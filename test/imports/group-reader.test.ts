import { describe, expect, test } from 'vitest';
import {
  EMBEDDED,
  eventually,
  openPipeline,
  type PipelineOptions,
  participants,
  type StartOptions,
} from './pipeline-harness.ts';

const MEMBERS = { team: { owner: 'boss', participants: ['anna'], usersToBan: ['mallory'] } };

function open(more: Partial<PipelineOptions & StartOptions> = {}) {
  return openPipeline({
    place: EMBEDDED,
    ...more,
    sandbox: { groups: 0, seed: { regions: { us: { members: MEMBERS } } }, ...more.sandbox },
  });
}

test('groups are read through the queue of their region, beside imports', async () => {
  const at = await open({ sandbox: { groups: 'any' } });
  const id = await at.send(
    `guid,uid\n${participants(100, 'other')
      .map(({ guid, uid }) => `${guid},${uid}`)
      .join('\n')}\n`,
  );
  const pages = at.coordinator.pages('us');
  const { entries } = await pages.listPage('members', 'team', 1, {});
  expect(entries.map(({ uid, scope }) => `${uid} ${scope}`).toSorted()).toEqual([
    'anna participant',
    'boss admin',
    'mallory participant',
  ]);
  expect((await pages.listPage('banned', 'team', 1, {})).entries).toEqual([{ uid: 'mallory' }]);
  expect(await pages.getGroup('team', {})).toMatchObject({ owner: 'boss' });
  expect((await at.coordinator.settled(id)).state).toBe('completed');
});

test('what the service refuses is thrown with its code', async () => {
  const at = await open();
  await expect(at.coordinator.pages('us').getGroup('none', {})).rejects.toMatchObject({
    code: 'ERR_GUID_NOT_FOUND',
    facts: { ofRegion: false },
  });
});

describe('questions that no one waits for any more', () => {
  test('are taken out of the queue, and reading goes on', async () => {
    let calls = 0;
    const first = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const at = await open({
      concurrency: 1,
      chat: (service) => ({
        ...service,
        getGroup: async (...question) => {
          calls += 1;
          first.resolve();
          await answer.promise;
          return service.getGroup(...question);
        },
      }),
    });
    const pages = at.coordinator.pages('us');
    const gone = new AbortController();
    const asked = Array.from({ length: 20 }, () =>
      pages.getGroup('team', { signal: gone.signal }).catch((error: unknown) => error),
    );
    await first.promise;
    gone.abort(new Error('not needed'));
    expect(await Promise.all(asked)).toEqual(Array(20).fill(expect.objectContaining({ message: 'not needed' })));
    answer.resolve();
    await pages.getGroup('team', {});
    // The one under way, and the last one.
    expect(calls).toBe(2);
  });

  test('are given up when the process stops', async () => {
    const at = await open();
    at.sandbox.faults.set('timeout');
    const asked = at.coordinator.pages('us').getGroup('team', {});
    const refused = expect(asked).rejects.toThrow('process stops');
    await eventually(() => at.sandbox.calls.us.requests).toBe(1);
    await at.stop();
    await refused;
  });
});

test('a region that stops for an import answers at once, and is tried again by the next question', async () => {
  const at = await open({ concurrency: 1, sandbox: { groups: 'any' } });
  const pages = at.coordinator.pages('us');
  await pages.getGroup('team', {});
  at.sandbox.faults.set('slow=300ms,refuse-key');
  const id = await at.send('guid,uid\nteam,bob\n');
  await eventually(() => at.sandbox.calls.us.requests).toBe(2);
  const asked = pages.getGroup('team', {});
  await expect(asked).rejects.toMatchObject({ facts: { ofRegion: true } });
  expect((await at.coordinator.settled(id)).state).toBe('blocked');
  at.sandbox.faults.clear();
  expect(await pages.getGroup('team', {})).toMatchObject({ owner: 'boss' });
});
