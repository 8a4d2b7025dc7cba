import { describe, expect, test } from 'vitest';
import type { Scope } from '../../src/membership/membership.ts';
import { sumOfOutcomes } from '../../src/membership/outcome.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { Questions } from './doorkeeper.ts';
import { type AskedRow, planOf } from './ledger/naive-model.ts';
import { csv, openPipeline, participants, QUEUE_PLACES } from './pipeline-harness.ts';

/** A file with everything in it: three regions, all scopes, spellings, repeats, contradictions, acting users. */
function mixedRows(): AskedRow[] {
  const rows: AskedRow[] = [];
  const scopes: Scope[] = ['participant', 'admin', 'participant', 'moderator', 'participant'];
  for (let n = 0; n < 400; n += 1) {
    const region = (['us', 'eu', 'in'] as const)[n % 3] ?? 'us';
    const guid = n % 2 === 0 ? `team-${n % 7}` : `TEAM-${n % 7}`;
    const uid = n % 11 === 0 ? `User-${n % 40}` : `user-${n % 150}`;
    const scope = n % 23 === 0 ? 'ban' : (scopes[n % 5] ?? 'participant');
    rows.push(n % 29 === 0 ? 'invalid' : { region, guid, uid, scope, onBehalfOf: '' });
  }
  return rows;
}

const fileOf = (rows: readonly AskedRow[]) =>
  csv(rows.map((row) => (row === 'invalid' ? { uid: 'not an id!', guid: 'team-1' } : row)));

/** Returns the members of the groups when every row that can be sent was carried out. */
function expectedMembers(rows: readonly AskedRow[]): Map<string, Map<string, Scope>> {
  const groups = new Map<string, Map<string, Scope>>();
  const { verdicts } = planOf(rows);
  for (const [index, row] of rows.entries()) {
    if (row === 'invalid' || verdicts[index]?.is !== 'sent') continue;
    const name = `${row.region} ${row.guid.toLowerCase()}`;
    const members = groups.get(name) ?? new Map<string, Scope>();
    groups.set(name, members.set(row.uid.toLowerCase(), row.scope));
  }
  return groups;
}

function membersIn(sandbox: Sandbox, groups: Iterable<string>): Map<string, Map<string, Scope>> {
  return new Map(
    Array.from(groups, (name) => {
      const [region = '', guid = ''] = name.split(' ');
      return [name, sandbox.members(region as 'us', guid)];
    }),
  );
}

describe.each(QUEUE_PLACES)('on the $name queue', (place) => {
  test('a mixed file: every row gets the outcome of what it asks for, and the groups are as asked', async () => {
    const { run, rows, sandbox, counts, summary } = await openPipeline({ place });
    const asked = mixedRows();
    const { id, state } = await run(fileOf(asked));
    expect(state).toBe('completed');

    const { verdicts, calls } = planOf(asked);
    const expected = asked.map((row, index) => {
      const verdict = verdicts[index];
      if (verdict?.is !== 'sent') return verdict?.is;
      return row !== 'invalid' && row.scope === 'ban' ? 'banned' : 'added';
    });
    expect(rows(id).map(({ status }) => status)).toEqual(expected);
    const members = expectedMembers(asked);
    expect(membersIn(sandbox, members.keys())).toEqual(members);
    expect(sandbox.calls.us.requests + sandbox.calls.eu.requests + sandbox.calls.in.requests).toBe(calls);
    expect(summary(id).rows).toEqual(counts(id));
    expect(sumOfOutcomes(counts(id))).toBe(asked.length);
  });

  test('the same file a second time: nothing changes, and every row that was carried out is already so', async () => {
    const { run, rows, sandbox } = await openPipeline({ place });
    const asked = mixedRows();
    const first = await run(fileOf(asked));
    const members = expectedMembers(asked);
    const second = await run(fileOf(asked));
    const again = rows(first.id).map(({ status }) => (status === 'added' ? 'already_member' : status));
    expect(rows(second.id).map(({ status }) => status)).toEqual(again);
    expect(membersIn(sandbox, members.keys())).toEqual(members);
  });

  test.each([
    ['connections that break after the change was made', 'reset-after=6'],
    ['connections that break halfway through the change', 'reset-midway=6'],
    ['connections that break before anything was done', 'reset-before=6'],
    ['calls that are never answered', 'timeout=4'],
    ['a server that is out of order', 'error=5,unavailable=5'],
    ['replies that break off', 'truncated=6'],
    ['replies that are no JSON', 'not-json=6'],
    ['replies that leave UIDs out', 'omit-uid=6'],
    ['a rate limit of the service', 'too-many=3'],
    [
      'all of it at once',
      'reset-after=2,reset-midway=2,reset-before=2,timeout=2,error=2,truncated=2,not-json=2,omit-uid=2',
    ],
  ])('%s: every row has one outcome in the end, and the groups are as asked', async (_, faults) => {
    const asked = mixedRows();
    const silent = faults.includes('timeout');
    const questions = new Questions();
    const { run, rows, sandbox, counts, summary } = await openPipeline({
      place,
      sandbox: { faults },
      chat: questions.chat,
      ...(silent && { timeouts: { headersMs: 2_000 } }),
    });
    const { id, state } = await run(fileOf(asked));
    expect(state).toBe('completed');
    const members = expectedMembers(asked);
    expect(membersIn(sandbox, members.keys())).toEqual(members);
    const { verdicts } = planOf(asked);
    const sent = rows(id).filter((_row, index) => verdicts[index]?.is === 'sent');
    const fulfilled = ['added', 'banned', 'already_member', ...(faults.includes('omit-uid') ? ['unconfirmed'] : [])];
    expect(sent.filter(({ status }) => !fulfilled.includes(status))).toEqual([]);
    expect(summary(id).rows).toEqual(counts(id));
    const requests = sandbox.calls.us.requests + sandbox.calls.eu.requests + sandbox.calls.in.requests;
    // On a busy machine, with short deadlines, a call may be given up before it has reached the service, or after its job was lost.
    if (!silent) expect(summary(id).calls + questions.asked).toBe(requests);
    // Nobody was added a second time.
    expect(sent.filter(({ code }) => code === 'ERR_ALREADY_JOINED')).toEqual([]);
  });

  test('"already a member" after a call without an answer says that the earlier call may have done it', async () => {
    const { run, rows } = await openPipeline({ place, sandbox: { faults: 'reset-after=1' } });
    const { id } = await run(csv(participants(3)));
    for (const row of rows(id)) {
      expect(row).toMatchObject({ status: 'already_member', code: 'FOUND_IN_GROUP', attempts: 1 });
      expect(row.message).toContain('CONNECTION_LOST');
    }
  });

  test('a UID that no reply mentions is looked for in its group', async () => {
    const { run, rows } = await openPipeline({ place, sandbox: { faults: 'omit-uid' } });
    const { id } = await run(csv(participants(3)));
    const [found, ...others] = rows(id).filter(({ status }) => status !== 'added');
    expect(found).toMatchObject({ status: 'already_member', code: 'FOUND_IN_GROUP', attempts: 1 });
    expect(others).toEqual([]);
  });

  test('a UID that no reply ever mentions is asked for twice and stays unconfirmed, if the group is not asked', async () => {
    const { run, rows, counts, sandbox } = await openPipeline({
      place,
      sandbox: { faults: 'omit-uid' },
      askBeforeRepeat: 'never',
    });
    const { id, state } = await run(csv(participants(3)));
    expect(state).toBe('completed');
    expect(counts(id)).toMatchObject({ read: 3, added: 2, unconfirmed: 1 });
    expect(rows(id).find(({ status }) => status === 'unconfirmed')).toMatchObject({
      code: 'NOT_IN_REPLY',
      attempts: 2,
    });
    expect(sandbox.calls.us.requests).toBe(2);
  });

  test('a UID spelled like a property of objects is a UID like any other', async () => {
    const uids = [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      '__defineGetter__',
      'valueOf',
      '0',
      '-1',
      '_',
    ];
    const { run, rows, sandbox } = await openPipeline({ place });
    const { id } = await run(csv(uids.map((uid) => ({ uid }))));
    expect(rows(id).map(({ uid, status }) => [uid, status])).toEqual(uids.map((uid) => [uid, 'added']));
    expect([...sandbox.members('us', 'g').keys()].sort()).toEqual(uids.map((uid) => uid.toLowerCase()).sort());
  });

  test.each(['__proto__', 'constructor'])('a group spelled %s is a group like any other', async (guid) => {
    const { run, rows, sandbox } = await openPipeline({ place });
    const { id } = await run(csv([{ guid, uid: 'anna' }]));
    expect(rows(id).map(({ status }) => status)).toEqual(['added']);
    expect(sandbox.members('us', guid).size).toBe(1);
  });

  test('the service is called no faster than the budget allows', async () => {
    // 600 calls a minute: one in 100 ms.
    const { run, summary } = await openPipeline({ place, callsPerMinute: 600 });
    const { id } = await run(csv(Array.from({ length: 12 }, (_, n) => ({ guid: `g${n}`, uid: 'anna' }))));
    const { startedAt, finishedAt } = summary(id);
    expect(Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '')).toBeGreaterThan(11 * 100 - 150);
  });

  test('a service that says "too many" is left alone for as long as it asks, and no attempt is lost', async () => {
    const { run, counts, summary, sandbox } = await openPipeline({
      place,
      sandbox: { faults: 'too-many=2' },
      concurrency: 1,
    });
    const { id } = await run(csv(participants(50)));
    expect(counts(id)).toMatchObject({ read: 50, added: 50 });
    const { startedAt, finishedAt, regions } = summary(id);
    expect(regions['us']).toMatchObject({ calls: 4, rateLimited: 2, retries: 0 });
    expect(sandbox.calls.us.requests).toBe(4);
    // Twice "Retry-After: 1".
    expect(Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '')).toBeGreaterThanOrEqual(2_000);
  });
});
