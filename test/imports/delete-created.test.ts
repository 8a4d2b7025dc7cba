import { expect, onTestFinished, test } from 'vitest';
import type { JoinedGroup } from '../../src/chat/replies.ts';
import { type Deleting, type Deletion, deleteCreated, planDeletions } from '../../src/features/undo/delete-created.ts';
import { Deletions } from '../../src/features/undo/deletions.ts';
import { usersOfOthers } from '../../src/features/undo/used-by-others.ts';
import { openCreated } from '../../src/imports/record/created.ts';
import { createOptions } from '../../src/options/create-options.ts';
import {
  csv,
  EMBEDDED,
  openPipeline,
  type Pipeline,
  type PipelineOptions,
  type StartOptions,
} from './pipeline-harness.ts';

const create = createOptions.parse({
  users: true,
  groups: true,
  reactivate: true,
  userNameFrom: 'uid',
  groupNameFrom: 'guid',
});
const there: PipelineOptions = {
  place: EMBEDDED,
  sandbox: {
    users: 0,
    groups: 0,
    seed: { users: ['old', { uid: 'off', name: 'Off', deactivated: true }], groups: ['team', 'band'] },
  },
};
const file = csv([
  { guid: 'team', uid: 'old' },
  { guid: 'team', uid: 'off' },
  { guid: 'team', uid: 'New' },
  { guid: 'Fresh', uid: 'new' },
  { guid: 'Fresh', uid: 'old' },
]);

/** An import that created a user and a group, and what deletes them. */
async function imported(options: StartOptions = {}) {
  const pipeline = await openPipeline({ ...there, ...options });
  const { id, state } = await pipeline.run(file, { create });
  expect(state).toBe('completed');
  expect(pipeline.summary(id).created).toEqual({ users: 1, groups: 1, reactivated: 1 });
  return { pipeline, id };
}

function deleting({ dir, coordinator }: Pipeline, id: string, signal = new AbortController().signal): Deleting {
  const ledger = openCreated(dir.ledger(id));
  onTestFinished(() => ledger.close());
  const used = usersOfOthers(coordinator);
  return {
    ledger,
    pages: (...which) => coordinator.pages(...which),
    signal,
    usedByOthers: (things) => used(id, things),
  };
}

/** Undoes what the import did to the user whom it created. */
async function takeBack(pipeline: Pipeline): Promise<void> {
  const edits = ['team', 'fresh'].map((guid) => `${guid},new,remove\n`).join('');
  const { id } = await pipeline.run(`guid,uid,action\n${edits}`, { edits: true });
  expect(pipeline.counts(id)).toMatchObject({ read: 2, removed: 2 });
}

const inWords = (deletions: readonly Deletion[]) =>
  deletions.map(
    ({ thing: { kind, name }, undone, why }) => `${kind} ${name}: ${undone ?? 'delete'}${why && `, ${why}`}`,
  );

const REACTIVATED = 'user off: kept, it was there before the import, which made it active again';

test('what an import created is deleted, and nothing that was there before; the report says so', async () => {
  const { pipeline, id } = await imported();
  const ports = deleting(pipeline, id);
  const all = ['group fresh: delete', 'user new: delete', REACTIVATED];
  expect(inWords(await planDeletions(ports, false)).sort()).toEqual(all);
  // Somebody who has taken back only a part of it keeps the user.
  expect(inWords(await planDeletions(ports, true))).toContain('user new: kept, it is in the group team');
  await takeBack(pipeline);
  const planned = await planDeletions(ports, true);
  expect(inWords(planned).sort()).toEqual(all);
  expect(pipeline.sandbox.user('us', 'new')).toBeDefined();

  const ended = await deleteCreated(ports, planned, () => {});
  expect(inWords(ended).sort()).toEqual(['group fresh: deleted', 'user new: deleted', REACTIVATED]);
  expect(pipeline.sandbox.user('us', 'new')).toBeUndefined();
  expect(pipeline.sandbox.group('us', 'fresh')).toBeUndefined();
  expect(pipeline.sandbox.group('us', 'team')).toBeDefined();
  expect(pipeline.sandbox.user('us', 'old')).toBeDefined();
  expect(pipeline.sandbox.user('us', 'off')?.deactivatedAt).toBeUndefined();
  expect(pipeline.rows(id).map(({ created }) => created)).toEqual([
    '',
    'reactivated',
    'user (deleted)',
    'user (deleted)+group (deleted)',
    'group (deleted)',
  ]);
  // Another time there is nothing to delete.
  expect(inWords(await planDeletions(ports, true))).toEqual([REACTIVATED]);
});

test('a group with a member whom the import does not name is kept, also when that one joins after the plan', async () => {
  const { pipeline, id } = await imported();
  const ports = deleting(pipeline, id);
  const planned = await planDeletions(ports, true);
  pipeline.sandbox.addUser('us', 'guest');
  await pipeline.run(csv([{ guid: 'fresh', uid: 'guest' }]));
  const [group] = await deleteCreated(ports, planned, () => {});
  expect(inWords(group === undefined ? [] : [group])).toEqual([
    'group fresh: kept, 1 user in it whom the import does not name',
  ]);
  expect(pipeline.sandbox.group('us', 'fresh')).toBeDefined();
  // It is looked at again the next time.
  expect(inWords(await planDeletions(ports, true))).toContain(
    'group fresh: kept, 1 user in it whom the import does not name',
  );
});

test('a user whom another import has put into a group is kept, and so is one whom the service says to be in one', async () => {
  const { pipeline, id } = await imported();
  const ports = deleting(pipeline, id);
  await takeBack(pipeline);
  const planned = await planDeletions(ports, true);
  const other = await pipeline.run(csv([{ guid: 'Band', uid: 'NEW' }]));
  const used = `user new: kept, import ${other.id} put it into the group band`;
  expect(inWords(await planDeletions(ports, true))).toContain(used);
  // It joined after the plan.
  expect(inWords(await deleteCreated(ports, planned, () => {}))).toContain(used);
  expect(pipeline.sandbox.user('us', 'new')).toBeDefined();

  // Others may put users into groups too, of which there is no record here.
  const unknown = { ...ports, usedByOthers: async () => new Map() };
  expect(inWords(await planDeletions(unknown, true))).toContain('user new: kept, it is in the group band');
  const left = await pipeline.run('guid,uid,action\nband,new,remove\n', { edits: true });
  expect(pipeline.counts(left.id)).toMatchObject({ removed: 1 });
  expect(inWords(await planDeletions(ports, true))).toContain('user new: delete');
});

test.each([
  [
    'does not say it of the groups',
    (groups: readonly JoinedGroup[]) => groups.map(({ guid }) => ({ guid, hasJoined: null, scope: null })),
    'kept, it is in the group team',
  ],
  [
    'ignores the filter',
    () => [
      { guid: 'band', hasJoined: null, scope: null },
      { guid: 'team', hasJoined: null, scope: null },
    ],
    'delete',
  ],
])('a service that %s', async (_, answer, fate) => {
  const { pipeline, id } = await imported({
    chat: (service) => ({
      ...service,
      listJoined: async (uid, options) => {
        const { groups, ...said } = await service.listJoined(uid, options);
        return { ...said, groups: answer(groups.filter(({ guid }) => guid === 'team')) };
      },
    }),
  });
  expect(inWords(await planDeletions(deleting(pipeline, id), true))).toContain(`user new: ${fate}`);
});

test('what may have been there before, because the reply of its creation was lost, is kept', async () => {
  const pipeline = await openPipeline({ ...there, sandbox: { ...there.sandbox, faults: 'reset-created=1' } });
  const { id } = await pipeline.run(csv([{ guid: 'Fresh', uid: 'old' }]), { create });
  expect(inWords(await planDeletions(deleting(pipeline, id), true))).toEqual([
    'group fresh: kept, the reply of its creation was lost, so it may have been there before',
  ]);
});

test('deleting that is interrupted goes on, and what was deleted without an answer is found gone', async () => {
  let calls = 0;
  const { pipeline, id } = await imported({
    chat: (service) => ({
      ...service,
      deleteGroup: async (guid, options) => {
        calls += 1;
        await service.deleteGroup(guid, options);
        // The reply never arrives.
        stopped.abort(new Error('Ctrl-C'));
        return service.deleteGroup(guid, options);
      },
    }),
  });
  await takeBack(pipeline);
  const stopped = new AbortController();
  const planned = await planDeletions(deleting(pipeline, id), true);
  await expect(deleteCreated(deleting(pipeline, id, stopped.signal), planned, () => {})).rejects.toThrow('Ctrl-C');
  expect(pipeline.sandbox.user('us', 'new')).toBeDefined();
  const ports = deleting(pipeline, id);
  const ended = await deleteCreated(ports, await planDeletions(ports, true), () => {});
  expect(inWords(ended).sort()).toEqual(['group fresh: gone', 'user new: deleted', REACTIVATED]);
  expect(calls).toBe(1);
});

test('a user who was created a second time by someone else is kept', async () => {
  const { pipeline, id } = await imported({
    chat: (service) => ({
      ...service,
      getUser: async (uid, options) => {
        const { user, ...said } = await service.getUser(uid, options);
        return { ...said, user: { ...user, createdAt: 1_000_000_000 } };
      },
    }),
  });
  expect(inWords(await planDeletions(deleting(pipeline, id), true))).toContain(
    'user new: kept, the service says that it was created at 2001-09-09T01:46:40.000Z',
  );
});

test('a deletion whose end cannot be noted is an error of that deletion, and of nothing else', async () => {
  const { pipeline, id } = await imported();
  const { dir, coordinator } = pipeline;
  const record = coordinator.find(id);
  const failed = Promise.withResolvers<unknown>();
  const deletions = new Deletions({
    dir,
    find: () => record,
    underWay: {
      begin: () => {},
      end: () => {
        throw new Error('no space left on device');
      },
      all: () => [id],
    },
    regions: new Set(['us']),
    sendsTo: coordinator.sendsTo,
    pages: (...which) => coordinator.pages(...which),
    usedByOthers: usersOfOthers(coordinator),
    onError: (_, error) => failed.resolve(error),
  });
  deletions.start(id);
  expect(await failed.promise).toMatchObject({ message: 'no space left on device' });
  await deletions.stop();
  expect(deletions.progress(id)).toBeUndefined();
});
