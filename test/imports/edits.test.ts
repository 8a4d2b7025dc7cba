import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readOptions } from '../../src/imports/import-options.ts';
import { type Action, SCOPES, type Scope } from '../../src/membership/membership.ts';
import type { Outcome } from '../../src/membership/outcome.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { Doorkeeper, Questions } from './doorkeeper.ts';
import { csv, openPipeline, QUEUE_PLACES, reached } from './pipeline-harness.ts';

/** A row of an import of edits. */
interface Edit {
  readonly guid?: string;
  readonly uid: string;
  readonly action: Action;
  readonly scope?: Scope;
}

const EDITS = { edits: true } as const;

/** The file that a sync writes. */
function changes(edits: readonly Edit[]): string {
  const lines = edits.map(({ guid = 'team', uid, action, scope = '' }) => `us,${guid},${uid},${scope},${action},,why`);
  return `${['region,guid,uid,scope,action,from,reason', ...lines].join('\n')}\n`;
}

const uids = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}${n + 1}`);

/** A group with these people in it. */
const seeded = (members: { admins?: string[]; participants?: string[]; usersToBan?: string[] }): SandboxOptions => ({
  groups: 0,
  seed: { regions: { us: { members: { team: members } } } },
});

describe.each(QUEUE_PLACES)('on the $name queue', (place) => {
  test('every row of an import of edits gets the outcome of what it asked for', async () => {
    const { run, rows, sandbox, summary, counts } = await openPipeline({
      place,
      sandbox: seeded({ admins: ['ann'], participants: ['pat', 'pit', 'pam'] }),
    });
    const { id, state } = await run(
      changes([
        { uid: 'new', action: 'add', scope: 'moderator' },
        { uid: 'Pat', action: 'change', scope: 'admin' },
        { uid: 'pit', action: 'remove' },
        { uid: 'pam', action: 'add', scope: 'ban' },
        { uid: 'gone', action: 'remove' },
        { uid: 'gone-too', action: 'change', scope: 'admin' },
        { uid: 'PIT', action: 'remove' },
        { uid: 'ann', action: 'change', scope: 'participant' },
        { uid: 'ann', action: 'remove' },
      ]),
      EDITS,
    );
    expect(state).toBe('completed');
    expect(rows(id).map(({ status, code, scope }) => [status, code, scope])).toEqual([
      ['added', '', 'moderator'],
      ['changed', '', 'admin'],
      ['removed', '', ''],
      ['banned', '', 'ban'],
      ['removed', 'ERR_NOT_A_MEMBER', ''],
      ['failed', 'ERR_NOT_A_MEMBER', 'admin'],
      ['duplicate', 'DUPLICATE', ''],
      ['invalid', 'SEVERAL_ACTIONS', 'participant'],
      ['invalid', 'SEVERAL_ACTIONS', ''],
    ]);
    expect(Object.fromEntries(sandbox.members('us', 'team'))).toEqual({
      ann: 'admin',
      new: 'moderator',
      pat: 'admin',
      pam: 'ban',
    });
    expect(summary(id).rows).toEqual(counts(id));
    // One for both that are added or banned, one for each other.
    expect(summary(id).calls).toBe(1 + 4);
  });

  test('in any other import the column "action" removes and changes nobody', async () => {
    const { run, counts, sandbox } = await openPipeline({ place, sandbox: seeded({ participants: ['pat'] }) });
    const { id } = await run(changes([{ uid: 'pat', action: 'remove' }]));
    expect(counts(id)).toMatchObject({ read: 1, already_member: 1 });
    expect([...sandbox.members('us', 'team').keys()]).toEqual(['pat']);
  });

  test.each([
    ['connections that break after the change was made', 'reset-after=8'],
    ['a server that is out of order', 'error=5,unavailable=5'],
    ['a rate limit of the service', 'too-many=2'],
  ])('%s: every edit is done once in the end, and the group is as asked', async (_, faults) => {
    const stay = uids(20, 'stay');
    const leave = uids(20, 'leave');
    const questions = new Questions();
    const { run, counts, summary, sandbox } = await openPipeline({
      place,
      sandbox: { ...seeded({ participants: [...stay, ...leave] }), faults },
      chat: questions.chat,
    });
    const edits: Edit[] = [
      ...stay.map((uid) => ({ uid, action: 'change', scope: 'moderator' }) as const),
      ...leave.map((uid) => ({ uid, action: 'remove' }) as const),
      ...uids(30, 'come').map((uid) => ({ uid, action: 'add', scope: 'participant' }) as const),
    ];
    const { id, state } = await run(changes(edits), EDITS);
    expect(state).toBe('completed');
    const { changed, removed, added, already_member } = counts(id);
    expect([changed, removed, added + already_member]).toEqual([20, 20, 30]);
    const members = sandbox.members('us', 'team');
    expect([...members.keys()].sort()).toEqual([...stay, ...uids(30, 'come')].sort());
    expect(stay.map((uid) => members.get(uid))).toEqual(stay.map(() => 'moderator'));
    expect(summary(id).calls + questions.asked).toBe(sandbox.calls.us.requests);
  });

  test('a group that is not there: its edits and additions fail with it, and not each by a call', async () => {
    const { run, rows, sandbox } = await openPipeline({ place, sandbox: { groups: 0 }, concurrency: 2 });
    const edits: Edit[] = [
      ...uids(60, 'leave').map((uid) => ({ uid, action: 'remove' }) as const),
      ...uids(30, 'come').map((uid) => ({ uid, action: 'add' }) as const),
    ];
    const { id } = await run(changes(edits), EDITS);
    expect(new Set(rows(id).map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(['failed ERR_GUID_NOT_FOUND']),
    );
    expect(sandbox.calls.us.requests).toBeLessThan(20);
  });

  test('a retry sends the edits that failed, as edits', async () => {
    const { run, rows, sandbox, coordinator } = await openPipeline({
      place,
      sandbox: seeded({ participants: ['pat'] }),
    });
    const { id } = await run(
      changes([
        { uid: 'pat', action: 'remove' },
        { uid: 'late', action: 'change', scope: 'admin' },
      ]),
      EDITS,
    );
    expect(rows(id).map(({ status }) => status)).toEqual(['removed', 'failed']);
    await run(csv([{ guid: 'team', uid: 'late' }]));
    const again = await coordinator.settled(await coordinator.retry(id));
    expect(readOptions(again).edits).toBe(true);
    expect(rows(again.id).map(({ uid, status }) => [uid, status])).toEqual([['late', 'changed']]);
    expect(Object.fromEntries(sandbox.members('us', 'team'))).toEqual({ late: 'admin' });
  });

  test('pause, stop and resume: no edit is lost and none is sent twice', async () => {
    const door = new Doorkeeper();
    const leave = uids(60, 'leave');
    const pipeline = await openPipeline({
      place,
      sandbox: seeded({ participants: leave }),
      concurrency: 2,
      chat: door.chat,
    });
    const { coordinator, sandbox } = pipeline;
    const id = await pipeline.send(changes(leave.map((uid) => ({ uid, action: 'remove' }))), EDITS);
    await door.until(2);
    const paused = reached(coordinator, id, 'paused');
    await coordinator.pause(id);
    door.letIn(2);
    await paused;
    expect(sandbox.calls.us.requests).toBe(2);
    await pipeline.stop();
    await pipeline.restart();
    await pipeline.coordinator.resume(id);
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(pipeline.counts(id)).toMatchObject({ read: 60, removed: 60 });
    expect(sandbox.members('us', 'team').size).toBe(0);
    expect(sandbox.calls.us.requests).toBe(60);
  });

  test('from any members and any edits: the groups are as asked, by as many calls as necessary', async () => {
    const { run, rows, calls, sandbox } = await openPipeline({ place });
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(people, people, fc.infiniteStream(fc.nat(99)), async (before, wanted, dice) => {
        runs += 1;
        const groups = [`team-${runs}`, `board-${runs}`];
        const nameOf = (place: string) => (place.startsWith('t') ? groups[0] : groups[1]) ?? '';
        await run(csv(Object.entries(before).map(([place, scope]) => ({ guid: nameOf(place), uid: place, scope }))));
        const edits = Object.entries(wanted).map(([uid, scope]): Edit => {
          const action = (['add', 'change', 'remove'] as const)[(dice.next().value ?? 0) % 3] ?? 'add';
          const allowed = action === 'change' && scope === 'ban' ? 'admin' : scope;
          return { guid: nameOf(uid), uid, action, scope: allowed };
        });
        const { id } = await run(changes(edits), EDITS);

        const after = { ...before };
        const expected = edits.map((edit) => outcomeOf(edit, after));
        expect(rows(id).map(({ status }) => status)).toEqual(expected);
        const members = groups.flatMap((guid) => [...sandbox.members('us', guid)]);
        expect(Object.fromEntries(members)).toEqual(after);
        const adds = groups.map((guid) => edits.filter((edit) => edit.guid === guid && edit.action === 'add').length);
        const others = edits.filter(({ action }) => action !== 'add').length;
        expect(calls(id)).toBe(adds.reduce((sum, count) => sum + Math.ceil(count / 25), others));
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });
});

/** People of two groups, with their scopes. */
const people = fc.dictionary(
  fc.tuple(fc.constantFrom('t', 'b'), fc.nat(60)).map(([group, n]) => `${group}${n}`),
  fc.constantFrom(...SCOPES, 'participant' as const),
  { minKeys: 1, maxKeys: 80, size: 'max', noNullPrototype: true },
);

/** Returns the effect of an edit on the members of its group, and its outcome. */
function outcomeOf({ uid, action, scope = 'participant' }: Edit, members: Record<string, Scope>): Outcome {
  const place = members[uid];
  switch (action) {
    case 'add':
      if (scope === 'ban') {
        members[uid] = scope;
        return 'banned';
      }
      if (place !== undefined && place !== 'ban') return 'already_member';
      members[uid] = scope;
      return 'added';
    case 'change':
      if (place === undefined || place === 'ban') return 'failed';
      members[uid] = scope;
      return 'changed';
    case 'remove':
      if (place !== 'ban') delete members[uid];
      return 'removed';
    case 'unban':
      if (place === 'ban') delete members[uid];
      return 'unbanned';
  }
}
