import { expect, onTestFinished, test } from 'vitest';
import { createOptions } from '../../src/imports/create-options.ts';
import { readOptions } from '../../src/imports/import-options.ts';
import { type Deletion, deleteCreated, planDeletions } from '../../src/imports/life/delete-created.ts';
import { createDeletions } from '../../src/imports/life/deletions.ts';
import { openCreated } from '../../src/imports/record/created.ts';
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
    seed: { users: ['old', { uid: 'off', name: 'Off', deactivated: true }], groups: ['team'] },
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

function deleting({ dir, coordinator }: Pipeline, id: string, signal = new AbortController().signal) {
  const ledger = openCreated(dir.ledger(id));
  onTestFinished(() => ledger.close());
  return { ledger, pages: coordinator.pages, signal };
}

const inWords = (deletions: readonly Deletion[]) =>
  deletions.map(
    ({ thing: { kind, name }, undone, why }) => `${kind} ${name}: ${undone ?? 'delete'}${why && `, ${why}`}`,
  );

const REACTIVATED = 'user off: kept, it was there before the import, which made it active again';

test('what an import created is deleted, and nothing that was there before; the report says so', async () => {
  const { pipeline, id } = await imported();
  const ports = deleting(pipeline, id);
  const planned = await planDeletions(ports);
  expect(inWords(planned).sort()).toEqual(['group fresh: delete', 'user new: delete', REACTIVATED]);
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
  expect(inWords(await planDeletions(ports))).toEqual([REACTIVATED]);
});

test('a group with a member whom the import does not name is kept, also when that one joins after the plan', async () => {
  const { pipeline, id } = await imported();
  const ports = deleting(pipeline, id);
  const planned = await planDeletions(ports);
  pipeline.sandbox.addUser('us', 'guest');
  await pipeline.run(csv([{ guid: 'fresh', uid: 'guest' }]));
  const [group] = await deleteCreated(ports, planned, () => {});
  expect(inWords(group === undefined ? [] : [group])).toEqual([
    'group fresh: kept, 1 user in it whom the import does not name',
  ]);
  expect(pipeline.sandbox.group('us', 'fresh')).toBeDefined();
  // It is looked at again the next time.
  expect(inWords(await planDeletions(ports))).toContain(
    'group fresh: kept, 1 user in it whom the import does not name',
  );
});

test('what may have been there before, because the reply of its creation was lost, is kept', async () => {
  const pipeline = await openPipeline({ ...there, sandbox: { ...there.sandbox, faults: 'reset-created=1' } });
  const { id } = await pipeline.run(csv([{ guid: 'Fresh', uid: 'old' }]), { create });
  expect(inWords(await planDeletions(deleting(pipeline, id)))).toEqual([
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
  const stopped = new AbortController();
  const planned = await planDeletions(deleting(pipeline, id));
  await expect(deleteCreated(deleting(pipeline, id, stopped.signal), planned, () => {})).rejects.toThrow('Ctrl-C');
  expect(pipeline.sandbox.user('us', 'new')).toBeDefined();
  const ports = deleting(pipeline, id);
  const ended = await deleteCreated(ports, await planDeletions(ports), () => {});
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
  expect(inWords(await planDeletions(deleting(pipeline, id)))).toContain(
    'user new: kept, the service says that it was created at 2001-09-09T01:46:40.000Z',
  );
});

test('a deletion whose end cannot be noted is an error of that deletion, and of nothing else', async () => {
  const { pipeline, id } = await imported();
  const { dir, coordinator } = pipeline;
  const record = coordinator.find(id);
  const failed = Promise.withResolvers<unknown>();
  const deletions = createDeletions({
    dir,
    catalog: {
      get: () => record,
      beginDeletion: () => {},
      endDeletion: () => {
        throw new Error('no space left on device');
      },
      deletions: () => [id],
    },
    regions: new Set(['us']),
    sandbox: readOptions(record).sandbox,
    pages: coordinator.pages,
    onError: (_, error) => failed.resolve(error),
  });
  deletions.start(id);
  expect(await failed.promise).toMatchObject({ message: 'no space left on device' });
  await deletions.stop();
  expect(deletions.progress(id)).toBeUndefined();
});
