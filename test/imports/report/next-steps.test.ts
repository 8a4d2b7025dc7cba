import { expect, test } from 'vitest';
import { nextOf } from '../../../src/imports/report/next-steps.ts';
import { actionsOf } from '../../../src/membership/import-state.ts';
import { NO_ROWS } from '../../console/no-rows.ts';

type Known = Parameters<typeof nextOf>[0];
const NOTHING = { toCorrect: 0, ready: 0 };

function steps(
  { rows = {}, state = 'completed', ...parts }: Partial<Omit<Known, 'rows'>> & { rows?: object },
  corrections = NOTHING,
) {
  const actions = actionsOf(state, false);
  const view = { state, retryable: 0, actions, ...parts, rows: { ...NO_ROWS, read: 12, ...rows } };
  return nextOf(view as Known, corrections);
}
const operations = (...given: Parameters<typeof steps>) => steps(...given).map(({ operation }) => operation);

test('an import that waits goes on with what a person agrees to', () => {
  expect(steps({ state: 'blocked', code: 'CREATE_LIMIT', maxCreate: 'users=2,groups=1' })).toMatchObject([
    { operation: 'resume', query: { maxCreate: 'users=2,groups=1' }, name: 'Create 1 group and 2 users' },
    { operation: 'cancel' },
  ]);
  expect(steps({ state: 'staged', code: 'TOO_MANY_REMOVALS', maxRemovals: '3' })).toMatchObject([
    { operation: 'resume', query: { maxRemovals: '3' }, name: 'Send 3 rows that remove or ban' },
  ]);
  expect(steps({ state: 'blocked', code: 'BANS_UNKNOWN' })).toMatchObject([
    { operation: 'resume' },
    { operation: 'resume', query: { banCheck: 'false' } },
  ]);
});

test('one that waits for anything else goes on as it was, or ends', () => {
  for (const code of ['SERVICE_REFUSED', 'SERVICE_AWAY', 'DISK_FULL', 'DATABASE_BUSY', 'PROCESS_DIED'])
    expect(operations({ state: 'blocked', code })).toEqual(['resume']);
  expect(operations({ state: 'blocked', code: 'WRONG_TARGET' })).toEqual(['cancel']);
  expect(operations({ state: 'paused', code: 'FIRST_ROWS' })).toEqual(['resume', 'cancel']);
  expect(operations({ state: 'paused' })).toEqual(['resume']);
  for (const code of ['SENDING_FAILED', 'PROCESS_DIED'])
    expect(operations({ state: 'failed', code })).toEqual(['resume', 'cancel']);
  expect(operations({ state: 'failed', code: 'LEDGER_MISSING' })).toEqual(['resume']);
  for (const state of ['running', 'cancelling'] as const)
    expect(operations({ state, code: 'LEDGER_MISSING' })).toEqual([]);
});

test('a file that was read is reviewed and sent; without a valid row, it is cancelled', () => {
  expect(steps({ state: 'staged', code: 'DRY_RUN' })).toMatchObject([{ name: 'Review and send' }]);
  expect(operations({ state: 'staged', rows: { invalid: 12 } }, { toCorrect: 12, ready: 0 })).toEqual([
    'cancel',
    'correct',
  ]);
});

test('corrected rows are sent when the import is over, not before', () => {
  const rows = { invalid: 2 };
  expect(steps({ state: 'staged', rows }, { toCorrect: 2, ready: 2 })).toMatchObject([
    { operation: 'resume' },
    { operation: 'correct', name: 'Correct rows' },
  ]);
});

test('rows of an import that is over are corrected, then retried; none is left where all were sent', () => {
  const rows = { failed: 2, unconfirmed: 1 };
  expect(operations({ rows, retryable: 3, actions: ['retry'] }, { toCorrect: 2, ready: 1 })).toEqual([
    'correct',
    'retry',
  ]);
  expect(steps({ rows }, { toCorrect: 2, ready: 2 })).toMatchObject([{ name: 'Send corrected rows' }]);
  expect(steps({ rows: { added: 12 } })).toEqual([]);
});

test('only rows that were sent before are sent again', () => {
  const why = (rows: object) =>
    steps({ state: 'cancelled', rows, retryable: 5, actions: ['retry'] }).map((step) => step.why)[0];
  expect(why({ unprocessed: 5 })).not.toContain('again');
  expect(why({ unprocessed: 3, failed: 2 })).not.toContain('again');
  expect(why({ unconfirmed: 3, failed: 2 })).toContain('again');
});
