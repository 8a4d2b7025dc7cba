import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planFiles } from '../../src/features/sync/plan/plan-files.ts';
import { syncSettled } from './sync-settled.ts';
import { file, openSyncing, type Syncing } from './syncing.ts';

const GROUPS = {
  team: { owner: 'boss', moderators: ['mia'], participants: ['anna', 'bob', 'carl'], usersToBan: ['mallory'] },
  calm: { participants: ['dora'] },
};
const limits = {
  groupRemovalsPercent: 100,
  groupRemovals: 1000,
  runRemovalsPercent: 100,
  regionRemovalsPercent: 100,
  smallGroupRemovals: 100,
  smallTotalRemovals: 100,
};

function before(syncing: Syncing, id: string): string | undefined {
  const path = planFiles(syncing.dir.sync(id)).before;
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

const desired = file({
  team: { boss: 'admin', mia: 'participant', anna: 'participant', erna: 'participant' },
  calm: { dora: 'participant', emil: 'participant' },
});
const mirror = { mode: 'mirror', missing: 'remove', allowDemotion: true } as const;

test('a sync that takes something from a user keeps who was in these groups, and an import brings them back', async () => {
  const syncing = await openSyncing(GROUPS);
  const { id, state } = await syncing.sync(desired, mirror, { limits });
  expect(state).toBe('applied');
  expect(syncing.members('team')).toEqual({
    boss: 'admin',
    mia: 'participant',
    anna: 'participant',
    erna: 'participant',
    mallory: 'ban',
  });
  const kept = before(syncing, id);
  expect(kept?.trim().split('\n').toSorted()).toEqual(
    [
      'uid,guid,scope,region',
      'anna,team,participant,us',
      'bob,team,participant,us',
      'boss,team,admin,us',
      'carl,team,participant,us',
      'mallory,team,ban,us',
      'mia,team,moderator,us',
    ].toSorted(),
  );
  const imported = await syncing.run(kept ?? '');
  expect(syncing.counts(imported.id)).toMatchObject({ added: 2, already_member: 3, banned: 1 });
  expect(syncing.members('team')).toMatchObject({ bob: 'participant', carl: 'participant', mallory: 'ban' });
  // And a mirror sync of it puts everything back.
  const back = await syncing.sync(kept ?? '', mirror, { limits: { ...limits, forgottenGroups: 1 } });
  expect(back).toMatchObject({ state: 'applied' });
  expect(syncing.members('team')).toEqual({
    boss: 'admin',
    mia: 'moderator',
    anna: 'participant',
    bob: 'participant',
    carl: 'participant',
    mallory: 'ban',
  });
});

test('of a stored plan it is who was there when it was applied, not when it was planned', async () => {
  const syncing = await openSyncing(GROUPS);
  const { id, state } = await syncing.sync(desired, mirror, { limits, apply: false });
  expect([state, before(syncing, id)]).toEqual(['planned', undefined]);
  await syncing.run('guid,uid\ncalm,late\nteam,erna\n');
  await syncing.syncs.apply(id, 'tester');
  await syncSettled(syncing.syncs, id);
  // One change of six is no longer needed: more than the tolerance.
  expect([syncing.syncs.find(id).state, before(syncing, id)]).toEqual(['stale', undefined]);
  const { id: again } = await syncing.sync(desired, mirror, { limits, apply: false });
  await syncing.run('guid,uid,scope\nteam,mallory,ban\n');
  await syncing.syncs.apply(again, 'tester');
  expect((await syncSettled(syncing.syncs, again)).state).toBe('applied');
  expect(before(syncing, again)).toContain('\nerna,team,participant,us');
});

test('of a stored plan it has no group that only a change would take something from that nobody has approved', async () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`u${index}`, 'participant'] as const));
  const syncing = await openSyncing({
    ...GROUPS,
    ...Object.fromEntries(Object.keys(many).map((uid) => [`of-${uid}`, { participants: [uid] }])),
  });
  const wanted = file({
    team: { boss: 'admin', mia: 'moderator', anna: 'participant', bob: 'participant' },
    calm: { dora: 'participant', ...many },
  });
  const { id } = await syncing.sync(wanted, mirror, { limits, apply: false });
  await syncing.run('guid,uid\ncalm,late\n');
  await syncing.syncs.apply(id, 'tester');
  expect((await syncSettled(syncing.syncs, id)).state).toBe('applied');
  expect(syncing.members('calm')).toMatchObject({ u1: 'participant', late: 'participant' });
  const groups = before(syncing, id)
    ?.trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[1]);
  expect(new Set(groups)).toEqual(new Set(['team']));
});

test('a sync that only adds keeps nothing, because nothing can be lost', async () => {
  const syncing = await openSyncing(GROUPS);
  const { id, state } = await syncing.sync(file({ calm: { emil: 'participant' } }));
  expect([state, before(syncing, id)]).toEqual(['applied', undefined]);
});

test('an undo keeps it too', async () => {
  const syncing = await openSyncing(GROUPS);
  const { id: imported } = await syncing.run('guid,uid\ncalm,emil\n');
  const id = await syncing.syncs.undo(imported, {
    apply: true,
    who: 'tester',
  });
  expect((await syncSettled(syncing.syncs, id)).state).toBe('applied');
  expect(before(syncing, id)).toBe('uid,guid,scope,region\ndora,calm,participant,us\nemil,calm,participant,us\n');
});

test('only the owner can read what a sync keeps, even where others can read the file that it was made from', async () => {
  const syncing = await openSyncing(GROUPS);
  const request = syncing.request(desired, mirror, { limits });
  chmodSync(request.source, 0o644);
  const { id } = await syncSettled(syncing.syncs, await syncing.syncs.create(request));
  const folder = syncing.dir.sync(id);
  const open = readdirSync(folder).filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
  expect(open).toEqual([]);
});
