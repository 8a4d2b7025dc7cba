import { describe, expect, test } from 'vitest';
import { staleness } from '../../src/features/sync/plan/staleness.ts';
import { CHANGES } from '../../src/membership/plan-words.ts';
import { type FileRow, fileRows, type Live, people, planned } from './planning.ts';

/** Returns the staleness of a plan when file and live state have come to `after`. */
function since(
  before: { file: readonly FileRow[]; live: Live },
  after: { file: readonly FileRow[]; live: Live },
  tolerance?: number,
) {
  const stored = planned(before.file, before.live, { mode: 'mirror', missing: 'remove' });
  const newer = planned(after.file, after.live, { mode: 'mirror', missing: 'remove' });
  return staleness(stored.path, newer.path, tolerance);
}

const file = fileRows(people(40));

test('a plan of which nothing has moved may be applied', () => {
  const live = { team: { members: people(3) } };
  expect(since({ file, live }, { file, live }, 0)).toEqual({
    fileMoved: 0,
    planned: 37,
    gone: 0,
    different: 0,
    fresh: 0,
    percent: 0,
    within: true,
    sentence: 'All 37 changes of the plan are still called for.',
    isCalledFor: expect.any(Function),
  });
});

test('what is no longer called for, what is different and what is new is counted', () => {
  const before: Live = { team: { members: { ...people(20), raise: 'participant' } } };
  const after: Live = { TEAM: { members: { ...people(21), raise: 'participant', x: 'participant' } } };
  const found = since(
    { file: [...file, { uid: 'raise', scope: 'moderator' }], live: before },
    { file: [...fileRows(people(40), 'Team'), { uid: 'raise', scope: 'admin' }], live: after },
  );
  expect(found).toMatchObject({ fileMoved: 1, planned: 21, gone: 1, different: 1, fresh: 1, within: false });
  expect(found.sentence).toBe(
    'Of 21 changes planned, 1 no longer called for, 1 different, 1 new (14.3 %); the file has changed since; 5 % are allowed: plan again, and apply the new plan.',
  );
});

describe('the tolerance', () => {
  const before = { file, live: { team: {} } };
  const after = { file, live: { team: { members: people(2) } } };

  test('lets pass as many percent of the planned changes as it says', () => {
    expect(since(before, after)).toMatchObject({ gone: 2, percent: 5, within: true });
    expect(since(before, after, 4)).toMatchObject({ within: false });
  });

  test('never lets pass a change where none was planned', () => {
    const done = { file, live: { team: { members: people(40) } } };
    expect(since(done, { file, live: { team: { members: people(39) } } }, 100)).toMatchObject({
      planned: 0,
      fresh: 1,
      within: false,
    });
  });
});

test('a group that cannot be listed any more takes its changes with it', () => {
  expect(since({ file, live: { team: {} } }, { file, live: { team: { listing: 'failed' } } })).toMatchObject({
    planned: 40,
    gone: 40,
    percent: 100,
    within: false,
  });
});

test('of a plan that may be applied, the changes are known that are still called for', () => {
  const before = planned([...file, { uid: 'raise', scope: 'moderator' }], {
    team: { members: { raise: 'participant' } },
  });
  const after = planned([...fileRows(people(40), 'Team'), { uid: 'raise', scope: 'admin' }], {
    TEAM: { members: { u21: 'participant', raise: 'participant' } },
  });
  const { within, isCalledFor } = staleness(before.path, after.path);
  const dropped = before.plan.actions(CHANGES).filter((change) => !isCalledFor(change));
  expect(within).toBe(true);
  expect(dropped.map(({ uid }) => uid).toArray()).toEqual(['raise', 'u21']);
  expect(staleness(before.path, after.path), 'the same, asked again').toMatchObject({ within, gone: 1, different: 1 });
});
