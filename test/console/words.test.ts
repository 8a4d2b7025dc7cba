import { describe, expect, test } from 'vitest';
import { outcomeLabel, outcomeNow } from '../../src/console/import-words.ts';
import { modeWords } from '../../src/console/sync-words.ts';
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
