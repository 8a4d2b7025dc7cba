import { describe, expect, test } from 'vitest';
import { createOptions } from '../../src/options/create-options.ts';
import type { Behaviour } from '../../src/sandbox/behaviour.ts';
import { syncSettled } from '../syncs/sync-settled.ts';
import { openSyncing } from '../syncs/syncing.ts';
import { csv, EMBEDDED, openPipeline, type Pipeline } from './pipeline-harness.ts';

const outcomes = ({ rows }: Pipeline, id: string) =>
  rows(id).map(({ status, code }) => (code === '' ? status : `${status} ${code}`));

const CASES: Behaviour['capitalIds'][] = ['fold', 'unknown'];

describe.each(CASES)('ids in any case, with a service where capital letters are (%s)', (capitalIds) => {
  const behaviour = { capitalIds };

  test('rows that differ in case are of one user and one group, and the report says what the file says', async () => {
    const members = { 'room-x': { usersToBan: ['banned'] }, 'room-y': {} };
    const seed = { users: ['user-a', 'user-b', 'boss'], regions: { us: { members } } };
    const pipeline = await openPipeline({
      place: EMBEDDED,
      sandbox: { users: 0, groups: 0, seed, behaviour: { ...behaviour, actingUser: 'anybody' } },
    });
    const file = [
      { guid: 'Room-X', uid: 'User-A' },
      { guid: 'room-x', uid: 'USER-B' },
      { guid: 'ROOM-X', uid: 'user-a' },
      { guid: 'Room-X', uid: 'Banned' },
      { guid: 'room-y', uid: 'USER-b', onBehalfOf: 'Boss' },
      { guid: 'Room-Y', uid: 'user-a', onBehalfOf: 'boss' },
    ];
    const { id } = await pipeline.run(csv(file), { bans: 'keep' });
    expect(outcomes(pipeline, id)).toEqual([
      'added',
      'added',
      'duplicate DUPLICATE',
      'failed BANNED',
      'added',
      'added',
    ]);
    expect(pipeline.rows(id).map(({ uid }) => uid)).toEqual(file.map(({ uid }) => uid));
    for (const [nth, { original }] of pipeline.rows(id).entries()) expect(original).toContain(file[nth]?.guid);
    expect(pipeline.calls(id)).toBe(2);
  });

  test('a group is asked before a call without an answer is repeated, and finds who is there', async () => {
    const seed = { users: ['user-a', 'user-b'], regions: { us: { members: { 'room-x': {} } } } };
    const pipeline = await openPipeline({
      place: EMBEDDED,
      sandbox: { users: 0, groups: 0, seed, behaviour, faults: 'reset-after=1' },
    });
    const { id } = await pipeline.run(
      csv([
        { guid: 'Room-X', uid: 'User-A' },
        { guid: 'Room-X', uid: 'User-B' },
      ]),
    );
    expect(outcomes(pipeline, id)).toEqual(Array(2).fill('already_member FOUND_IN_GROUP'));
  });

  test('users and groups that are missing are created once, in lower case', async () => {
    const pipeline = await openPipeline({ place: EMBEDDED, sandbox: { users: 0, groups: 0, behaviour } });
    const create = createOptions.parse({ users: true, groups: true, userNameFrom: 'uid', groupNameFrom: 'guid' });
    const file = [
      { guid: 'Room-X', uid: 'User-A' },
      { guid: 'room-x', uid: 'User-B' },
      { guid: 'room-y', uid: 'USER-A' },
    ];
    const { id } = await pipeline.run(csv(file), { create });
    expect(outcomes(pipeline, id)).toEqual(['added', 'added', 'added']);
    expect(pipeline.summary(id).created).toEqual({ users: 2, groups: 2, reactivated: 0 });
  });

  test('a sync changes only what differs in more than case, and its undo takes all of it back', async () => {
    const before = { participants: ['user-a', 'user-b', 'user-c'] };
    const { sync, syncs, members, changes } = await openSyncing({ 'room-x': before }, { behaviour });
    const was = members('room-x');
    const file = 'guid,uid,scope\nRoom-X,USER-A,participant\nroom-x,User-B,admin\nROOM-X,User-D,moderator\n';
    const { id, state } = await sync(file, { mode: 'mirror', missing: 'remove' });
    expect(state).toBe('applied');
    expect(changes(id)).toHaveLength(3);
    expect(members('room-x')).toEqual({ 'user-a': 'participant', 'user-b': 'admin', 'user-d': 'moderator' });
    const undo = await syncs.undo(id, {
      limits: { smallGroupRemovals: 10 },
      apply: true,
      who: 'tester',
    });
    expect(await syncSettled(syncs, undo)).toMatchObject({ state: 'applied' });
    expect(members('room-x')).toEqual(was);
  });
});
