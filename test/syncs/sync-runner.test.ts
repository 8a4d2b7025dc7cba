import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PlanFlags } from '../../src/api/sync-entry.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import type { Sync } from '../../src/features/sync/kept-sync.ts';
import { AGAIN } from '../../src/features/sync/run/sync-waits.ts';
import { importOptions } from '../../src/imports/import-options.ts';
import { utcTime } from '../../src/text/wording.ts';
import { withList } from '../chat/with-list.ts';
import { eventually } from '../imports/pipeline-harness.ts';
import { stopClock } from '../stopped-clock.ts';
import { syncSettled } from './sync-settled.ts';
import { file, openSyncing, type Syncing } from './syncing.ts';

const MIRROR: Partial<PlanFlags> = { mode: 'mirror', missing: 'remove', allowDemotion: true };

/** `count` participants by UID. */
function people(count: number, prefix = 'u'): Record<string, 'participant'> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at + 1}`, 'participant'] as const));
}

test('a sync adds, changes and removes until the groups are as the file says, and then finds nothing to do', async () => {
  const at = await openSyncing({
    team: { owner: 'boss', moderators: ['mia'], participants: ['anna', 'bob', 'cleo'] },
    club: { participants: ['dan'] },
  });
  const team = {
    boss: 'admin',
    mia: 'participant',
    anna: 'moderator',
    cleo: 'participant',
    new: 'participant',
  } as const;
  const club = { dan: 'participant', eve: 'participant' } as const;
  const done = await at.sync(file({ team, club }), MIRROR);
  expect([done.state, done.reason]).toEqual(['applied', 'every change has its outcome']);
  expect([at.members('team'), at.members('club')]).toEqual([team, club]);
  expect(at.counts(done.importId ?? '')).toMatchObject({ read: 5, added: 2, changed: 2, removed: 1 });
  const calls = at.sandbox.calls.us.requests;
  expect(await at.sync(file({ team, club }), MIRROR)).toMatchObject({ state: 'unchanged', importId: null });
  // One list for each group.
  expect(at.sandbox.calls.us.requests - calls).toBe(2);
});

test('a first run may add many, and a later one is held until someone approves it', async () => {
  const at = await openSyncing({ team: { participants: ['anna'] } });
  const notes = (id: string) => at.plan(id, (plan) => plan.facts().notes.map(({ code }) => code));
  const first = await at.sync(file({ team: people(101) }));
  expect([first.state, notes(first.id)]).toEqual(['applied', ['FIRST_RUN']]);
  const grown = file({ team: people(500) });
  const second = await at.sync(grown);
  expect([second.state, at.plan(second.id, (plan) => plan.findings().map(({ guard }) => guard))]).toEqual([
    'held',
    ['grown-file', 'group-additions', 'region-additions', 'run-additions'],
  ]);
  expect(notes(second.id)).toEqual(['MORE_MESSAGES']);
  at.syncs.approve(second.id, 'ann', 'the new year');
  expect(await syncSettled(at.syncs, second.id)).toMatchObject({ state: 'applied' });
  expect(await at.sync(file({ team: people(540) }))).toMatchObject({ state: 'applied' });
});

test('planning makes no more calls than it may: it says before how many it needs', async () => {
  const at = await openSyncing({ team: { participants: ['anna'] }, club: { participants: ['anna'] } });
  const content = file({ team: { bob: 'participant' }, club: { bob: 'participant' } });
  const refused = await at.sync(content, {}, { maxCalls: 1 });
  expect(refused).toMatchObject({ state: 'failed', code: 'CALLS_USED_UP' });
  expect(at.sandbox.calls.us.requests).toBe(0);
  // Two lists; where something changes, it is asked who is banned, too.
  expect(await at.sync(content, {}, { maxCalls: 3 })).toMatchObject({ state: 'failed', code: 'CALLS_USED_UP' });
  expect(at.sandbox.calls.us.requests).toBe(2);
  expect(await at.sync(content, {}, { maxCalls: 4, apply: false })).toMatchObject({ state: 'planned' });
  expect(at.sandbox.calls.us.requests).toBe(6);
});

describe('what was changed by hand since the last night', () => {
  const wanted = file({ team: { anna: 'participant', bob: 'participant' } });
  const handmade = { participants: ['anna', 'guest'] };

  test('stays in mode add; who was removed is put back', async () => {
    const at = await openSyncing({ team: handmade });
    await at.sync(wanted);
    expect(at.members('team')).toEqual({ anna: 'participant', guest: 'participant', bob: 'participant' });
  });

  test('is reported, or removed, in mode mirror; who was removed is put back', async () => {
    const at = await openSyncing({ team: handmade });
    const { id } = await at.sync(wanted, { mode: 'mirror' });
    expect(at.members('team')).toEqual({ anna: 'participant', guest: 'participant', bob: 'participant' });
    expect(
      at.plan(id, (plan) =>
        plan
          .actions(new Set(['report']))
          .map(({ uid }) => uid)
          .toArray(),
      ),
    ).toEqual(['guest']);
    await at.sync(wanted, MIRROR);
    expect(at.members('team')).toEqual({ anna: 'participant', bob: 'participant' });
  });
});

describe('no one is removed', () => {
  const team = people(8);
  const club = people(8, 'c');
  const whole = file({ team, club });
  const lists = { team: { participants: Object.keys(team) }, club: { participants: Object.keys(club) } };

  const guardsOf = (at: Syncing, id: string) => at.plan(id, (plan) => plan.findings().map(({ guard }) => guard));

  test('by a file that is empty, cut off, of another region, or has a column renamed', async () => {
    const at = await openSyncing(lists);
    const otherRegion = whole.replaceAll(/^(?=\w+,[uc]\d)/gm, 'eu,').replace('guid', 'region,guid');
    const nights: [content: string, state: string, says: RegExp][] = [
      ['', 'failed', /is empty/],
      ['guid,uid,scope\n', 'failed', /no rows/],
      [whole.split('\n').slice(0, 9).join('\n'), 'held', /fewer than the 16 of the last run/],
      [whole.replace('scope', 'level'), 'held', /has no column for scope/],
      [whole.replace(',uid', ',number'), 'failed', /no column is recognised as the uid/],
      [otherRegion, 'held', /is in eu now/],
    ];
    for (const [nth, [content, state, says]] of nights.entries()) {
      // Every file is compared with a good one in its place the night before.
      const source = at.otherFile(whole, String(nth));
      expect((await at.sync(whole, MIRROR, { source })).state).toBe('unchanged');
      at.otherFile(content, String(nth));
      const done = await at.sync(content, MIRROR, { source });
      expect([done.state, done.reason]).toEqual([state, expect.stringMatching(says)]);
      expect([at.members('team'), at.members('club')]).toEqual([team, club]);
    }
  });

  test('by a listing that gives fewer pages or entries than it promises, or fails half-way', async () => {
    const large = people(1_001);
    let fails = false;
    const at = await openSyncing(
      { team: { participants: Object.keys(large) } },
      {},
      {
        chat: (chat) =>
          withList(chat, 'members', async (page, _, number) => {
            if (number === 1 || !fails) return page();
            throw new RollcallError('REFUSED', {
              httpStatus: 404,
              serviceCode: null,
              serviceMessage: 'gone',
              rate: {},
            });
          }),
      },
    );
    const less = file({ team: people(990) });
    for (const fault of ['short-page', 'empty-page', 'repeat-page', 'fails half-way']) {
      fails = fault === 'fails half-way';
      at.sandbox.faults.set(fails ? '' : fault);
      const done = await at.sync(less, MIRROR);
      expect([fault, done.state, guardsOf(at, done.id)]).toEqual([
        fault,
        'held',
        ['no-group-listed', 'failed-listings'],
      ]);
      expect(Object.keys(at.members('team'))).toHaveLength(1_001);
    }
    fails = false;
    at.sandbox.faults.clear();
    expect((await at.sync(less, MIRROR)).state).toBe('applied');
    expect(at.members('team')).toEqual(people(990));
  });

  test('where the region refuses the key: the sync says what to fix', async () => {
    const at = await openSyncing(lists);
    at.sandbox.faults.set('refuse-key');
    const done = await at.sync(file({ team: people(7), club }), MIRROR);
    expect([done.state, done.reason]).toEqual(['failed', expect.stringMatching(/^region us /)]);
    at.sandbox.faults.clear();
    expect((await at.sync(file({ team: people(7), club }), MIRROR)).state).toBe('applied');
    expect(at.members('team')).toEqual(people(7));
  });
});

describe('a stored plan', () => {
  const wanted = file({ team: { ...people(40), new1: 'participant', new2: 'participant' } });
  const lists = { team: { participants: Object.keys(people(40)) } };
  const later = { apply: false };

  test('is carried out later, without what was not shown and what is not needed any more', async () => {
    const at = await openSyncing(lists);
    const more = { ...people(40), ...people(40, 'new') };
    const { id, state } = await at.sync(file({ team: more }), {}, later);
    // Its members, and who is banned from it.
    expect([state, at.sandbox.calls.us.requests]).toEqual(['planned', 2]);
    // Someone was faster with one of forty, and someone else has left.
    await at.sync(
      file({ team: { new1: 'participant' } }),
      {},
      { source: at.otherFile(file({ team: { new1: 'participant' } })) },
    );
    await at.syncs.apply(id, 'tester');
    expect(await syncSettled(at.syncs, id)).toMatchObject({ state: 'applied' });
    expect(at.members('team')).toEqual(more);
    expect(at.counts(id)).toMatchObject({ read: 39, added: 39 });
  });

  test('is refused when file or groups have moved too far, and says how', async () => {
    const at = await openSyncing(lists);
    const { id } = await at.sync(wanted, {}, later);
    at.file(file({ team: { ...people(40), new1: 'participant' } }));
    await at.syncs.apply(id, 'tester');
    expect(await syncSettled(at.syncs, id)).toMatchObject({
      state: 'stale',
      importId: null,
      reason:
        'Of 2 changes planned, 1 no longer called for (50 %); the file has changed since; 5 % are allowed: plan again, and apply the new plan.',
    });
    expect(at.members('team')).toEqual(people(40));
    await expect(at.syncs.apply(id, 'tester')).rejects.toMatchObject({
      code: 'WRONG_STATE',
      facts: { state: 'stale' },
    });
  });

  test('has nothing to do where others were faster with all of it', async () => {
    const at = await openSyncing(lists);
    const { id } = await at.sync(wanted, {}, later);
    await at.run(wanted);
    await at.syncs.apply(id, 'tester');
    expect(await syncSettled(at.syncs, id)).toMatchObject({ state: 'unchanged', importId: null });
  });

  test('that was put away cannot be carried out', async () => {
    const at = await openSyncing(lists);
    const { id } = await at.sync(wanted, {}, later);
    at.syncs.catalog.reject(id, 'tester', 'the file is of last year');
    await expect(at.syncs.apply(id, 'tester')).rejects.toMatchObject({
      code: 'WRONG_STATE',
      facts: { state: 'rejected' },
    });
  });
});

test('a held plan is let through once, by someone who says why, and that stays on record', async () => {
  const team = people(10);
  const at = await openSyncing({ team: { participants: Object.keys(team) } });
  const few = file({ team: people(5) });
  const held = await at.sync(few, MIRROR);
  expect([held.state, held.reason]).toEqual(['held', expect.stringMatching(/50 %/)]);
  await expect(at.syncs.apply(held.id, 'tester')).rejects.toThrow('approve');
  at.syncs.approve(held.id, 'mia', 'the course is over');
  expect(await syncSettled(at.syncs, held.id)).toMatchObject({
    state: 'applied',
    approved: { by: 'mia', reason: 'the course is over' },
  });
  expect(at.members('team')).toEqual(people(5));
  expect(await at.sync(file({ team: people(1) }), MIRROR)).toMatchObject({ state: 'held', approved: null });
  // A file that asks for nothing is held as well; an approval changes nothing.
  const nothing = await at.sync('guid,uid\nteam,"not a uid"\n', MIRROR);
  expect([nothing.state, nothing.reason]).toEqual(['held', expect.stringContaining('No row of 1 can be used')]);
  at.syncs.approve(nothing.id, 'mia', 'nobody is to come');
  expect((await syncSettled(at.syncs, nothing.id)).state).toBe('unchanged');
  expect(at.members('team')).toEqual(people(5));
});

test('who stops a plan while it is looked at again can carry it out later; an approval holds', async () => {
  const at = await openSyncing({ team: { participants: Object.keys(people(10)) } });
  const { id } = await at.sync(file({ team: people(5) }), MIRROR);
  const calls = at.sandbox.calls.us.requests;
  at.sandbox.faults.set('timeout=1');
  at.syncs.approve(id, 'mia', 'the course is over');
  await eventually(() => at.sandbox.calls.us.requests).toBe(calls + 1);
  at.syncs.cancel(id, 'mia');
  expect(await syncSettled(at.syncs, id)).toMatchObject({ state: 'planned', importId: null, finishedAt: null });
  expect(at.members('team')).toEqual(people(10));
  await at.syncs.apply(id, 'mia');
  expect(await syncSettled(at.syncs, id)).toMatchObject({
    state: 'applied',
    approved: { reason: 'the course is over' },
  });
  expect(at.members('team')).toEqual(people(5));
});

test('an undo brings back what a sync has changed, removed and added, and leaves alone what others did since', async () => {
  const at = await openSyncing({ team: { moderators: ['mia'], participants: ['anna', 'bob', 'cleo'] } });
  const before = at.members('team');
  const { id } = await at.sync(
    file({ team: { mia: 'participant', anna: 'admin', cleo: 'participant', new: 'participant' } }),
    MIRROR,
  );
  expect(at.members('team')).not.toEqual(before);
  const other = { cleo: 'moderator' } as const;
  await at.sync(file({ team: other }), {}, { source: at.otherFile(file({ team: other })) });
  const undo = await at.syncs.undo(id, {
    limits: { smallGroupRemovals: 10 },
    apply: true,
    who: 'tester',
  });
  expect(await syncSettled(at.syncs, undo)).toMatchObject({ state: 'applied', undoOf: id });
  expect(at.members('team')).toEqual({ ...before, cleo: 'moderator' });
});

test('an import that has not finished is not undone: its rows that are left would be sent after it', async () => {
  const at = await openSyncing({ team: {} });
  const source = at.otherFile(file({ team: people(2) }));
  const options = importOptions.parse({ region: 'us' });
  const id = await at.coordinator.create({ file: source, source, options, start: false });
  await at.coordinator.settled(id);
  const undo = at.syncs.undo(id, {
    apply: true,
    who: 'ann',
  });
  await expect(undo).rejects.toMatchObject({
    code: 'CANNOT_UNDO',
    facts: { importId: id, possible: ['resume', 'cancel', 'delete'] },
  });
});

describe('a process that stops', () => {
  const wanted = file({ team: people(5) });

  test('in the middle of planning leaves it to the next one, which plans anew and carries it out', async () => {
    const at = await openSyncing({ team: {} });
    at.sandbox.faults.set('timeout=1');
    const id = await at.syncs.create(at.request(wanted));
    await eventually(() => at.sandbox.calls.us.requests).toBe(1);
    await at.stop();
    await at.restart();
    expect(at.syncs.find(id).state).toBe('planning');
    at.syncs.continueAll();
    expect(await syncSettled(at.syncs, id)).toMatchObject({ state: 'applied' });
    expect(at.members('team')).toEqual(people(5));
  });

  /** The process is killed while the sync is planned, at call `calls` to the service; so have `more` others been before. */
  const die = async (at: Syncing, calls: number, more = 0): Promise<void> => {
    await eventually(() => at.sandbox.calls.us.requests).toBe(calls);
    await at.stop();
    // A process that is killed writes nothing down.
    const catalog = new DatabaseSync(at.dir.catalog);
    const change = catalog.prepare('update syncs set sync = ? where id = ?');
    for (const { id, sync } of catalog.prepare('select id, sync from syncs').all()) {
      const kept: Sync = JSON.parse(String(sync));
      const moves = kept.moves.filter(({ reason }) => reason !== 'the process was stopped');
      const again = moves.filter(({ reason }) => reason === AGAIN).slice(0, 1);
      change.run(JSON.stringify({ ...kept, moves: [...moves, ...Array(more).fill(again).flat()] }), String(id));
    }
    catalog.close();
    await at.restart();
  };

  /** The next process goes on with all, as `serve` does. */
  const goOn = (at: Syncing): void => {
    const watch = at.coordinator.watchWaits((error) => at.failures.push(error), 5);
    onTestFinished(() => watch.stop());
    at.syncs.continueAll();
  };

  test('unexpectedly is begun again at once, and from the second time on after a wait, which outlives the process', async () => {
    const at = await openSyncing({ team: {} });
    const clock = stopClock();
    at.sandbox.faults.set('timeout=2');
    const id = await at.syncs.create(at.request(wanted));
    await die(at, 1);
    goOn(at);
    await die(at, 2);
    const until = utcTime(Date.now() + 60_000);
    const stands = {
      state: 'planning',
      code: 'PROCESS_DIED',
      reason: expect.stringContaining(`${until}`),
    };
    goOn(at);
    await eventually(() => at.syncs.find(id)).toMatchObject(stands);

    // Another start changes nothing about it, and others do not wait.
    clock.pass(30_000);
    await at.stop();
    await at.restart();
    goOn(at);
    expect(
      (await at.sync(file({ club: people(1) }), {}, { source: at.otherFile(file({ team: people(1) })) })).state,
    ).toBe('applied');
    expect(at.syncs.find(id)).toMatchObject(stands);
    clock.pass(30_000);
    expect(await syncSettled(at.syncs, id)).toMatchObject({ state: 'applied' });
    expect(at.members('team')).toEqual(people(5));
  });

  test('unexpectedly six times in the middle of planning is not made to try again; a new sync is', async () => {
    const at = await openSyncing({ team: {} });
    at.sandbox.faults.set('timeout=2');
    const id = await at.syncs.create(at.request(wanted));
    await die(at, 1);
    goOn(at);
    await die(at, 2, 4);
    goOn(at);
    expect(await syncSettled(at.syncs, id)).toMatchObject({ state: 'failed', code: 'PROCESS_DIED' });
    expect((await at.sync(wanted)).state).toBe('applied');
  });

  test('finds nothing to do where someone has cancelled it', async () => {
    const at = await openSyncing({ team: {} });
    at.sandbox.faults.set('timeout=1');
    const id = await at.syncs.create(at.request(wanted));
    await eventually(() => at.sandbox.calls.us.requests).toBe(1);
    at.syncs.cancel(id, 'mia');
    expect(await syncSettled(at.syncs, id)).toMatchObject({ state: 'cancelled', reason: 'it was cancelled' });
    expect(() => at.syncs.cancel(id, 'mia')).toThrow(
      expect.objectContaining({ code: 'WRONG_STATE', facts: expect.objectContaining({ state: 'cancelled' }) }),
    );
    // The next one does not wait for it.
    expect((await at.sync(wanted)).state).toBe('applied');
    await at.stop();
    await at.restart();
    at.syncs.continueAll();
    expect((await syncSettled(at.syncs, id)).state).toBe('cancelled');
  });

  test('in the middle of applying leaves its import to the next one, and the sync follows it', async () => {
    const at = await openSyncing({ team: {} });
    const id = await at.syncs.create(at.request(wanted));
    at.coordinator.events.on('state', ({ state }) => {
      if (state === 'running') at.sandbox.faults.set('timeout');
    });
    await eventually(() => at.coordinator.lookUp(id)?.state).toBe('running');
    await at.stop();
    at.sandbox.faults.set('');
    await at.restart();
    expect(at.syncs.find(id)).toMatchObject({ state: 'applying', importId: id });
    await at.coordinator.continueAll();
    at.syncs.continueAll();
    expect(await syncSettled(at.syncs, id)).toMatchObject({ state: 'applied' });
    expect(at.members('team')).toEqual(people(5));
  });
});

test('a region whose list of members hides the banned is asked for them, so that no ban is lifted unasked', async () => {
  const at = await openSyncing(
    { team: { participants: ['anna'], usersToBan: ['mallory'] }, club: { usersToBan: ['mallory'] } },
    { behaviour: { listBanned: false } },
  );
  const wanted = { anna: 'moderator', mallory: 'participant' } as const;
  const done = await at.sync(file({ team: wanted, club: { mallory: 'participant' } }));
  expect(done.state).toBe('applied');
  expect([at.members('team'), at.members('club')]).toEqual([{ anna: 'moderator', mallory: 'ban' }, { mallory: 'ban' }]);
});
