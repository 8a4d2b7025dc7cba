import { describe, expect, test } from 'vitest';
import type { FollowUp, ImportView, SyncEntry } from '../../src/console/answers.ts';
import {
  completeRetry,
  leftToDo,
  outcomeLabel,
  outcomeNow,
  stateLabel,
  stateSentence,
  stateTone,
} from '../../src/console/import-words.ts';
import { createdWords, modeWords, syncSentence } from '../../src/console/sync-words.ts';
import { countsSentence, mayCreateWords } from '../../src/membership/plan-words.ts';
import { NO_ROWS } from './no-rows.ts';

type Parts = Partial<Omit<ImportView, 'rows'>> & { rows?: Partial<ImportView['rows']> };
const view = ({ rows, ...parts }: Parts) =>
  ({
    ...{ state: 'completed', code: '', staging: null, followUps: [], repaired: 0, regions: {}, dryRun: false },
    ...parts,
    rows: { ...NO_ROWS, ...rows },
  }) as ImportView;
const retry = (parts: Partial<FollowUp>): FollowUp => ({
  ...{ kind: 'retry', id: 'again', state: 'completed', isOpen: false, isPart: false },
  rows: { ...NO_ROWS, read: 2, failed: 2 },
  ...parts,
});

describe('an import', () => {
  test.each<[string, Parts]>([
    ['Completed: the file has no rows.', {}],
    ['Completed: the only row succeeded.', { rows: { read: 1, added: 1 } }],
    ['Completed: all 3 rows succeeded.', { rows: { read: 3, added: 1, already_member: 2 } }],
    [
      'Completed: 1 of 2 rows succeeded; the others are duplicates of these.',
      { rows: { read: 2, added: 1, duplicate: 1 } },
    ],
    ['Completed: 1 of 2 rows succeeded; 1 row needs attention.', { rows: { read: 2, added: 1, invalid: 1 } }],
    [
      'Completed: 1 of 4 rows succeeded; 1 row was repaired and sent; 2 rows were retried.',
      { rows: { read: 4, added: 1, failed: 3 }, repaired: 1, followUps: [retry({})] },
    ],
    ['Cancelled: 1 of 2 rows was not sent.', { state: 'cancelled', rows: { read: 2, added: 1, unprocessed: 1 } }],
    [
      'The first rows have been sent. 1 row waits until you resume.',
      { state: 'paused', code: 'FIRST_ROWS', rows: { read: 2, added: 1 } },
    ],
    ['Paused: 1 row waits. Nothing is sent until it is resumed.', { state: 'paused', rows: { read: 2, added: 1 } }],
    [
      'The file has been checked: 1 row can be sent. Nothing has been sent.',
      { state: 'staged', dryRun: true, rows: { read: 1 } },
    ],
    [
      'The file has been read, and nothing has been sent: 2 rows remove or ban members, more than are sent without asking. Look at the rows first.',
      { state: 'staged', maxRemovals: '2', rows: { read: 2 } },
    ],
    [
      'Blocked: the service refused us: ERR_PLAN; 1 row waits; nothing is lost.',
      { state: 'blocked', reason: 'the service refused us: ERR_PLAN', rows: { read: 2, added: 1 } },
    ],
    [
      'Waiting: the disk is full; it continues by itself; nothing is lost.',
      { state: 'blocked', code: 'DISK_FULL', reason: 'the disk is full' },
    ],
    ['Sending memberships: 1 of 2 rows have an outcome.', { state: 'running', rows: { read: 2, added: 1 } }],
  ])('says how it stands: %s', (sentence, parts) => {
    expect(stateSentence(view(parts))).toBe(sentence);
  });

  test('has problems until its rows were repaired or retried; a retry of a part, or one that was rejected, does not count', () => {
    const rows = { read: 3, added: 1, failed: 2 };
    const marked = (parts: Parts) => [leftToDo(view(parts)), stateLabel(view(parts)), stateTone(view(parts))];
    expect(marked({ rows })).toEqual([2, 'completed with problems', 'attention']);
    expect(marked({ rows, repaired: 2 })).toEqual([0, 'completed', 'good']);
    expect(marked({ rows, followUps: [retry({})] })).toEqual([0, 'completed', 'good']);
    for (const parts of [{ isPart: true }, { state: 'rejected' }, { kind: 'undo' as const }]) {
      expect(completeRetry(view({ rows, followUps: [retry(parts)] }))).toBe(undefined);
      expect(marked({ rows, followUps: [retry(parts)] })[0]).toBe(2);
    }
    // A cancelled import waits for a retry of the rows that were not sent.
    expect(leftToDo(view({ state: 'cancelled', rows: { read: 2, unprocessed: 2 } }))).toBe(2);
    expect(leftToDo(view({ state: 'cancelled', rows: { read: 2, unprocessed: 2 }, followUps: [retry({})] }))).toBe(0);
  });

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
    expect(createdWords(totals)).toBe('');
  });
});
