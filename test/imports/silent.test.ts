import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { ChatClient } from '../../src/chat/chat-client.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import type { ImportOptions } from '../../src/imports/import-options.ts';
import { createOptions } from '../../src/options/create-options.ts';
import type { Behaviour } from '../../src/sandbox/behaviour.ts';
import {
  openPipeline,
  type Pipeline,
  type PipelineOptions,
  QUEUE_PLACES,
  type StartOptions,
} from './pipeline-harness.ts';

const SILENT: Partial<ImportOptions> = { silent: true };

/** A file of rows `uid,guid,scope,joined_at`. */
const file = (rows: readonly string[]) => `${['uid,guid,scope,joined_at', ...rows].join('\n')}\n`;
const EIGHT = Array.from({ length: 8 }, (_, n) => `u${n}`);
const inGroups = EIGHT.map((uid, n) => `${uid},g${n % 3},,`);

type Options = PipelineOptions & StartOptions & { readonly behaviour?: Partial<Behaviour> };

/** A service that allows many imports a minute, so that no test waits for the budget. */
const open = ({ behaviour = {}, sandbox = {}, ...options }: Options) =>
  openPipeline({
    ...options,
    callsPerMinute: null,
    sandbox: { ...sandbox, behaviour: { importsPerMinute: 100_000, ...behaviour } },
  });

/** Each row's outcome and code. Every row has one, and who is a member is said to be one. */
function outcomes({ rows, counts, summary, sandbox }: Pipeline, id: string): string[] {
  expect(summary(id).rows).toEqual(counts(id));
  for (const { guid, uid, status } of rows(id)) {
    const isMember = sandbox.members('us', guid).has(uid.toLowerCase());
    expect([guid, uid, isMember]).toEqual([guid, uid, status === 'added' || status === 'already_member']);
  }
  return rows(id).map(({ status, code }) => (code === '' ? status : `${status} ${code}`));
}

/** Calls of the data import whose answers are lost, after they were carried out. */
const losing = (lost: number) => {
  let calls = 0;
  return (service: ChatClient): ChatClient => ({
    ...service,
    importEntities: async (...call) => {
      const answer = await service.importEntities(...call);
      calls += 1;
      if (calls > lost) return answer;
      throw new RollcallError(
        'CONNECTION_LOST',
        { what: 'it broke off', maybeCarriedOut: true },
        { cause: new Error('reset') },
      );
    },
  });
};

describe.each(QUEUE_PLACES)('on the $name queue, in silence', (place) => {
  test.each(['once', 'twice'] as const)(
    'members of many groups share calls of 50 (results %s)',
    async (importReply) => {
      const pipeline = await open({ place, behaviour: { importReply } });
      const rows = Array.from({ length: 120 }, (_, n) => `U${n},G${n % 40},${n === 0 ? 'admin' : ''},`);
      const { id, state } = await pipeline.run(file(rows), SILENT);
      expect(state).toBe('completed');
      expect(outcomes(pipeline, id)).toEqual(rows.map(() => 'added'));
      expect(pipeline.calls(id)).toBe(3);
      expect(pipeline.summary(id)).not.toHaveProperty('writes');
      expect(pipeline.summary(id).ways).toEqual({ added: { messages: 120, calls: 40 }, silent: { calls: 3 } });
      expect(pipeline.sandbox.members('us', 'g0').get('u0')).toBe('admin');
    },
  );

  test('each refusal is that of its row', async () => {
    const sandbox = { users: 0, groups: 0, seed: { users: EIGHT, groups: ['g'] } };
    const pipeline = await open({ place, sandbox });
    const rows = ['u0,g,,', 'nobody,g,,', 'u1,nowhere,,', 'u2,g,,2001-01-01', 'u3,g,,'];
    const { id } = await pipeline.run(file(rows), SILENT);
    expect(outcomes(pipeline, id)).toEqual([
      'added',
      'failed ERR_UID_NOT_FOUND',
      'failed ERR_GUID_NOT_FOUND',
      'failed ERR_IMPORT_INVALID_JOINEDAT',
      'added',
    ]);
    expect(pipeline.calls(id)).toBe(1);
    const { id: again } = await pipeline.run(file(rows), SILENT);
    expect(outcomes(pipeline, again)[0]).toBe('already_member ERR_ALREADY_JOINED');
  });

  test('nothing but additions is sent, and nobody acts', async () => {
    const pipeline = await open({ place });
    const { id } = await pipeline.run('uid,guid,scope,on_behalf_of\nu1,g,,\nu2,g,ban,\nu3,g,,boss\n', SILENT);
    expect(outcomes(pipeline, id)).toEqual(['added', 'invalid NOT_SILENT', 'invalid NOT_SILENT']);
  });

  test('a repeat after a lost answer says of each row that the earlier call may be the reason', async () => {
    const pipeline = await open({ place, chat: losing(1) });
    const { id } = await pipeline.run(file(inGroups), SILENT);
    expect(outcomes(pipeline, id)).toEqual(EIGHT.map(() => 'already_member ERR_ALREADY_JOINED'));
    for (const { message } of pipeline.rows(id)) expect(message).toContain('earlier call');
    expect(pipeline.calls(id)).toBe(2);
  });

  test('a member who cannot be taken ends the call, and costs no other row: the groups have the last word', async () => {
    const sandbox = { users: 0, groups: 0, seed: { users: EIGHT, groups: ['g0', 'g1', 'g2'] } };
    const pipeline = await open({ place, sandbox, behaviour: { importFailure: 'end-call' } });
    const { id } = await pipeline.run(file([...inGroups.slice(0, 4), 'nobody,g1,,', ...inGroups.slice(4)]), SILENT);
    const of = outcomes(pipeline, id);
    expect(of[4]).toBe('failed ERR_UID_NOT_FOUND');
    expect(of.filter((one) => one.startsWith('failed'))).toHaveLength(1);
    expect(pipeline.rows(id)[4]?.message).toContain("was not in the group's list of members");
  });

  test('a row of a call that was answered to nobody is not sent again where its import is cancelled: its group is asked', async () => {
    const pipeline = await open({ place, chat: losing(Number.POSITIVE_INFINITY) });
    const id = await pipeline.send(file(inGroups), SILENT);
    await expect.poll(() => pipeline.sandbox.members('us', 'g0').size).toBe(3);
    await pipeline.coordinator.cancel(id);
    await pipeline.coordinator.settled(id);
    expect(outcomes(pipeline, id)).toEqual(EIGHT.map(() => 'already_member FOUND_IN_GROUP'));
  });

  test('who is banned stays so, and the others of the call are added', async () => {
    const regions = { us: { members: { g: { usersToBan: ['u1'] } } } };
    const pipeline = await open({ place, sandbox: { users: 'any', groups: 'any', seed: { regions } } });
    const { id } = await pipeline.run(file(['u0,g,,', 'u1,g,,', 'u1,other,,']), { ...SILENT, bans: 'keep' });
    expect(pipeline.rows(id).map(({ status, code }) => `${status} ${code}`)).toEqual([
      'added ',
      'failed BANNED',
      'added ',
    ]);
    expect(pipeline.sandbox.members('us', 'g').get('u1')).toBe('ban');
  });

  test('rows that are tried first leave the others for later', async () => {
    const pipeline = await open({ place });
    const { id } = await pipeline.run(file(inGroups), { ...SILENT, first: 3 });
    expect(pipeline.sandbox.members('us', 'g0').size).toBe(1);
    await pipeline.coordinator.resume(id);
    await pipeline.coordinator.settled(id);
    expect(outcomes(pipeline, id)).toEqual(EIGHT.map(() => 'added'));
  });

  test('users and groups are created in calls of 50, and a group is as old as its first member', async () => {
    const sandbox = { users: 0, groups: 0, seed: { users: ['u0'], groups: ['g0'] } };
    let client: ChatClient | undefined;
    const pipeline = await open({
      place,
      sandbox,
      chat: (service) => {
        client = service;
        return service;
      },
    });
    const create = createOptions.parse({ users: true, groups: true, userNameFrom: 'uid', groupNameFrom: 'guid' });
    const rows = ['u0,g0,,', 'u1,g0,,', 'u1,g1,,2024-05-02', 'u2,g1,,2024-05-01', 'u3,g2,,'];
    const { id, state } = await pipeline.run(file(rows), { ...SILENT, create });
    expect(state).toBe('completed');
    expect(outcomes(pipeline, id)).toEqual(rows.map(() => 'added'));
    expect(pipeline.summary(id).created).toEqual({ users: 3, groups: 2, reactivated: 0 });
    // Three looks, the groups, the members, the users, and the members who waited for them.
    expect(pipeline.calls(id)).toBe(3 + 4);
    expect(pipeline.sandbox.group('us', 'g1')?.createdAt).toBe(Date.UTC(2024, 4, 1));
    const listed = await client?.listPage('members', 'g1', 1);
    expect(listed?.entries).toMatchObject([
      { uid: 'u1', joinedAt: Date.UTC(2024, 4, 2) / 1_000 },
      { uid: 'u2', joinedAt: Date.UTC(2024, 4, 1) / 1_000 },
    ]);
  });

  test('a user who cannot be created keeps no other from it', async () => {
    const pipeline = await open({ place, sandbox: { users: 0, groups: 0, seed: { users: [], groups: ['g'] } } });
    const create = createOptions.parse({ users: true, userNameFrom: 'uid', columns: { role: 'post' } });
    const { id } = await pipeline.run('uid,guid,post\nu1,g,\nu2,g,no-such-role\nu3,g,\n', { ...SILENT, create });
    expect(outcomes(pipeline, id)).toEqual(['added', 'failed ERR_ROLE_NOT_FOUND', 'added']);
  });

  test('groups of a call that one of them ends are created alone', async () => {
    const sandbox = { users: 0, groups: 0, seed: { users: ['u0', 'u1'] } };
    const pipeline = await open({ place, sandbox, behaviour: { importFailure: 'end-call' } });
    const create = createOptions.parse({ groups: true, groupNameFrom: 'guid', columns: { group_owner: 'boss' } });
    const { id } = await pipeline.run('uid,guid,boss\nu1,g1,nobody\nu0,g0,u0\n', { ...SILENT, create });
    expect(outcomes(pipeline, id)).toEqual(['failed ERR_EXCEPTION', 'added']);
  });

  test('a missing user who ends the call is created, and a missing group too', async () => {
    const sandbox = { users: 0, groups: 0, seed: { users: ['u0', 'u1'], groups: ['g'] } };
    const pipeline = await open({ place, sandbox, behaviour: { importFailure: 'end-call' } });
    const create = createOptions.parse({ users: true, groups: true, userNameFrom: 'uid', groupNameFrom: 'guid' });
    const { id } = await pipeline.run(file(['u0,g,,', 'new,g,,', 'u1,later,,']), { ...SILENT, create });
    expect(outcomes(pipeline, id)).toEqual(['already_member ERR_ALREADY_JOINED', 'added', 'added']);
    expect(pipeline.summary(id).created).toMatchObject({ users: 1, groups: 1 });
  });

  test.each([SILENT, {}])('a refused key stops imports of both ways, and both go on: %o', async (options) => {
    const pipeline = await open({ place, apiKeys: { us: 'f00d' } });
    const { id, state } = await pipeline.run(file(inGroups), options);
    expect(state).toBe('blocked');
    const region = pipeline.openRegions.get('us');
    expect([await region?.queue.isPaused(), await region?.silent.isPaused()]).toEqual([true, true]);
    await region?.queue.resume();
    expect([await region?.queue.isPaused(), await region?.silent.isPaused()]).toEqual([false, false]);
    expect(pipeline.counts(id).read).toBe(8);
  });

  test('a shaped file that is sent again keeps the times of joining and of the end', async () => {
    const pipeline = await open({ place, sandbox: { users: 0, groups: 0, seed: { users: ['u1'], groups: ['g'] } } });
    const options = { ...SILENT, shape: { split: { uid: ';' } } };
    const content = 'uid,guid,joined_at,until\nu1;late,g,2024-05-01,2999-01-01\n';
    const { id } = await pipeline.run(content, options);
    expect(outcomes(pipeline, id)).toEqual(['added', 'failed ERR_UID_NOT_FOUND']);
    pipeline.sandbox.addUser('us', 'late');
    const again = await pipeline.coordinator.retry(id);
    await pipeline.coordinator.settled(again);
    expect(outcomes(pipeline, again)).toEqual(['added']);
    const ledger = new DatabaseSync(pipeline.dir.ledger(again), { readOnly: true });
    expect(ledger.prepare('select joined_at, until from rows').all()).toEqual([
      { joined_at: Date.UTC(2024, 4, 1) / 1_000, until: Date.UTC(2999, 0, 2) },
    ]);
    ledger.close();
  });

  test('more missing groups than may be created: nothing is created', async () => {
    const pipeline = await open({ place, sandbox: { users: 'any', groups: 0 } });
    const create = createOptions.parse({ groups: true, groupNameFrom: 'guid', max: { groups: { count: 1 } } });
    const { state } = await pipeline.run(file(inGroups), { ...SILENT, create });
    expect([state, pipeline.sandbox.group('us', 'g0')]).toEqual(['blocked', undefined]);
  });

  test('its calls have a budget of their own, which follows what the service says', async () => {
    const pipeline = await open({ place, behaviour: { importsPerMinute: 500 } });
    const { id } = await pipeline.run(file(inGroups), SILENT);
    const region = pipeline.openRegions.get('us');
    await expect.poll(() => region?.silent.callsPerMinute()).toBe(400);
    expect(await region?.queue.callsPerMinute()).not.toBe(400);
    expect(await region?.lists.callsPerMinute()).toBeUndefined();
    expect(outcomes(pipeline, id)).toHaveLength(8);
  });
});
