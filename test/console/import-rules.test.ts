import { expect, test } from 'vitest';
import type { FollowUp, ImportView } from '../../src/console/answers.ts';
import { canBeUndone, isReviewed, resumeChoices, sendLabel } from '../../src/console/view/import/import-rules.ts';
import { NO_ROWS } from './no-rows.ts';

const ROWS = { ...NO_ROWS, read: 12 };

test('the choices of a review are those that resuming takes', () => {
  expect(resumeChoices({ first: '10', maxErrors: '5%', only: 'choir, team' })).toEqual({
    first: '10',
    maxErrors: '5%',
    only: 'guid=choir|team',
  });
  expect(resumeChoices({ createUsers: 'true', userNameFrom: 'uid', maxCreate: 'users=7' })).toEqual({
    createUsers: 'true',
    userNameFrom: 'uid',
    maxCreate: 'users=7',
  });
  // After a check, its answer decides what is created.
  const missing = { createUsers: 'true', maxCreate: 'users=1,groups=0' };
  expect(resumeChoices({ createGroups: 'true' }, 'leaveOut', missing)).toEqual({ leaveOutFailing: 'true' });
  expect(resumeChoices({}, 'create', missing)).toEqual(missing);
  expect(resumeChoices({}, 'send', missing)).toEqual({});
});

test.each([
  [undefined, {}, 'Send'],
  [0, {}, 'Finish without sending'],
  [1, {}, 'Send 1 row'],
  [1200, {}, 'Send 1,200 rows'],
  [1200, { first: '10' }, 'Send the first 10 rows'],
  [12, { first: '1' }, 'Send the first row'],
  [12, { first: '50' }, 'Send 12 rows'],
  [12, { only: 'choir' }, 'Send these groups'],
])('the button for %s rows with %o says %s', (rows, values, label) => {
  expect(sendLabel(rows, values)).toBe(label);
});

test('a file is reviewed until something of it is sent', () => {
  expect(isReviewed({ state: 'staged', startedAt: null, rows: ROWS })).toBe(true);
  expect(isReviewed({ state: 'running', startedAt: null, rows: ROWS })).toBe(false);
  expect(isReviewed({ state: 'staged', startedAt: '2026-01-01T00:00:00.000Z', rows: ROWS })).toBe(false);
});

type Parts = Partial<Omit<ImportView, 'rows'>> & { rows?: Partial<ImportView['rows']> };
const view = ({ rows, ...parts }: Parts) =>
  ({
    ...{ state: 'completed', finishedAt: '2026-01-01T00:00:00.000Z', followUps: [], corrected: 0, code: '' },
    ...parts,
    rows: { ...ROWS, ...rows },
  }) as ImportView;
const undo = (parts: Partial<FollowUp>) => ({ kind: 'undo', state: 'planned', isOpen: true, ...parts }) as FollowUp;

test('an import can be undone that is over and did something, unless it was, or is about to be', () => {
  const added = { rows: { added: 1 } };
  expect(canBeUndone(view(added))).toBe(true);
  expect(canBeUndone(view({ rows: { unconfirmed: 1 } }))).toBe(true);
  expect(canBeUndone(view({ rows: { invalid: 12 } }))).toBe(false);
  expect(canBeUndone(view({ ...added, finishedAt: null }))).toBe(false);
  expect(canBeUndone(view({ ...added, followUps: [undo({})] }))).toBe(false);
  expect(canBeUndone(view({ ...added, followUps: [undo({ state: 'applied', isOpen: false })] }))).toBe(false);
  expect(canBeUndone(view({ ...added, followUps: [undo({ state: 'rejected', isOpen: false })] }))).toBe(true);
});
