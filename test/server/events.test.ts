import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { reached } from '../imports/pipeline-harness.ts';
import { readEvents } from './event-source.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** Additions that are carried out; the others wait at the gate. */
let free = Number.POSITIVE_INFINITY;
let gate = Promise.withResolvers<void>();
const holdAfter = (additions: number) => {
  free = additions;
  gate = Promise.withResolvers();
};
const release = () => {
  free = Number.POSITIVE_INFINITY;
  gate.resolve();
};

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    chat: (chat) => ({
      ...chat,
      addMembers: async (...call) => {
        free -= 1;
        if (free < 0) await gate.promise;
        return chat.addMembers(...call);
      },
    }),
  });
});
afterAll(() => server.close());

/** One call for each row. */
const spread = (prefix: string, rows: number) =>
  `guid,uid\n${Array.from({ length: rows }, (_, at) => `${prefix}${at},u`).join('\n')}\n`;
const act = (id: string, verb: string) => server.json(`/v1/imports/${id}/${verb}`, { method: 'POST' });
const eventsOf = (id: string, headers?: Record<string, string>) =>
  readEvents(`${server.url}/v1/imports/${id}/events`, headers);

test('a watcher gets the state, every change of it, the progress, and the end', async () => {
  holdAfter(100);
  const { id } = await server.upload(spread('all', 300));
  const events = await eventsOf(id);
  const all: Awaited<ReturnType<typeof events.rest>> = [];
  const isSeen = ({ rows, regions }: { rows: { added: number }; regions: { us?: { workers: number } } }) =>
    rows.added > 0 && rows.added < 300 && regions.us?.workers === 1;
  await events.next((event) => all.push(event) > 0 && event.name === 'progress' && isSeen(event.data));
  release();
  all.push(...(await events.rest()));
  const moves = all.filter(({ name }) => name === 'state');
  expect(moves.map(({ data }) => data.state)).toEqual(expect.arrayContaining(['running', 'completed']));
  expect(moves.at(-1)?.data).toMatchObject({ id, state: 'completed', rows: { read: 300, added: 300 } });
  const progress = all.filter(({ name }) => name === 'progress').map(({ data }) => data);
  const added = progress.map(({ rows }) => rows.added);
  expect(added).toEqual(added.toSorted((a, b) => a - b));
  expect(added.some((count) => count > 0 && count < 300)).toBe(true);
  expect(progress.find(isSeen).regions.us).toMatchObject({ workers: 1, stopped: false, calls: expect.any(Number) });
  expect(progress.at(-1)).toMatchObject({ rows: { added: 300 } });
  expect(all.at(-1)?.name).toBe('end');
});

test('an import that is over sends its end at once', async () => {
  const { id } = await server.run(spread('over', 3));
  const all = await (await eventsOf(id)).rest();
  expect(all.map(({ name }) => name)).toEqual(['state', 'progress', 'end']);
  expect(all[0]?.data.state).toBe('completed');
});

test('who reconnects gets what was missed', async () => {
  holdAfter(0);
  const { id } = await server.upload(spread('back', 150));
  const first = await eventsOf(id);
  await reached(server.coordinator, id, 'running');
  const seen = await first.next(({ name, data }) => name === 'state' && data.state === 'running');
  first.close();
  await act(id, 'pause');
  release();
  await server.settled(id);
  holdAfter(0);
  await act(id, 'resume');
  const second = await eventsOf(id, { 'last-event-id': seen.id ?? '' });
  await act(id, 'cancel');
  release();
  const states = (await second.rest()).filter(({ name }) => name === 'state').map(({ data }) => data.state);
  expect(states.slice(0, 3)).toEqual(['pausing', 'paused', 'running']);
  expect(states.at(-1)).toBe('cancelled');
});

test('all who watch an import get the same', async () => {
  holdAfter(0);
  const { id } = await server.upload(spread('same', 100));
  await reached(server.coordinator, id, 'running');
  const watchers = await Promise.all(Array.from({ length: 20 }, () => eventsOf(id)));
  // Each is welcomed with the progress of its moment.
  await Promise.all(watchers.map((watcher) => watcher.next(({ name }) => name === 'progress')));
  release();
  const lastEvents = await Promise.all(watchers.map(async (watcher) => (await watcher.rest()).slice(-3)));
  expect(lastEvents[0]?.at(-1)?.name).toBe('end');
  for (const one of lastEvents) expect(one).toEqual(lastEvents[0]);
});

test('the list tells of imports that change, and of those that are removed', async () => {
  const events = await readEvents(`${server.url}/v1/events`);
  await events.next(({ name }) => name === 'imports');
  const { id } = await server.upload(spread('list', 3));
  const inState = (state: string) =>
    events.next(
      ({ name, data }) =>
        name === 'imports' &&
        data.imports.some((one: { id: string; state: string }) => one.id === id && one.state === state),
    );
  await inState('completed');
  await server.fetch(`/v1/imports/${id}`, { method: 'DELETE' });
  expect((await events.next(({ name }) => name === 'removed')).data).toEqual({ id });
  events.close();
});

test('an event id that is not ours is refused', async () => {
  const { id } = await server.run(spread('id', 1));
  const problem = await server.problem(`/v1/imports/${id}/events`, { headers: { 'last-event-id': 'x' } });
  expect(problem).toMatchObject({ code: 'BAD_OPTION', field: 'Last-Event-ID' });
});

test('a watcher that leaves is forgotten', async () => {
  const { id } = await server.run(spread('leave', 3), 'dryRun=true');
  const watchers = async () =>
    /^rollcall_event_streams (\d+)$/m.exec(await (await server.fetch('/metrics')).text())?.[1];
  const events = await Promise.all([eventsOf(id), eventsOf(id), readEvents(`${server.url}/v1/events`)]);
  await events[0]?.next(({ name }) => name === 'progress');
  await eventually(watchers).toBe('3');
  for (const one of events) one.close();
  await eventually(watchers).toBe('0');
});
