import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import type { RunningImport } from '../../src/api/overview.ts';
import { eventually } from '../eventually.ts';
import { reached } from '../imports/pipeline-harness.ts';
import { readEvents } from './event-source.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** Additions that are carried out; the others wait at the gate. */
let free = Number.POSITIVE_INFINITY;
/** Pages of lists that are given; the others wait there, too. */
let freePages = Number.POSITIVE_INFINITY;
let gate = Promise.withResolvers<void>();
const holdAfter = (additions: number, pages = Number.POSITIVE_INFINITY) => {
  free = additions;
  freePages = pages;
  gate = Promise.withResolvers();
};
const release = () => {
  free = Number.POSITIVE_INFINITY;
  freePages = Number.POSITIVE_INFINITY;
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
      listPage: async (...call) => {
        freePages -= 1;
        if (freePages < 0) await gate.promise;
        return chat.listPage(...call);
      },
    }),
  });
});
afterAll(() => server.close());

/** One call for each row. */
const spread = (prefix: string, rows: number) =>
  `guid,uid\n${Array.from({ length: rows }, (_, at) => `${prefix}${at},u`).join('\n')}\n`;
const listEvents = () => readEvents(`${server.url}/v1/events`);
/** Events about this import, as what they say of it. */
const isAbout = (id: string, is: (view: ImportView & Partial<RunningImport>) => boolean) => (event: Heard) =>
  event.name === 'imports' && event.data.imports.some((one: RunningImport) => one.id === id && is(one));
type Heard = Awaited<ReturnType<Awaited<ReturnType<typeof readEvents>>['next']>>;

test('a watcher hears how far an import is, and of its end', async () => {
  const events = await listEvents();
  holdAfter(100);
  const { id } = await server.upload(spread('all', 300));
  await events.next(isAbout(id, ({ rows }) => rows.added > 0 && rows.added < 300));
  release();
  await events.next(isAbout(id, ({ state, rows }) => state === 'completed' && rows.added === 300));
  events.close();
});

test('who comes while an import runs gets it at once', async () => {
  holdAfter(0);
  const { id } = await server.upload(spread('same', 100));
  await reached(server.coordinator, id, 'running');
  const watchers = await Promise.all(Array.from({ length: 20 }, listEvents));
  await Promise.all(watchers.map((watcher) => watcher.next(isAbout(id, ({ state }) => state === 'running'))));
  release();
  await Promise.all(watchers.map((watcher) => watcher.next(isAbout(id, ({ state }) => state === 'completed'))));
  for (const one of watchers) one.close();
});

test('who follows an import hears that its region is stopped, and that it is not any more, though nobody looks at the start page', async () => {
  const { regions } = server.coordinator;
  const { status } = regions;
  let stopped = true;
  const spy = vi
    .spyOn(regions, 'status')
    .mockImplementation(async () => (await status.call(regions)).map((region) => ({ ...region, stopped })));
  holdAfter(0);
  // Nothing is sent when they come.
  const events = await listEvents();
  const { id } = await server.upload(spread('stopped', 10));
  await events.next(isAbout(id, ({ stoppedRegions }) => stoppedRegions?.join() === 'us'));
  stopped = false;
  await events.next(isAbout(id, ({ stoppedRegions }) => stoppedRegions?.length === 0));
  release();
  await server.settled(id);
  events.close();
  spy.mockRestore();
});

test('the list tells of imports that are removed', async () => {
  const events = await listEvents();
  const { id } = await server.run(spread('list', 3));
  await server.fetch(`/v1/imports/${id}`, { method: 'DELETE' });
  expect((await events.next(({ name }) => name === 'removed')).data).toEqual({ id });
  events.close();
});

test('a watcher that leaves is forgotten', async () => {
  const watchers = async () =>
    /^rollcall_event_streams (\d+)$/m.exec(await (await server.fetch('/metrics')).text())?.[1];
  const events = await Promise.all([listEvents(), listEvents()]);
  await eventually(watchers).toBe('2');
  for (const one of events) one.close();
  await eventually(watchers).toBe('0');
});

const begun = (path: string, type: string, body: string) =>
  server.json<{ readonly id: string }>(path, { method: 'POST', headers: { 'content-type': type }, body });
const TWO = 'guid,uid\none,u\ntwo,u\n';

test.each([
  [
    'check',
    'check',
    async () => {
      const { id } = await server.run(TWO, 'dryRun=true');
      await server.json(`/v1/imports/${id}/check`, { method: 'POST' });
      return { id };
    },
  ],
  ['planning', 'sync', () => begun('/v1/syncs?mode=mirror&name=two.csv', 'text/csv', TWO)],
  ['export', 'export', () => begun('/v1/exports', 'application/json', '{"regions":["us"],"groups":["one","two"]}')],
])('a watcher hears of the progress of a %s before its end, and of its end', async (name, atEnd, begin) => {
  const events = await listEvents();
  // Enough for one of two groups.
  holdAfter(0, 3);
  const { id } = await begin();
  await events.next((event) => event.name === name && event.data.id === id);
  release();
  await events.next((event) => event.name === atEnd && event.data.id === id);
  events.close();
});
