import { Redis } from 'ioredis';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { checkQueue, openBackend } from '../../src/queue/open-backend.ts';
import { eventually } from '../eventually.ts';
import { Journal } from '../queue/journal.ts';
import { errand, notes, openOffice } from '../queue/queue-harness.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { newAddress } from './places.ts';

/** Jobs in Redis that are lost or damaged: they are set aside, and stop nothing. */

let server: TestServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
  return async () => {
    redis.disconnect();
    await server.stop();
  };
});

/** Every field of a job in Redis, those that rollcall's jobs do not have included. A job of another name is one of a newer worker. */
const FIELDS =
  'data opts progress timestamp delay priority ats atm attemptsMade stc processedOn finishedOn returnvalue stacktrace failedReason parent parentKey rjk deid defa pb other'.split(
    ' ',
  );
const VALUES = ['not json', 'null', '5', '-1', '', '{}', '[]', '99999999999999999999', '\u0000\ud83d'];

/** A way to damage a job, by its key. */
type Damage = readonly [what: string, act: (key: string) => Promise<unknown>];

const DAMAGES: readonly Damage[] = [
  ...FIELDS.flatMap((field) => [
    ...VALUES.map((value): Damage => [`${field} = ${JSON.stringify(value)}`, (key) => redis.hset(key, field, value)]),
    [`${field} removed`, (key) => redis.hdel(key, field)] as Damage,
  ]),
  ['the name removed', (key) => redis.hdel(key, 'name')],
  ['all of it removed', (key) => redis.del(key)],
  ['a text in its place', (key) => redis.set(key, 'text')],
  ['a list in its place', (key) => redis.pipeline().del(key).lpush(key, 'a').exec()],
];

test.each([{ priority: 0 }, { priority: 3 }])(
  'a job that is damaged in any way stops nothing: $priority',
  async ({ priority }) => {
    const url = newAddress(server);
    const backend = await openBackend(url);
    onTestFinished(() => backend.close());
    const { queue, work, givenUp } = openOffice(backend);
    const errands = queue();
    await errands.pause();
    const ids = DAMAGES.map((_, at) => `bad-${at}`);
    await errands.add(notes(...ids, 'good').map((job) => ({ ...job, priority })));
    const [first = ''] = await redis.keys(`{${new URL(url).searchParams.get('namespace')}-*:bad-0`);
    const keyOf = (id: string) => first.replace(/bad-0$/, id);
    await Promise.all(DAMAGES.map(([, act], at) => act(keyOf(`bad-${at}`))));
    // What asks about the queue meanwhile meets them too.
    await errands.firstPriority();
    await errands.inspect();
    await errands.resume();
    const ran = new Journal<string>();
    work(
      errands,
      errand(async ({ id }) => ran.note(id)),
      5,
    );
    await eventually(() => errands.depth()).toMatchObject({ waiting: 0, delayed: 0, active: 0 });
    expect(ran.entries).toContain('good');
    // Each has run, was set aside or is lost, and nothing else is left of it.
    const aside = Object.keys(await redis.hgetall(keyOf('set-aside')));
    const lost = givenUp.filter((line) => line.includes('is lost')).map((line) => line.split(' ')[1] ?? '');
    expect([...new Set([...ran.entries, ...aside, ...lost])].toSorted()).toEqual([...ids, 'good'].toSorted());
    expect((await redis.keys(keyOf('*bad*'))).filter((key) => !key.endsWith('good'))).toEqual([]);
    expect(await errands.depth()).toMatchObject({ setAside: aside.length });
    expect(aside.length).toBeGreaterThan(50);
    expect(await errands.withdraw(() => true)).toEqual([]);
    const [risk] = (await checkQueue(url)).filter(({ text }) => text.includes('set aside'));
    expect(risk?.text).toMatch(
      new RegExp(`^${aside.length} jobs in the queue could not be read, such as "bad-\\d+" \\(.+\\)`),
    );
  },
);

test('a running job whose damage another worker met has run, and its end is no error', async () => {
  const url = newAddress(server);
  const backend = await openBackend(url);
  onTestFinished(() => backend.close());
  const office = openOffice(backend);
  const errands = office.queue();
  const ran = new Journal<string>();
  const door = office.door();
  office.work(
    errands,
    errand(async ({ id }) => {
      ran.note(id);
      await (id === 'running' ? door : both).opened;
    }),
  );
  await errands.add(notes('running'));
  await ran.until(1);
  await errands.pause();
  await errands.add(notes('bad'));
  const [first = ''] = await redis.keys(`{${new URL(url).searchParams.get('namespace')}-*:bad`);
  await redis.hset(first.replace(/bad$/, 'running'), 'stacktrace', 'not json', 'timestamp', 'not a number');
  await redis.hset(first, 'timestamp', 'not a number');
  const both = office.door();
  office.work(
    errands,
    errand(async ({ id }) => {
      ran.note(id);
      await both.opened;
    }),
  );
  await errands.resume();
  await eventually(() => errands.depth()).toMatchObject({ setAside: 2 });
  door.open();
  // Each worker runs one at a time: the first one has ended its job when both of these run.
  await errands.add(notes('one', 'two'));
  await ran.until(3);
  expect(ran.entries.toSorted()).toEqual(['one', 'running', 'two']);
});
