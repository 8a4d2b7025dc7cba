import { rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createChatClient } from '../../src/chat/chat-client.ts';
import { syncFlags } from '../../src/features/sync/kept-sync.ts';
import { awaits, bringBack, membersCsv } from '../../src/features/sync/memory/memory.ts';
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
  expect(() => membersCsv(at.dir.memory, 'nightly')).toThrow(/"nightly"/);
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

/** The users whom a plan leaves alone or adds because of who made them members: "uid reason". */
const reasons = (at: Syncing, id: string) =>
  at.plan(id, (plan) =>
    plan
      .actions()
      .filter(({ reason }) => /^(not_ours|left|left_added|changed_by_others|missing_removed)$/.test(reason))
      .map(({ uid, reason }) => `${uid} ${reason}`)
      .toArray(),
  );
const notes = (at: Syncing, id: string) => at.plan(id, (plan) => plan.facts().notes.map(({ code }) => code));

const people = (...uids: string[]) => file({ team: Object.fromEntries(uids.map((uid) => [uid, 'participant'])) });

test('with --whose ours only members whom the sync made are removed, and the plan names the others', async () => {
  const at = await openSyncing({ team: { participants: ['old', 'older'] } });
  const OURS = { ...MIRROR, whose: 'ours' } as const;
  const first = await at.sync(people('anna', 'ben', 'cleo'), OURS);
  // Nothing is remembered yet: everyone who is there counts as others'.
  expect([reasons(at, first.id), notes(at, first.id)]).toEqual([
    ['old not_ours', 'older not_ours'],
    ['NOTHING_REMEMBERED', 'NOT_OURS'],
  ]);
  await others(at).addMembers('team', { participants: ['byhand'] });
  const second = await at.sync(people('anna', 'ben'), OURS);
  expect(reasons(at, second.id)).toEqual(['byhand not_ours', 'cleo missing_removed', 'old not_ours', 'older not_ours']);
  expect([Object.keys(at.members('team')), notes(at, second.id)]).toEqual([
    ['old', 'older', 'anna', 'ben', 'byhand'],
    ['NOT_OURS'],
  ]);
  // Who was there before the sync named them stays theirs, and so does who leaves and is added by hand.
  await others(at).removeMember('team', 'ben');
  await at.sync(people('anna', 'old'), OURS);
  await others(at).addMembers('team', { participants: ['ben'] });
  const third = await at.sync(people('anna'), OURS);
  expect(reasons(at, third.id)).toEqual(['ben not_ours', 'byhand not_ours', 'old not_ours', 'older not_ours']);
  // Without the memory no one is the sync's.
  rmSync(at.dir.memory);
  const lost = await at.sync(people('old'), OURS);
  expect([lost.state, notes(at, lost.id)]).toEqual(['unchanged', ['NOTHING_REMEMBERED', 'NOT_OURS']]);
  writeFileSync(at.dir.memory, 'no database'.repeat(1_000));
  expect(await at.sync(people('old'), OURS)).toMatchObject({
    state: 'failed',
    code: 'DAMAGED_LEDGER',
    reason: expect.stringMatching(/memberships\.sqlite /),
  });
});

test.for(['re-add', 'keep-out', 'ask'] as const)('users who have left: %s', async (left) => {
  const at = await openSyncing({ team: { participants: ['old', 'leaver'] } });
  const wanted = people('anna', 'ben', 'old', 'leaver');
  await at.sync(wanted, { ...NIGHTLY, left });
  await others(at).removeMember('team', 'ben');
  // Someone whom the sync did not make a member has not left it.
  await others(at).removeMember('team', 'leaver');
  const second = await at.sync(wanted, { ...NIGHTLY, left });
  expect(second.state).toBe({ 're-add': 'applied', 'keep-out': 'applied', ask: 'held' }[left]);
  expect(reasons(at, second.id)).toEqual([left === 'keep-out' ? 'ben left' : 'ben left_added']);
  if (left === 'ask') {
    expect(at.plan(second.id, (plan) => plan.findings().map(({ guard, value }) => [guard, value]))).toEqual([
      ['left', 1],
    ]);
    at.syncs.approve(second.id, 'ann', 'ben is back');
    await syncSettled(at.syncs, second.id);
  }
  const isBack = left !== 'keep-out';
  expect('ben' in at.members('team')).toBe(isBack);
  const third = await at.sync(wanted, { ...NIGHTLY, left });
  expect([third.state, reasons(at, third.id)]).toEqual(['unchanged', isBack ? [] : ['ben left']]);
  // Who is no longer in the file is forgotten, and is new when it names them again.
  await at.sync(people('anna', 'old', 'leaver'), { ...NIGHTLY, left });
  await at.sync(wanted, { ...NIGHTLY, left });
  expect('ben' in at.members('team')).toBe(true);
});

test('bans and scopes of others are undone, or kept with --changed keep', async () => {
  const at = await openSyncing({ team: { participants: ['old'] } });
  const wanted = people('anna', 'ben', 'cleo', 'old');
  const KEEP = { ...NIGHTLY, changed: 'keep', allowDemotion: true, allowUnban: true } as const;
  await at.sync(wanted, KEEP);
  const chat = others(at);
  await chat.changeScope('team', 'anna', 'moderator');
  await chat.changeScope('team', 'old', 'moderator');
  await chat.addMembers('team', { usersToBan: ['ben'] });
  const kept = await at.sync(wanted, KEEP);
  expect([reasons(at, kept.id), notes(at, kept.id), at.changes(kept.id)]).toEqual([
    ['anna changed_by_others', 'ben changed_by_others'],
    ['CHANGED_BY_OTHERS'],
    // The sync did not make them a member, so the file decides.
    ['team old: change moderator>participant'],
  ]);
  // The file agrees with what others did: it is the sync's from then on, and changes with the file.
  const agrees = file({ team: { anna: 'moderator', cleo: 'participant', old: 'participant' } });
  await at.sync(agrees, KEEP);
  expect(at.changes((await at.sync(people('anna', 'cleo', 'old'), KEEP)).id)).toEqual([
    'team anna: change moderator>participant',
  ]);
  await chat.changeScope('team', 'cleo', 'moderator');
  await at.sync(wanted, { ...KEEP, changed: 'restore' });
  expect(at.members('team')).toEqual({
    anna: 'participant',
    ben: 'participant',
    cleo: 'participant',
    old: 'participant',
  });
});

test('choices that need a memory are refused without a name, and those that do nothing', () => {
  expect(() => syncFlags({ left: 'ask' })).toThrow(
    expect.objectContaining({ code: 'BAD_OPTION', facts: expect.objectContaining({ field: 'left' }) }),
  );
  expect(() => syncFlags({ mode: 'mirror', missing: 'remove', whose: 'ours' })).toThrow(
    expect.objectContaining({ code: 'BAD_OPTION', facts: expect.objectContaining({ field: 'whose' }) }),
  );
  expect(() => syncFlags({ mode: 'mirror', whose: 'ours', syncName: 'nightly' })).toThrow(
    expect.objectContaining({ code: 'BAD_OPTION', facts: expect.objectContaining({ field: 'whose' }) }),
  );
});

test('users who are kept out are let back by a person, one or all, and only until they are there again', async () => {
  const at = await openSyncing({ team: { participants: ['old'] } });
  const OUT = { ...NIGHTLY, left: 'keep-out' } as const;
  const wanted = people('anna', 'ben', 'cleo', 'old');
  await at.sync(wanted, OUT);
  const chat = others(at);
  for (const uid of ['anna', 'ben', 'cleo']) await chat.removeMember('team', uid);
  expect((await at.sync(wanted, OUT)).state).toBe('unchanged');
  expect(() => bringBack(at.dir.memory, 'nightly', ['old'])).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  expect(() => bringBack(at.dir.memory, 'other')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  expect(awaits(at.dir.memory, 'nightly')).toBe(false);
  bringBack(at.dir.memory, 'nightly', ['BEN']);
  expect(awaits(at.dir.memory, 'nightly')).toBe(true);
  await at.sync(wanted, OUT);
  expect(Object.keys(at.members('team'))).toEqual(['old', 'ben']);
  bringBack(at.dir.memory, 'nightly');
  // A plan that is held does not ask about those who were let back.
  expect((await at.sync(wanted, { ...OUT, left: 'ask' })).state).toBe('applied');
  expect([at.members('team'), awaits(at.dir.memory, 'nightly')]).toMatchObject([
    { anna: 'participant', cleo: 'participant' },
    false,
  ]);
  await chat.removeMember('team', 'ben');
  expect(reasons(at, (await at.sync(wanted, OUT)).id)).toEqual(['ben left']);
});

test('additions of an adopted import count as those of the sync', async () => {
  const at = await openSyncing({ team: { participants: ['old'] } });
  const { id: before } = await at.coordinator.settled(await at.send(people('old', 'anna', 'ben')));
  const OURS = { ...MIRROR, whose: 'ours' as const, adopt: [before] };
  const done = await at.sync(people('anna', 'cleo'), OURS);
  expect(reasons(at, done.id)).toEqual(['ben missing_removed', 'old not_ours']);
  expect(await remembered(at)).toEqual(['team anna participant', 'team cleo participant']);
  await expect(at.sync(people('anna'), { ...OURS, adopt: ['20260301-040501-abc'] })).rejects.toMatchObject({
    code: 'UNKNOWN_IMPORT',
  });
});

test('a run is remembered once, also where the process ends between its memory and its end', async () => {
  const at = await openSyncing({ team: { participants: ['old'] } });
  const wanted = people('anna', 'ben', 'old');
  const { id } = await at.sync(wanted, NIGHTLY);
  const catalog = new DatabaseSync(at.dir.catalog);
  // As a process leaves it that is killed before the sync is over.
  const unfinished = `update syncs set sync = json_set(sync, '$.state', 'applying', '$.finishedAt', null) where id = ?`;
  bringBack(at.dir.memory, 'nightly', ['anna']);
  await at.stop();
  catalog.prepare(unfinished).run(id);
  catalog.close();
  await at.restart();
  expect(await syncSettled(at.syncs, id)).toMatchObject({ state: 'applied' });
  expect([await remembered(at), awaits(at.dir.memory, 'nightly')]).toEqual([
    ['team anna participant', 'team ben participant'],
    true,
  ]);
});
