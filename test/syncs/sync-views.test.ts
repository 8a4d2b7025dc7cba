import { expect, test } from 'vitest';
import { nextOf, sentenceOf } from '../../src/features/sync/sync-views.ts';

const none = { add: 0, change: 0, remove: 0, ban: 0, report: 0, keep: 0 };
const totals = { groups: 2, changedGroups: 1, unlisted: 0, members: 5, right: 0, changes: 1, actions: none };
type Known = Parameters<typeof sentenceOf>[0];
const sync = (parts: Partial<Known>) =>
  ({ state: 'planned', code: '', totals, importId: null, planning: null, ...parts }) as Known;

test.each<[string, Partial<Known>]>([
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
  ['Nothing was sent: no membership is over.', { state: 'unchanged', reason: 'no membership is over' }],
  ['No plan could be made, and nothing was sent.', { state: 'failed', totals: null }],
  // It failed when it was looked at again.
  ['The plan was not carried out: nothing was sent.', { state: 'failed' }],
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
  expect(sentenceOf(sync(parts))).toBe(sentence);
});

test('a person carries out a plan, or decides about one that is held; nothing else waits for anybody', () => {
  expect(nextOf(sync({}))).toMatchObject([{ operation: 'apply', name: 'Apply 1 change' }, { operation: 'reject' }]);
  expect(nextOf(sync({ state: 'held' })).map(({ operation }) => operation)).toEqual(['approve', 'reject']);
  expect(nextOf(sync({ state: 'stale' }))).toEqual([]);
});
