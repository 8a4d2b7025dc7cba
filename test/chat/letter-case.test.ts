import { expect, test } from 'vitest';
import { connect, json, serve } from './chat-server.ts';

/** A reply that every call can read. */
const ANY = json({ data: { success: true, scope: 'admin', uid: 'ann', guid: 'team', name: 'x' } });

test('whatever is asked, ids are sent as the service stores them: in lower case', async () => {
  const server = await serve(ANY);
  const chat = connect(server.host);
  const acting = { onBehalfOf: 'BOSS' };
  await chat.addMembers('TEAM', { admins: ['ANN'], usersToBan: ['BOB'] }, acting);
  await chat.changeScope('TEAM', 'ANN', 'admin', acting);
  await chat.removeMember('TEAM', 'ANN', acting);
  await chat.unbanMember('TEAM', 'ANN', acting);
  await chat.getGroup('TEAM');
  await chat.getMembership('TEAM', 'ANN');
  await chat.getUser('ANN');
  await chat.createUser({ uid: 'ANN', name: 'x' });
  await chat.createGroup({ guid: 'TEAM', name: 'x', type: 'public', owner: 'BOSS' }, { participants: ['ANN'] });
  await chat.reactivateUsers(['ANN']);
  const lists = await serve(json({ data: [] }));
  const listing = connect(lists.host);
  await listing.listPage('members', 'TEAM', 1);
  await listing.listPage('banned', 'TEAM', 1);
  await listing.listJoined('ANN');
  const received = [...server.received, ...lists.received];
  expect(received).toHaveLength(13);
  for (const { url, body, headers } of received) {
    expect(`${url} ${body} ${headers['onBehalfOf'] ?? ''}`).not.toMatch(/TEAM|ANN|BOB|BOSS/);
  }
  expect(server.received[0]).toMatchObject({ url: '/v3/groups/team/members' });
  expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({ admins: ['ann'], usersToBan: ['bob'] });
});
