import { describe, expect, test } from 'vitest';
import type { SyncEntry } from '../../src/console/answers.ts';
import { outcomeLabel, outcomeNow } from '../../src/console/import-words.ts';
import { modeWords, syncSentence } from '../../src/console/sync-words.ts';
import { countsSentence, createdWords, mayCreateWords } from '../../src/membership/plan-words.ts';

describe('an import', () => {
  test('says of each row what was so; what is not sent is pending while it goes on', () => {
    expect(outcomeLabel('already_member', 'ban')).toBe('already banned');
    expect(outcomeLabel('already_member', 'owner')).toBe('already a member');
    expect(outcomeLabel('unprocessed', '')).toBe('not sent');
    expect([outcomeNow('unprocessed', false), outcomeNow('unprocessed', true), outcomeNow('failed', false)]).toEqual([
      ...[null, 'unprocessed', 'failed'],
    ]);
  });
});

describe('a sync', () => {
  const none = { add: 0, change: 0, remove: 0, ban: 0, report: 0, keep: 0 };
  const totals = { groups: 2, changedGroups: 1, unlisted: 0, members: 5, right: 0, changes: 1, actions: none };
  const sync = (parts: Partial<SyncEntry>) =>
    ({ state: 'planned', code: '', totals, importId: null, planning: null, ...parts }) as SyncEntry;

  test.each<[string, Partial<SyncEntry>]>([
    // Groups in which nothing changes are not counted with the changes.
    ['Planned: 1 change in 1 group. Nothing has been sent.', {}],
    ['Planned: 1 change in 2 groups. Nothing has been sent.', { totals: { ...totals, changedGroups: undefined } }],
    [
      'Held: guards object to the plan (1 change in 1 group). Nothing is sent unless someone approves it.',
      { state: 'held' },
    ],
    [
      'A try: there is nothing to do. Nothing is sent, and the plan is not carried out.',
      { state: 'tried', totals: { ...totals, changes: 0 } },
    ],
    ['Being carried out by an import: 1 change in 1 group.', { state: 'applying', importId: 'sync-1' }],
    [
      'Waiting: the disk is full. It continues by itself, and nothing is sent meanwhile.',
      { state: 'applying', code: 'DISK_FULL', reason: 'the disk is full' },
    ],
    [
      'Listing the members of the groups: 1 of 3 groups. Nothing is sent.',
      { state: 'planning', planning: { step: 'members', rows: 4, done: 1, groups: 3 } },
    ],
  ])('says how it stands: %s', (sentence, parts) => {
    expect(syncSentence(sync(parts))).toBe(sentence);
  });

  test('says in words what it does, what it may create, and what it creates', () => {
    expect(countsSentence({ ...none, add: 2, report: 1 })).toBe('2 to add, 1 to look at');
    expect(countsSentence({ ...none, add: 2, report: 1 }, ['add'])).toBe('2 to add');
    expect(modeWords({ mode: 'mirror', missing: 'report' })).toBe(
      'mirrors the file; members who are not in it are reported',
    );
    expect(modeWords({ mode: 'mirror', missing: 'ban', whose: 'ours' })).toContain(
      'members whom this sync made members',
    );
    expect(mayCreateWords({ users: false, groups: true, reactivate: false, maxCreate: 'users=5%,groups=4' })).toBe(
      'groups; at most 5% of the users, 4 groups',
    );
    const create = { groups: 1, users: 14, reactivated: 0, calls: 31 };
    expect(createdWords({ ...totals, create })).toBe('1 group, 14 users; 31 calls');
    expect(createdWords({ ...totals, create: { ...create, users: null } })).toBe(
      '1 group; 31 calls; missing users are counted while the plan is carried out',
    );
    expect(createdWords({})).toBe('');
  });
});
