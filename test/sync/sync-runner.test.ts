import { expect, test } from 'vitest';
import { file, openSyncing } from './syncing.ts';

test('a sync adds, changes and removes until the groups are as the file says, and then finds nothing to do', async () => {
  const at = await openSyncing({
    team: { owner: 'boss', moderators: ['mia'], participants: ['anna', 'bob', 'cleo'] },
    club: { participants: ['dan'] },
  });
  const wanted = file({
    team: { boss: 'admin', mia: 'participant', anna: 'moderator', cleo: 'participant', new: 'participant' },
    club: { dan: 'participant', eve: 'participant' },
  });
  const flags = { mode: 'mirror', missing: 'remove', allowDemotion: true } as const;
  const done = await at.sync(wanted, flags);
  expect([done.state, done.reason]).toEqual(['applied', 'every change has its outcome']);
  expect(at.members('team')).toEqual({
    boss: 'admin',
    mia: 'participant',
    anna: 'moderator',
    cleo: 'participant',
    new: 'participant',
  });
  expect(at.members('club')).toEqual({ dan: 'participant', eve: 'participant' });
  const again = await at.sync(wanted, flags);
  expect(again.state).toBe('unchanged');
});
