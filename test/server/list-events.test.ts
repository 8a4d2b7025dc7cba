import { EventEmitter, once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ImportRecord } from '../../src/imports/catalog.ts';
import { isFinal } from '../../src/membership/import-state.ts';
import { openEvents } from '../../src/server/events.ts';

/** The list's events over imports that are only names and states: what is asked for, and who is notified. */

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function openList(count: number) {
  const states = new Map(Array.from({ length: count }, (_, at) => [`import-${at}`, 'running']));
  const recordOf = (id: string) => ({ id, state: states.get(id) }) as unknown as ImportRecord;
  const lookUp = (id: string) => (states.has(id) ? recordOf(id) : undefined);
  let asked = 0;
  let isBusy = false;
  let meanwhile: () => unknown = () => {};
  let regionsAnswer: Promise<unknown> = Promise.resolve([]);
  const warnings: unknown[] = [];
  const of = async ({ id, state }: ImportRecord) => {
    asked += 1;
    if (id === 'import-2') await meanwhile();
    if (isBusy && id === 'import-2') throw new Error('too much to read');
    return { id, state };
  };
  const events = new EventEmitter();
  const list = openEvents({
    coordinator: { lookUp, events },
    askRegions: () => regionsAnswer,
    unfinished: () => [...states.keys()].map(recordOf).filter(({ state }) => !isFinal(state)),
    view: of,
    log: { warn: (fault: object) => (isBusy ? warnings.push(fault) : expect.fail(JSON.stringify(fault))) },
  } as unknown as Parameters<typeof openEvents>[0]);
  const join = async (about?: string) => {
    const written: string[] = [];
    const stream = await list.watch(about);
    stream.on('data', (text: Buffer) => written.push(String(text)));
    await once(stream, 'data');
    return written;
  };
  const moved = (id: string) => events.emit('state', recordOf(id));
  const removed = (id: string) => events.emit('removed', id);
  const setBusy = (busy: boolean) => {
    isBusy = busy;
  };
  const setMeanwhile = (act: () => unknown) => {
    meanwhile = act;
  };
  const setRegions = (answer: Promise<unknown>) => {
    regionsAnswer = answer;
  };
  return { list, states, join, moved, removed, setBusy, setMeanwhile, setRegions, warnings, asked: () => asked };
}

test('five hundred who connect at once get all imports, each of which is asked about once', async () => {
  const { list, join, asked } = openList(130);
  const written = await Promise.all(Array.from({ length: 500 }, () => join()));
  expect(asked()).toBe(130);
  for (const [first] of written) expect(first).toContain('"id":"import-129"');
  list.close();
});

test('who connects hears of nothing more until something changes', async () => {
  const { list, join, asked } = openList(3);
  const first = await join();
  await vi.advanceTimersByTimeAsync(500);
  const second = await join();
  // The second gets what the first knows.
  expect(asked()).toBe(3);
  await vi.advanceTimersByTimeAsync(5_000);
  expect([first, second].map((written) => written.length)).toEqual([1, 1]);
  list.close();
  // The next ones get all of them again.
  expect((await join())[0]).toContain('"id":"import-2"');
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

test('an end that cannot be sent at first, because another import cannot be read just then, is sent later', async () => {
  const { list, states, join, moved, setBusy, warnings } = openList(3);
  const written = await join();
  await vi.advanceTimersByTimeAsync(1_000);
  setBusy(true);
  states.set('import-1', 'completed');
  moved('import-1');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(warnings).toHaveLength(1);
  setBusy(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written.at(-1)).toContain('"import-1","state":"completed"');
  list.close();
});

test('of an import that is removed while it is looked at, nothing is sent after the news that it is gone', async () => {
  const { list, states, join, removed, setMeanwhile } = openList(3);
  const written = await join();
  await vi.advanceTimersByTimeAsync(1_000);
  for (const id of ['import-1', 'import-2']) states.set(id, 'paused');
  setMeanwhile(() => {
    if (states.delete('import-1')) removed('import-1');
  });
  await vi.advanceTimersByTimeAsync(1_000);
  const [gone, ...after] = written.slice(1);
  expect(gone).toContain('event: removed');
  expect(after.join()).toContain('import-2');
  expect(after.join()).not.toContain('import-1');
  list.close();
});

test('who follows one import hears of it alone, and costs a look at it alone', async () => {
  const { list, states, join, asked } = openList(3);
  const written = await join('import-1');
  list.tell('import', { id: 'import-2' });
  list.tell('import', { id: 'import-1' });
  states.set('import-0', 'paused');
  states.set('import-1', 'paused');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked()).toBe(1);
  expect(written.map((text) => /"id":"([^"]+)"/.exec(text)?.[1])).toEqual([undefined, 'import-1', 'import-1']);
  list.close();
});

test('events that are closed while someone connects end, and leave no timer', async () => {
  const { list, setRegions } = openList(3);
  const { promise, resolve } = Promise.withResolvers<unknown>();
  setRegions(promise);
  const connecting = list.watch(undefined);
  list.close();
  resolve([]);
  const pieces = await (await connecting).toArray();
  expect(pieces).toEqual([]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('who cannot be given the list is not kept among the watchers', async () => {
  const { list, setBusy } = openList(3);
  setBusy(true);
  await expect(list.watch(undefined)).rejects.toThrow('too much to read');
  await vi.advanceTimersByTimeAsync(1);
  expect(list.watchers()).toBe(0);
  list.close();
});

test('who connects while a look for others who have left is under way gets all imports', async () => {
  const { list, join, setMeanwhile } = openList(3);
  const watching = await list.watch(undefined);
  const look = Promise.withResolvers<void>();
  setMeanwhile(() => look.promise);
  await vi.advanceTimersByTimeAsync(1_000);
  watching.destroy();
  await once(watching, 'close');
  const written = join();
  await vi.advanceTimersByTimeAsync(10);
  look.resolve();
  expect((await written)[0]).toContain('"id":"import-0"');
  list.close();
});
