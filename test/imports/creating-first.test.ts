import { expect, test } from 'vitest';
import { type CreateOptions, createOptions } from '../../src/options/create-options.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { csv, EMBEDDED, openPipeline, type Pipeline, reached } from './pipeline-harness.ts';

const creating = (options: Partial<CreateOptions>): { create: CreateOptions } => ({
  create: createOptions.parse({ groupNameFrom: 'guid', userNameFrom: 'uid', ...options }),
});
const nobody: SandboxOptions = { users: 0, groups: 0, seed: { users: ['ann', 'bob'] } };
const three = csv(
  ['one', 'two', 'three'].flatMap((guid) => [
    { guid, uid: 'ann' },
    { guid, uid: 'bob' },
  ]),
);
const here = ({ sandbox }: Pipeline) =>
  ['one', 'two', 'three'].filter((guid) => sandbox.group('us', guid) !== undefined);

test('only groups of the rows that are sent first are created; the others follow when it goes on', async () => {
  const created: string[] = [];
  const pipeline = await openPipeline({
    place: EMBEDDED,
    sandbox: nobody,
    chat: (service) => ({
      ...service,
      createGroup: async (group, ...more) => {
        created.push(group.guid);
        return service.createGroup(group, ...more);
      },
    }),
  });
  const { id, state, code } = await pipeline.run(three, { ...creating({ groups: true }), first: 1 });
  expect([state, code]).toEqual(['paused', 'FIRST_ROWS']);
  expect(here(pipeline)).toEqual(['one']);
  expect(Object.fromEntries(pipeline.sandbox.members('us', 'one'))).toMatchObject({ ann: 'participant' });
  expect(pipeline.sandbox.members('us', 'one').has('bob')).toBe(false);

  await pipeline.coordinator.resume(id);
  expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
  expect(here(pipeline)).toEqual(['one', 'two', 'three']);
  expect(created.sort()).toEqual(['one', 'three', 'two']);
  expect(pipeline.rows(id).map(({ status }) => status)).toEqual(new Array(6).fill('added'));
  expect(pipeline.summary(id).created).toEqual({ users: 0, groups: 3, reactivated: 0 });
});

test('the limit counts what was created before, and holds the others', async () => {
  const pipeline = await openPipeline({ place: EMBEDDED, sandbox: nobody });
  const max = { groups: { count: 2 } };
  const { id, state } = await pipeline.run(three, { ...creating({ groups: true, max }), first: 1 });
  expect(state).toBe('paused');
  await pipeline.coordinator.resume(id);
  const held = await pipeline.coordinator.settled(id);
  expect([held.state, held.code]).toEqual(['blocked', 'CREATE_LIMIT']);
  expect(here(pipeline)).toEqual(['one']);
  await pipeline.coordinator.resume(id, { maxCreate: { groups: { count: 3 } } });
  expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
  expect(pipeline.counts(id)).toMatchObject({ read: 6, added: 6 });
});

test('one that is paused in the middle of creating goes on with its first rows, not with the others', async () => {
  let isFirst = true;
  const pipeline = await openPipeline({
    place: EMBEDDED,
    sandbox: nobody,
    chat: (service) => ({
      ...service,
      getGroup: async (...question) => {
        if (isFirst) void pipeline.coordinator.pause(id);
        isFirst = false;
        return service.getGroup(...question);
      },
    }),
  });
  const id: string = await pipeline.send(three, { ...creating({ groups: true }), first: 1 });
  await reached(pipeline.coordinator, id, 'paused');
  await pipeline.coordinator.resume(id);
  expect((await pipeline.coordinator.settled(id)).code).toBe('FIRST_ROWS');
  expect(here(pipeline)).toEqual(['one']);
});
