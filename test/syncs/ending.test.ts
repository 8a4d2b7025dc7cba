import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { createChatClient } from '../../src/chat/chat-client.ts';
import { expireDaily, expireIfDue } from '../../src/features/sync/compose-syncs.ts';
import { endingBefore } from '../../src/imports/ends/ends.ts';
import { ENDS_SCHEMA } from '../../src/imports/schemas.ts';
import { openForWriting, readStatements } from '../../src/platform/sqlite.ts';
import { tempDir } from '../temp-dir.ts';
import { syncSettled } from './sync-settled.ts';
import { file, openSyncing, type Syncing } from './syncing.ts';

const DAY_MS = 86_400_000;
const TEAM = { team: { participants: ['there'] } };

/** Imports rows of the columns `guid,uid,until`. Returns the number of rows that are invalid. */
async function imported(at: Syncing, ...rows: string[]) {
  const { id } = await at.run(`guid,uid,until\n${rows.join('\n')}\n`);
  return at.counts(id).invalid;
}

/** All memberships that end, as "uid until". */
function ending({ dir, coordinator }: Pick<Syncing, 'dir' | 'coordinator'>, before = Number.MAX_SAFE_INTEGER) {
  return endingBefore(dir.ends, coordinator.sendsTo, before, 100).map(
    ({ uid, until }) => `${uid} ${new Date(until).toISOString()}`,
  );
}

test('the latest row for a membership says when it ends, or that it does not', async () => {
  const at = await openSyncing(TEAM);
  await imported(at, 'team,anna,2100-03-31', 'team,bob,2100-01-01T12:00+02:00', 'team,there,2100-02-01', 'team,dan,');
  const there = 'there 2100-02-02T00:00:00.000Z';
  expect(ending(at)).toEqual(['bob 2100-01-01T10:00:00.000Z', there, 'anna 2100-04-01T00:00:00.000Z']);
  await imported(at, 'TEAM,ANNA,2100-01-01', 'team,bob,', 'team,cleo,2100-12-31');
  expect(ending(at)).toEqual(['anna 2100-01-02T00:00:00.000Z', there, 'cleo 2101-01-01T00:00:00.000Z']);
  // Of rows of one file for the same membership, the last end counts.
  await imported(at, 'team,there,2100-01-01', 'team,there,2100-06-01', 'team,cleo,2100-01-01', 'team,cleo,');
  expect(ending(at)).toEqual(['anna 2100-01-02T00:00:00.000Z', 'there 2100-06-02T00:00:00.000Z']);
});

test('an end that cannot be read or is over makes a row invalid, and 90d counts from now', async () => {
  const at = await openSyncing(TEAM);
  const began = Date.now();
  expect(await imported(at, 'team,anna,soon', 'team,bob,2020-01-01', 'team,cleo,2100-02-30', 'team,dan,90d')).toBe(3);
  const [dan] = endingBefore(at.dir.ends, at.coordinator.sendsTo, Number.MAX_SAFE_INTEGER, 9);
  expect(dan?.uid).toBe('dan');
  expect(dan?.until).toBeGreaterThanOrEqual(began + 90 * DAY_MS);
  expect(dan?.until).toBeLessThanOrEqual(Date.now() + 90 * DAY_MS);
  expect(endingBefore(join(tempDir(), 'ends.sqlite'), undefined, 0, 9)).toEqual([]);
});

test('the page after an end goes on behind it, also where another app has the same membership', () => {
  const path = join(tempDir(), 'ends.sqlite');
  using database = openForWriting(path, ENDS_SCHEMA);
  const add = database.prepare("insert into ends values (?, 'us', ?, ?, 1, 'an import', 0)");
  for (const app of ['one', 'two']) for (const uid of ['anna', 'bob']) add.run(app, 'team', uid);
  const all = endingBefore(path, undefined, 1, -1);
  expect(all).toHaveLength(4);
  expect(all.map((one) => endingBefore(path, undefined, 1, 1, one)[0])).toEqual([...all.slice(1), undefined]);
});

test('a page of many memberships that end at the same time is found without sorting them', () => {
  const path = join(tempDir(), 'ends.sqlite');
  using database = openForWriting(path, ENDS_SCHEMA);
  const plan = readStatements(new URL('../../src/imports/ends/ends.sql', import.meta.url)).get('ending') ?? '';
  const steps = database.prepare(`explain query plan ${plan}`).all();
  expect(steps.map(({ detail }) => detail).join()).toMatch(/ends_by_time(?!.*TEMP B-TREE)/);
});

/** Lets the memberships of these users be over. */
function letEnd({ dir }: Pick<Syncing, 'dir'>, ...uids: string[]) {
  const database = new DatabaseSync(dir.ends);
  database.exec("insert or ignore into ends select app, region, 'gone', 'eve', until, by, at from ends");
  for (const uid of uids) database.prepare('update ends set until = 1 where uid = ?').run(uid);
  database.close();
}

/** Everyone whom a plan would remove, but for who is only not in the file, as "uid: reason". */
const reasons = (at: Syncing, id: string) =>
  at.plan(id, (plan) =>
    plan
      .actions()
      .map(({ uid, reason }) => `${uid}: ${reason}`)
      .toArray(),
  );

const expired = async (at: Syncing) => syncSettled(at.syncs, await at.syncs.expire({ apply: true, who: 'tester' }));
const NONE = { smallGroupRemovals: 0 };
const GUESTS = ['team,anna,2100-01-01', 'team,bob,2100-01-01', 'team,cleo,2100-01-01'];
const GROUPS = { team: { participants: ['there', 'a1', 'a2', 'a3', 'a4'] }, club: { participants: ['there'] } };

test('an expiry removes who is over, spares owners, admins and those whom an open import names, and an undo brings them back for good', async () => {
  const at = await openSyncing(GROUPS);
  await imported(at, ...GUESTS, 'team,boss,2100-01-01', 'team,dan,2100-01-01');
  await at.run('guid,uid,action,scope\nteam,boss,change,admin\n', { shape: { actions: { column: 'action' } } });
  await imported(at, 'team,boss,2100-01-01');
  // Dan has left, and no group of eve is there any more: their ends are of no use.
  const { sandbox } = at;
  const chat = createChatClient({ region: 'us', ...sandbox.apps.us, host: sandbox.host, ca: sandbox.caPem });
  await chat.removeMember('team', 'dan');
  await chat.close();
  letEnd(at, 'anna', 'bob', 'boss', 'dan', 'eve');
  const open = await at.send('guid,uid\nteam,bob\n', {}, { start: false });
  await at.coordinator.settled(open);
  const done = await expired(at);
  expect([done.state, at.changes(done.id)]).toEqual(['applied', ['team anna: remove participant>']]);
  expect(reasons(at, done.id)).toEqual(['anna: ended', 'bob: spared_claimed', 'boss: spared_admin']);
  expect(ending(at).map((one) => one.split(' ')[0])).toEqual(['bob', 'boss', 'cleo']);
  await at.coordinator.resume(open);
  await at.coordinator.settled(open);
  expect(ending(at).map((one) => one.split(' ')[0])).toEqual(['boss', 'cleo']);
  await syncSettled(at.syncs, await at.syncs.undo(done.id, { apply: true, who: 'tester' }));
  expect(Object.keys(at.members('team'))).toEqual(expect.arrayContaining(['anna', 'bob', 'boss', 'cleo', 'there']));
  // Only the admin is over, and is kept.
  expect((await expired(at)).state).toBe('unchanged');
});

test('guards hold an expiry, which removes whom no later row kept when it is approved', async () => {
  const at = await openSyncing(TEAM);
  await imported(at, ...GUESTS);
  letEnd(at, 'anna', 'bob');
  const held = await syncSettled(
    at.syncs,
    await at.syncs.expire({ apply: true, who: 'tester', limits: { smallGroupRemovals: 1 } }),
  );
  expect([held.state, at.members('team')['anna']]).toEqual(['held', 'participant']);
  at.syncs.approve(held.id, 'tester', 'they were guests');
  expect((await syncSettled(at.syncs, held.id)).state).toBe('applied');
  expect(Object.keys(at.members('team'))).toEqual(['there', 'cleo']);
  letEnd(at, 'cleo');
  const again = await syncSettled(at.syncs, await at.syncs.expire({ apply: true, who: 'tester', limits: NONE }));
  expect(again.state).toBe('held');
  await imported(at, 'team,cleo,');
  at.syncs.approve(again.id, 'tester', 'she was a guest');
  expect(await syncSettled(at.syncs, again.id)).toMatchObject({ state: 'unchanged' });
  expect(Object.keys(at.members('team'))).toEqual(['there', 'cleo']);
});

test('the file of a sync says when memberships end: who is over is not named, and who is in place gets another end', async () => {
  const at = await openSyncing(GROUPS);
  const mirror = { mode: 'mirror', missing: 'remove' } as const;
  const rows = ['there', 'a1', 'a2', 'a3'].map((uid) => `team,${uid},`);
  await imported(at, 'team,a1,2100-01-01');
  const first = await at.sync(
    `guid,uid,until\n${[...rows, 'team,a4,2020-01-01', 'team,anna,2100-05-01'].join('\n')}\n`,
    mirror,
  );
  expect([first.state, reasons(at, first.id).filter((one) => one.startsWith('a4'))]).toEqual([
    'applied',
    ['a4: ended'],
  ]);
  expect(ending(at)).toEqual(['anna 2100-05-02T00:00:00.000Z']);
  const second = await at.sync(`guid,uid,until\n${[...rows, 'team,anna,2100-06-01'].join('\n')}\n`, mirror);
  expect([second.state, ending(at)]).toEqual(['unchanged', ['anna 2100-06-02T00:00:00.000Z']]);
  await at.sync('', {}, { source: at.otherFile(file({ team: { anna: 'participant' } })) });
  expect(ending(at)).toEqual([]);
});

test('an expiry begins by itself once a day, also for a day that was missed, and not while one waits for a person', async () => {
  const at = await openSyncing(TEAM);
  await imported(at, ...GUESTS);
  letEnd(at, 'anna');
  let now = Date.now();
  const day = async () => {
    const id = await expireIfDue(at.syncs, at.dir.ends, now);
    return id === undefined ? undefined : syncSettled(at.syncs, id);
  };
  expect((await day())?.state).toBe('applied');
  letEnd(at, 'bob');
  expect(await day()).toBeUndefined();
  now += 3 * DAY_MS;
  expect((await day())?.state).toBe('applied');
  expect(Object.keys(at.members('team'))).toEqual(['there', 'cleo']);
  // One that a person has not decided on is not repeated.
  letEnd(at, 'cleo');
  now += DAY_MS;
  const { id } = await syncSettled(at.syncs, await at.syncs.expire({ apply: true, who: '', limits: NONE }));
  expect([at.syncs.find(id).state, await day()]).toEqual(['held', undefined]);
  at.syncs.catalog.reject(id, 'tester', 'not yet');
  now += DAY_MS;
  expect((await day())?.state).toBe('applied');
});

test('an expiry that begins by itself is reported to the audit log', async () => {
  const at = await openSyncing(TEAM);
  await imported(at, ...GUESTS);
  letEnd(at, 'anna');
  const id = await new Promise<string>((resolve, reject) => {
    const stop = expireDaily(at.syncs, at.dir.ends, resolve, reject);
    onTestFinished(stop);
  });
  expect((await syncSettled(at.syncs, id)).state).toBe('applied');
});

test('an undo puts ends back as they were before the import, where no later row has changed them', async () => {
  const at = await openSyncing(GROUPS);
  const undo = async (id: string) => {
    const done = await syncSettled(at.syncs, await at.syncs.undo(id, { apply: true, who: 'tester' }));
    expect(done.state).toMatch(/^(applied|unchanged)$/);
    return at.plan(done.id, (plan) => plan.facts().notes.map(({ code }) => code));
  };
  const run = (...rows: string[]) => at.run(`guid,uid,until\n${rows.join('\n')}\n`);
  await run('team,a1,2100-01-01', 'team,a2,2100-01-01', 'team,a3,2100-01-01');
  const before = ending(at);
  const moving = await run('team,a1,2100-05-01', 'team,a2,', 'team,a3,2100-05-01', 'team,a4,2100-05-01');
  const later = await run('team,a3,2100-06-01');
  expect(await undo(later.id)).toEqual(['ENDS_PUT_BACK']);
  expect(ending(at).at(-1)).toMatch(/^a4 2100-05/);
  await undo(moving.id);
  expect(ending(at)).toEqual(before);
  // A later row without an end keeps who has none.
  const open = await run('team,a1,');
  await run('team,a1,');
  expect(await undo(open.id)).toEqual([]);
  expect(ending(at)).toEqual(before.filter((one) => !one.startsWith('a1')));
});

test('rows that are sent again keep their ends: the later one of duplicates, and that of a sync', async () => {
  const at = await openSyncing(GROUPS);
  const late = async (send: () => Promise<{ id: string }>) => {
    at.sandbox.addUser('us', 'late');
    at.sandbox.setActive('us', 'late', false);
    const { id } = await send();
    at.sandbox.setActive('us', 'late', true);
    await at.coordinator.settled(await at.coordinator.retry(id));
    expect(at.members('team')['late']).toBe('participant');
    return ending(at);
  };
  const rows = 'guid,uid,until\nteam,late,2100-01-01\nteam,late,2100-05-01\n';
  expect(await late(() => at.run(rows))).toEqual(['late 2100-05-02T00:00:00.000Z']);
  expect(await late(() => at.sync('guid,uid,until\nclub,late,2100-06-01\n'))).toEqual([
    'late 2100-05-02T00:00:00.000Z',
    'late 2100-06-02T00:00:00.000Z',
  ]);
});

test('an import ends well where ends cannot be noted, and says so; the file names its own remedy', async () => {
  const at = await openSyncing(TEAM);
  await imported(at, ...GUESTS);
  writeFileSync(at.dir.ends, 'no database'.repeat(1_000));
  const done = await at.run('guid,uid,until\nteam,dan,2100-01-01\n');
  expect([done.state, at.counts(done.id).added]).toEqual(['completed', 1]);
  expect(JSON.parse(done.totals ?? '').notes).toMatchObject([{ code: 'ENDS_NOT_NOTED' }]);
  expect(() => ending(at)).toThrow(/ends\.sqlite /);
  expect((await at.sync('guid,uid,until\nteam,dan,2100-02-01\n')).state).toBe('unchanged');
});
