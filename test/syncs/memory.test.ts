import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createChatClient } from '../../src/chat/chat-client.ts';
import { membersCsv } from '../../src/features/sync/memory/memory.ts';
import { syncSettled } from './sync-settled.ts';
import { file, openSyncing, type Syncing } from './syncing.ts';

const NIGHTLY = { syncName: 'nightly' };
const MIRROR = { ...NIGHTLY, mode: 'mirror', missing: 'remove', allowDemotion: true } as const;

/** Others, who act in the groups by hand. */
function others({ sandbox }: Syncing) {
  const chat = createChatClient({ region: 'us', ...sandbox.apps.us, host: sandbox.host, ca: sandbox.caPem });
  onTestFinished(() => chat.close());
  return chat;
}

/** Members whom the sync remembers, as "guid uid scope". */
async function remembered(at: Syncing, name = 'nightly') {
  const csv = await text(membersCsv(at.dir.memory, name));
  const lines = csv.trim().split('\n').slice(1);
  return lines.map((line) => line.split(',').slice(1, 4).join(' '));
}

test('a sync with a name remembers whom it made members, with the scope that it gave, until they are removed', async () => {
  const at = await openSyncing({ team: { participants: ['there'] }, club: { participants: ['dan'] } });
  expect(() => membersCsv(at.dir.memory, 'nightly')).toThrow(/nothing is remembered under the name "nightly"/);
  const first = { there: 'participant', anna: 'participant', Bob: 'moderator' } as const;
  await at.sync(file({ team: first, club: { eve: 'participant' } }), NIGHTLY);
  const club = 'club eve participant';
  expect(await remembered(at)).toEqual([club, 'team anna participant', 'team Bob moderator']);
  await others(at).addMembers('team', { participants: ['byhand'] });
  await at.sync(
    file({ team: { there: 'moderator', anna: 'moderator' }, club: { dan: 'participant', eve: 'participant' } }),
    MIRROR,
  );
  expect(at.members('team')).toEqual({ there: 'moderator', anna: 'moderator' });
  expect(await remembered(at)).toEqual([club, 'team anna moderator']);
  // Another name, and none, remember nothing of it.
  await at.sync(file({ team: { there: 'moderator', anna: 'moderator', cleo: 'participant' } }), { syncName: 'other' });
  await at.sync(file({ team: { there: 'moderator', anna: 'moderator', dora: 'participant' } }));
  expect([await remembered(at), await remembered(at, 'other')]).toEqual([
    [club, 'team anna moderator'],
    ['team cleo participant'],
  ]);
});

test('who is neither a member nor in the file is forgotten by a run that had nothing to do', async () => {
  const at = await openSyncing({ team: { participants: ['there'] } });
  await at.sync(file({ team: { there: 'participant', anna: 'participant' } }), NIGHTLY);
  await others(at).removeMember('team', 'anna');
  expect(await at.sync(file({ team: { there: 'participant' } }), NIGHTLY)).toMatchObject({ state: 'unchanged' });
  expect(await remembered(at)).toEqual([]);
});

test('rows that a retry of a run adds count, and an undo of the run takes back what it did', async () => {
  const at = await openSyncing({ team: { participants: ['there'] } });
  at.sandbox.addUser('us', 'late');
  at.sandbox.setActive('us', 'late', false);
  const wanted = file({ team: { anna: 'participant', late: 'participant' } });
  const { id, state } = await at.sync(wanted, NIGHTLY);
  expect([state, await remembered(at)]).toEqual(['applied', ['team anna participant']]);
  at.sandbox.setActive('us', 'late', true);
  await at.coordinator.settled(await at.coordinator.retry(id));
  // The next run learns of it.
  await at.sync(wanted, NIGHTLY);
  expect(await remembered(at)).toEqual(['team anna participant', 'team late participant']);
  await syncSettled(at.syncs, await at.syncs.undo(id, { apply: true, who: 'tester' }));
  expect([at.members('team'), await remembered(at)]).toEqual([
    { there: 'participant', late: 'participant' },
    ['team late participant'],
  ]);
});
