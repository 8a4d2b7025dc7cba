import { expect, test } from 'vitest';
import type { PlanTotals } from '../../src/api/sync-entry.ts';
import { cronOf, scheduleName, timeFields } from '../../src/features/schedule/pages/schedule-rules.ts';
import type { SyncView } from '../../src/features/sync/api.ts';
import {
  decisionOf,
  guardsSentence,
  notesOf,
  planFields,
  planOptions,
  shareOf,
  takenBy,
} from '../../src/features/sync/pages/plan-rules.ts';

const totals = (members: number, remove: number) =>
  ({ members, actions: { add: 0, change: 0, keep: 0, remove, ban: 1, report: 0 } }) as PlanTotals;

test('the share of members who would leave is said where anyone leaves, and is never nothing', () => {
  expect(shareOf(totals(0, 3))).toBe('');
  expect(shareOf(totals(40, 9))).toBe(': 10 of 40 members (25 %) would leave');
  expect(shareOf(totals(4_000, 0))).toBe(': 1 of 4,000 members (less than 1 %) would leave');
});

test('guards that object are named, with the number of groups where these are several', () => {
  const guards = [
    { guard: 'left', count: 1 },
    { guard: 'group-removals', count: 1_200 },
  ] as SyncView['guards'];
  expect(guardsSentence([])).toBe('');
  expect(guardsSentence(guards)).toBe('Guards that object: left, group-removals (1,200 groups).');
});

test('a plan is sent to the apps of its regions; one of an older version may be sent to all', () => {
  const apps = { us: { appId: 'app-1', keySet: true }, eu: { appId: 'app-2', keySet: true } };
  expect(takenBy({ ...totals(4, 0), regions: ['eu'] }, apps).apps).toEqual(['app-2 in eu']);
  expect(takenBy(totals(4, 0), apps).apps).toEqual(['app-1 in us', 'app-2 in eu']);
});

test('a sync that is over names who decided, and no longer what the guards let pass', () => {
  const notes = [
    { code: 'FIRST_RUN', text: 'No run before' },
    { code: 'MORE_MESSAGES', text: 'More than usual' },
  ];
  expect(notesOf({ finishedAt: null, notes })).toHaveLength(2);
  expect(notesOf({ finishedAt: '2026-03-01T04:05:01Z', notes })).toMatchObject([{ code: 'MORE_MESSAGES' }]);
  const moves: SyncView['moves'] = [
    { at: '2026-03-01T04:05:01Z', state: 'rejected', reason: 'wrong file', who: 'ann' },
  ];
  expect(decisionOf({ state: 'rejected', approved: null, moves })).toEqual({
    what: 'Rejected',
    by: 'ann',
    reason: 'wrong file',
  });
  const approved = { by: 'ben', at: '2026-03-01T04:05:01Z', reason: 'checked' };
  expect(decisionOf({ state: 'applied', approved, moves: [] })).toMatchObject({ what: 'Approved', by: 'ben' });
  expect(decisionOf({ state: 'held', approved: null, moves: [] })).toBeUndefined();
});

test('what is done with missing members is asked and sent with the mode that looks at them only', () => {
  const chosen = { mode: 'mirror', missing: 'remove', whose: 'ours', 'limit.groupRemovals': '5', file: 'a.csv' };
  expect(planFields(chosen)).toEqual(expect.arrayContaining(['missing', 'whose']));
  expect(planFields({ mode: 'mirror' })).not.toContain('whose');
  expect(planFields({})).not.toContain('missing');
  expect(planOptions(chosen)).toMatchObject({ missing: 'remove', whose: 'ours', 'limit.groupRemovals': '5' });
  expect(planOptions(chosen)).not.toHaveProperty('file');
  expect(planOptions({ ...chosen, mode: '' })).toMatchObject({ missing: '', whose: '' });
});

test('a schedule is called as it is typed where that is a name, and else by its letters and digits', () => {
  expect(['Nightly Röster', 'hr_2', '…'].map(scheduleName)).toEqual(['nightly-roster', 'hr_2', '']);
});

test.each([
  ['30 2 * * *', { every: '* * *', at: '02:30' }],
  ['5 14 * * 1-5', { every: '* * 1-5', at: '14:05' }],
  ['0 6,18 * * *', { every: 'cron', cron: '0 6,18 * * *' }],
])('the times %s come out of the form as they went in', (cron, fields) => {
  expect(timeFields(cron)).toEqual(fields);
  expect(cronOf(timeFields(cron))).toBe(cron);
  expect(cronOf({ every: '* * *', at: '' })).toBe('');
});
