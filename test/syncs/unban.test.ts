import { expect, test } from 'vitest';
import { openSyncing } from './syncing.ts';

/** The service lists banned users among the members: only asking who is banned tells them apart. */
const groups = {
  quiet: { participants: ['anna'], usersToBan: ['bob'] },
  growing: { participants: ['anna'], usersToBan: ['bob'] },
};
const wanted = 'guid,uid\nquiet,anna\nquiet,bob\ngrowing,anna\ngrowing,bob\ngrowing,cleo\n';

test('with leave to lift bans, a sync lifts them in every group, also where it does nothing else, or only adds', async () => {
  const at = await openSyncing(groups);
  const done = await at.sync(wanted, { allowUnban: true });
  expect(done.state).toBe('applied');
  expect(at.members('quiet')).toEqual({ anna: 'participant', bob: 'participant' });
  expect(at.members('growing')).toEqual({ anna: 'participant', bob: 'participant', cleo: 'participant' });
});

test('without it, bans stay', async () => {
  const at = await openSyncing(groups);
  await at.sync(wanted, {});
  expect(at.members('quiet')).toEqual({ anna: 'participant', bob: 'ban' });
  expect(at.members('growing')).toEqual({ anna: 'participant', bob: 'ban', cleo: 'participant' });
});

test('without it, bans stay where the list of members does not have the banned: the plan says so, and the run does what the plan says', async () => {
  const at = await openSyncing(groups, { behaviour: { listBanned: false } });
  const done = await at.sync(wanted, {});
  expect(done.state).toBe('applied');
  expect(at.changes(done.id)).toEqual(['growing cleo: add >participant']);
  expect(at.members('quiet')).toEqual({ anna: 'participant', bob: 'ban' });
  expect(at.members('growing')).toEqual({ anna: 'participant', bob: 'ban', cleo: 'participant' });
  expect(at.rows(done.importId ?? '').map(({ uid, status }) => [uid, status])).toEqual([['cleo', 'added']]);
});

test('with leave, bans that the list of members hides are lifted, and the rows say so', async () => {
  const at = await openSyncing(groups, { behaviour: { listBanned: false } });
  const done = await at.sync(wanted, { allowUnban: true });
  expect(at.members('growing')).toEqual({ anna: 'participant', bob: 'participant', cleo: 'participant' });
  const lifted = at.rows(done.importId ?? '').filter(({ uid }) => uid === 'bob');
  expect(lifted.map(({ status, code }) => [status, code])).toEqual([
    ['added', 'BAN_LIFTED'],
    ['added', 'BAN_LIFTED'],
  ]);
});
