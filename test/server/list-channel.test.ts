import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ImportRecord } from '../../src/imports/catalog.ts';
import type { Watcher } from '../../src/server/events/channel.ts';
import { listChannel } from '../../src/server/events/list-channel.ts';

/** The list's events over imports that are only names and states: what is asked for, and who is notified. */

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function openList(count: number) {
  const states = new Map(Array.from({ length: count }, (_, at) => [`import-${at}`, 'running']));
  const recordOf = (id: string) => ({ id, state: states.get(id) }) as unknown as ImportRecord;
  let asked = 0;
  const sources = {
    coordinator: { find: recordOf },
    reading: { page: () => ({ imports: [...states.keys()].map(recordOf) }) },
    views: {
      of: async ({ id, state }: ImportRecord) => {
        asked += 1;
        return { id, state };
      },
    },
    log: { warn: (fault: object) => expect.fail(JSON.stringify(fault)) },
  };
  const list = listChannel(sources as unknown as Parameters<typeof listChannel>[0]);
  const join = async () => {
    const written: string[] = [];
    const response = { writableLength: 0, write: (text: string) => written.push(text), end: () => {} };
    const watcher = { response, isStillAllowed: () => true } as unknown as Watcher;
    list.watchers.add(watcher);
    await list.welcome(watcher);
    return written;
  };
  return { list, states, join, asked: () => asked };
}

test('five hundred who connect at once get all imports, each of which is asked about once', async () => {
  const { list, join, asked } = openList(130);
  const written = await Promise.all(Array.from({ length: 500 }, join));
  expect(asked()).toBe(130);
  for (const [first] of written) expect(first).toContain('"id":"import-129"');
  list.close();
});

test('who connects after a change gets the current state', async () => {
  const { list, states, join } = openList(3);
  const first = await join();
  await vi.advanceTimersByTimeAsync(1_000);
  states.set('import-1', 'paused');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(first.at(-1)).toContain('"import-1","state":"paused"');
  expect((await join()).at(-1)).toContain('"import-1","state":"paused"');
  list.close();
});
