import { describe, expect, test } from 'vitest';
import type { PlanFlags } from '../../src/api/sync-entry.ts';
import { LIMIT_FLAG, LIMITS, type LimitName, limitsWith } from '../../src/features/sync/guard-limits.ts';
import { checkGuards, GUARDS, guardPlan } from '../../src/features/sync/plan/plan-guards.ts';
import { type PreviousRun, previousRun } from '../../src/features/sync/plan/size-guards.ts';
import { actionsOf, CSV, type FileRow, fileRows, type Live, type LiveGroup, people, planned } from './planning.ts';

const REMOVING: Partial<PlanFlags> = { mode: 'mirror', missing: 'remove' };

interface Case {
  readonly file: readonly FileRow[];
  readonly live: Live;
  readonly flags?: Partial<PlanFlags>;
  readonly previous?: PreviousRun;
  readonly limits?: Partial<Record<LimitName, number>>;
}

function findings({ file, live, flags = REMOVING, previous, limits = {} }: Case) {
  return guardPlan(planned(file, live, flags).plan, limits, previous);
}

/** Names of the guards that object, each with its group. */
const tripped = (given: Case) => findings(given).map(({ guard, guid }) => (guid === null ? guard : `${guard} ${guid}`));

/** One group of `members` people of whom the file leaves out the last `missing`. */
const losing = (missing: number, members: number, more: Partial<Case> = {}): Case => ({
  file: fileRows(people(members - missing)),
  live: { team: { members: people(members) } },
  ...more,
});

const ran = (groups: Readonly<Record<string, number>>, more: Partial<PreviousRun> = {}): PreviousRun => ({
  rows: 100,
  fields: ['guid', 'uid', 'scope'],
  groups: Object.entries(groups).map(([guid, members]) => ({ region: 'us', guid, members })),
  ...more,
});

test('a plan in which nothing is wrong passes', () => {
  expect(findings(losing(0, 50))).toEqual([]);
});

describe('removals from one group', () => {
  test('pass up to a percentage', () => {
    expect(tripped(losing(10, 50, { limits: { smallTotalRemovals: 1000 } }))).toEqual([]);
    expect(findings(losing(11, 50))).toEqual([
      {
        guard: 'group-removals',
        region: 'us',
        guid: 'team',
        value: 11,
        limit: 10,
        sentence:
          'Group team (us): 11 of 50 members (22 %) would be removed, banned or lowered; 10 are allowed. Look at the plan: approve it if it is right, fix the file if it is not.',
      },
    ]);
  });

  test('pass up to a number, however large the group', () => {
    const limits = { runRemovalsPercent: 100, regionRemovalsPercent: 100, groupRemovals: 20 };
    expect(tripped(losing(20, 400, { limits }))).toEqual([]);
    expect(tripped(losing(21, 400, { limits }))).toEqual(['group-removals team']);
  });

  test('of a small group pass up to a number of its own', () => {
    expect(tripped(losing(3, 5))).toEqual([]);
    expect(tripped(losing(4, 19))).toEqual(['group-removals team']);
    expect(tripped(losing(4, 20))).toEqual([]);
  });

  test('are bans and lowered scopes too, but not bans of those who are not members', () => {
    const banned = losing(4, 10, { flags: { mode: 'mirror', missing: 'ban' } });
    expect(tripped(banned)).toEqual(['group-removals team']);
    const lowered: Case = {
      file: fileRows(people(4)),
      live: { team: { members: people(4, 'moderator') } },
      flags: { mode: 'add', allowDemotion: true },
    };
    expect(tripped(lowered)).toEqual(['group-removals team']);
    const outside = {
      file: [...fileRows(people(9, 'ban', 100)), ...fileRows(people(2))],
      live: { team: { members: people(2) } },
    };
    expect(tripped(outside)).toEqual([]);
  });

  test('count only where something is sent: reports trip no guard', () => {
    expect(tripped(losing(49, 50, { flags: { mode: 'mirror', missing: 'report' } }))).toEqual([]);
  });
});

describe('removals from many groups, few from each,', () => {
  const many = (groups: number, members: number, missing: number): Case => {
    const guids = Array.from({ length: groups }, (_, index) => `g${index}`);
    return {
      file: guids.flatMap((guid) => fileRows(people(members - missing), guid)),
      live: Object.fromEntries(guids.map((guid) => [guid, { members: people(members) }])),
    };
  };

  test('are too many for a region and a run', () => {
    expect(tripped(many(20, 10, 1))).toEqual([]);
    expect(tripped(many(20, 10, 2))).toEqual(['region-removals', 'run-removals']);
    expect(findings(many(20, 10, 2))[0]).toMatchObject({ region: 'us', guid: null, value: 40, limit: 20 });
  });

  test('are judged by a number where all groups together are few people', () => {
    expect(tripped(many(10, 10, 2))).toEqual([]);
    expect(tripped(many(10, 10, 3))).toEqual(['region-removals', 'run-removals']);
  });

  test('are added up by region', () => {
    const file = (['us', 'eu'] as const).flatMap((region) => fileRows(people(30), `team-${region}`, region));
    const live: Live = {
      'team-us': { members: people(30) },
      'team-eu': { region: 'eu', members: people(36) },
    };
    expect(tripped({ file, live, limits: { smallTotalRemovals: 5 } })).toEqual(['region-removals', 'run-removals']);
    expect(findings({ file, live, limits: { smallTotalRemovals: 5 } })[0]).toMatchObject({ region: 'eu', value: 6 });
  });
});

describe('additions', () => {
  /** One group of `before` people after the last run, and a file with `more` beside them. */
  const gaining = (more: number, before: number, rest: Partial<Case> = {}): Case => ({
    file: fileRows(people(before + more)),
    live: { team: { members: people(before) } },
    flags: { mode: 'add' },
    previous: ran({ team: before }, { rows: before + more }),
    ...rest,
  });

  test('to one group pass up to a percentage, a number, and a number of a small group', () => {
    const limits = { regionAdditionsPercent: 1000, runAdditionsPercent: 1000, smallTotalAdditions: 1000 };
    expect(tripped(gaining(20, 19, { limits }))).toEqual([]);
    expect(findings(gaining(21, 19, { limits }))).toEqual([
      {
        guard: 'group-additions',
        region: 'us',
        guid: 'team',
        value: 21,
        limit: 20,
        sentence:
          'Group team (us): 21 members would be added or raised, beside 19; 20 are allowed below 20 members. Look at the plan: approve it if it is right, fix the file if it is not.',
      },
    ]);
    expect(tripped(gaining(50, 50, { limits }))).toEqual([]);
    expect(tripped(gaining(51, 50, { limits }))).toEqual(['group-additions team']);
    expect(tripped(gaining(51, 50, { limits: { ...limits, groupAdditionsPercent: 200 } }))).toEqual([]);
    expect(tripped(gaining(500, 600, { limits }))).toEqual([]);
    expect(tripped(gaining(501, 600, { limits }))).toEqual(['group-additions team']);
  });

  test('are higher scopes too', () => {
    const team: LiveGroup = { members: people(21) };
    const given: Case = { ...gaining(0, 21), file: fileRows(people(21, 'admin')), live: { team } };
    expect(tripped(given)).toEqual([]);
    expect(tripped({ ...given, limits: { groupAdditions: 20 } })).toEqual(['group-additions team']);
  });

  test('to a region and a run are added up, those to groups without a run before as well', () => {
    const file = [...fileRows(people(10)), ...fileRows(people(101), 'fresh')];
    const previous = ran({ team: 10 });
    const given: Case = { file, live: { team: { members: people(10) }, fresh: {} }, flags: { mode: 'add' }, previous };
    expect(tripped(given)).toEqual(['region-additions', 'run-additions']);
    expect(tripped({ ...given, limits: { smallGroupAdditions: 100 } })).toContain('group-additions fresh');
    expect(tripped({ ...given, file: file.slice(0, -1) })).toEqual([]);
  });

  test('pass in a first run, which says so where a later run would be held, unless a limit is given', () => {
    const first: Case = { file: fileRows(people(5000)), live: { team: {} }, flags: { mode: 'add' } };
    const { plan } = planned(first.file, first.live, { mode: 'add' });
    expect(guardPlan(plan)).toEqual([]);
    expect(plan.facts().notes).toMatchObject([{ code: 'FIRST_RUN', text: expect.stringContaining('5,000') }]);
    expect(tripped({ ...first, limits: { smallTotalAdditions: 5000 } })).toEqual([]);
    expect(tripped({ ...first, limits: { smallTotalAdditions: 4999 } })).toEqual(['region-additions', 'run-additions']);
    expect(tripped({ ...first, limits: { runAdditions: 4999 } })).toEqual(['run-additions']);
    expect(tripped({ ...first, limits: { smallGroup: 0, smallTotal: 0 } })).toEqual([]);

    const { plan: small } = planned(fileRows(people(100)), { team: {} }, { mode: 'add' });
    guardPlan(small);
    expect(small.facts().notes).toEqual([]);
  });

  test('of members whom the last run wanted already are no growth: it could not add them, or they have left since', () => {
    const given = gaining(0, 400, { live: { team: { members: people(10) } } });
    expect(tripped(given)).toEqual([]);
    expect(tripped({ ...given, file: fileRows(people(601)) })).toContain('region-additions');
  });

  test('are a share of the members of the last run where many have left since, and of those now where many came', () => {
    const limits = { regionAdditionsPercent: 1000, runAdditionsPercent: 1000, smallTotalAdditions: 1000 };
    expect(findings(gaining(101, 100, { live: { team: { members: people(10) } }, limits }))).toMatchObject([
      { guard: 'group-additions', value: 101, limit: 100 },
    ]);
    const file = [...fileRows(people(200)), ...fileRows(people(201, 'participant', 1_001))];
    const grown = gaining(0, 100, { file, live: { team: { members: people(200) } }, limits });
    expect(findings(grown)).toContainEqual(
      expect.objectContaining({ guard: 'group-additions', value: 201, limit: 200 }),
    );
  });

  test('do not hold an undo, which adds again whom its import removed', () => {
    const { plan } = planned(fileRows(people(50)), { team: { members: people(10) } }, { mode: 'add' });
    const facts = { source: plan.facts(), groups: plan.groups(), previous: ran({ team: 10 }) };
    expect(checkGuards({ mode: 'add', ...facts })).not.toEqual([]);
    expect(checkGuards({ mode: 'undo', ...facts })).toEqual([]);
  });
});

describe('a run that would write many more messages than usual', () => {
  const noted = (adds: number, before: readonly number[]) => {
    const { plan } = planned(fileRows(people(adds)), { team: {} }, { mode: 'add' });
    guardPlan(plan, {}, ran({ team: 5000 }), before);
    return plan.facts().notes.map(({ text }) => text);
  };

  test('says how many, and how many are usual', () => {
    expect(noted(100, [3, 5000, 33])).toEqual([
      'Up to 100 messages would be written into groups, more than usual: the median of the last 3 runs is 33',
    ]);
    expect(noted(100, [0])).toEqual([
      'Up to 100 messages would be written into groups, more than usual: the last run planned 0',
    ]);
  });

  test('says nothing of few messages, up to three times the usual, or without a run before', () => {
    expect(noted(99, [0, 0])).toEqual([]);
    expect(noted(102, [34])).toEqual([]);
    expect(noted(5000, [])).toEqual([]);
  });
});

describe('a group that everyone would leave', () => {
  test('is held also when it is small', () => {
    const given: Case = { file: [{ uid: 'new' }], live: { team: { members: people(2) } } };
    expect(tripped(given)).toEqual(['emptied-groups team']);
    expect(findings(given)[0]).toMatchObject({ value: 2, limit: 1 });
    expect(findings({ ...given, limits: { emptiedFrom: 0 } })[0]).toMatchObject({ value: 2, limit: 0 });
  });

  test('counts the spared for nothing', () => {
    const team: LiveGroup = { owner: 'boss', members: { boss: 'admin', chief: 'admin', ...people(2) } };
    expect(tripped({ file: [{ uid: 'new' }], live: { team } })).toEqual(['emptied-groups team']);
  });

  test('is fine where one person follows another', () => {
    expect(tripped({ file: [{ uid: 'new' }], live: { team: { members: people(1) } } })).toEqual([]);
  });
});

describe('a file', () => {
  const live: Live = { team: { members: people(20) } };

  test('without a row that can be used is held', () => {
    expect(tripped({ file: [{ invalid: true }], live })).toEqual(['empty-file', 'invalid-rows']);
    expect(tripped({ file: [{ invalid: true }], live, flags: { mode: 'add' } })).toEqual(['empty-file']);
  });

  test('with an invalid row is held in mode mirror, where it would make a member missing', () => {
    const file: FileRow[] = [...fileRows(people(20)), { invalid: true }];
    expect(tripped({ file, live })).toEqual(['invalid-rows']);
    expect(tripped({ file, live, limits: { invalidRows: 1 } })).toEqual([]);
    expect(tripped({ file, live, flags: { mode: 'add' } })).toEqual([]);
  });

  test('with invalid rows has a note that names the first of them, and how many more there are', () => {
    const noted = (count: number) => {
      const { plan } = planned(
        [...fileRows(people(20)), ...Array.from({ length: count }, () => ({ invalid: true }))],
        live,
      );
      return plan.facts().notes;
    };
    expect(noted(0)).toEqual([]);
    expect(noted(1)).toEqual([{ code: 'INVALID_ROWS', text: expect.stringMatching(/row 22 .*the uid is empty/) }]);
    expect(noted(5)).toEqual([
      { code: 'INVALID_ROWS', text: expect.stringMatching(/row 22 .*row 23 .*row 24 .*2 more/) },
    ]);
  });

  test('that shrank by more than a percentage is held, but a short one may lose a few rows', () => {
    const previous = ran({ team: 20 }, { rows: 23 });
    const file = fileRows(people(20));
    expect(tripped({ file, live, previous })).toEqual([]);
    expect(tripped({ file, live, previous: { ...previous, rows: 24 } })).toEqual(['shrunk-file']);
    expect(tripped({ file, live, previous: { ...previous, rows: 24 }, limits: { shrunkPercent: 50 } })).toEqual([]);
    const large = fileRows(people(900));
    const all: Live = { team: { members: people(900) } };
    expect(tripped({ file: large, live: all, previous: { ...previous, rows: 1000 } })).toEqual([]);
    expect(tripped({ file: large, live: all, previous: { ...previous, rows: 1001 } })).toEqual(['shrunk-file']);
  });

  test('that grew by more than a percentage and a number is held, unless all its members are there', () => {
    const file = fileRows(people(301));
    const all: Live = { team: { members: people(300) } };
    const previous = ran({ team: 300 }, { rows: 150 });
    expect(tripped({ file, live: all, flags: { mode: 'add' }, previous })).toEqual(['grown-file']);
    expect(tripped({ file, live: all, previous, limits: { grownPercent: 101 } })).toEqual([]);
    expect(tripped({ file: file.slice(1), live: all, previous: { ...previous, rows: 149 } })).toContain('grown-file');
    expect(tripped({ file: file.slice(0, 300), live: all, previous: { ...previous, rows: 149 } })).toEqual([]);
    expect(tripped({ file: fileRows(people(21)), live, previous: ran({ team: 20 }, { rows: 2 }) })).toEqual([]);
  });

  test('that lost a column is held: without its scopes everyone would be a participant', () => {
    const { plan } = planned(
      fileRows(people(3)),
      { team: { members: people(3, 'moderator') } },
      { mode: 'add', allowDemotion: true },
      {
        ...CSV,
        columns: ['guid', 'uid', 'scopes of today'],
        recognised: { guid: 'guid', uid: 'uid' },
      },
    );
    expect(guardPlan(plan, {}, ran({ team: 3 }))).toMatchObject([
      { guard: 'lost-columns', sentence: expect.stringContaining('for scope') },
    ]);
  });

  test('that no longer mentions a group with members is held, and nothing is done in that group', () => {
    const given: Case = {
      file: fileRows(people(20)),
      live,
      previous: ran({ team: 20, club: 7, empty: 0 }, { rows: 20 }),
    };
    expect(findings(given)).toMatchObject([
      {
        guard: 'forgotten-groups',
        guid: 'club',
        sentence: expect.stringContaining('7 members'),
      },
    ]);
    expect(tripped({ ...given, flags: { mode: 'add' } })).toEqual([]);
    expect(tripped({ ...given, limits: { forgottenGroups: 1 } })).toEqual([]);
  });

  test('of another region is held', () => {
    const file = fileRows(people(20), 'TEAM', 'eu');
    const eu: Live = { team: { region: 'eu', members: people(20) } };
    expect(tripped({ file, live: eu, previous: ran({ team: 20 }, { rows: 20 }) })).toEqual([
      'moved-groups TEAM',
      'forgotten-groups team',
    ]);
    expect(tripped({ file, live: eu, flags: { mode: 'add' }, previous: ran({ team: 20 }) })).toEqual([
      'moved-groups TEAM',
    ]);
    expect(tripped({ file, live: {}, flags: { mode: 'add' } })).toEqual(['no-group-listed']);
  });
});

describe('a group whose members could not be listed as a whole', () => {
  const given: Case = {
    file: [...fileRows(people(3)), ...fileRows(people(3), 'broken')],
    live: { team: { members: people(3) }, broken: { listing: 'failed' } },
  };

  test('holds a mirror, and says why', () => {
    expect(findings(given)).toMatchObject([
      { guard: 'failed-listings', guid: 'broken', sentence: expect.stringContaining('CUT_OFF: page 2 of 3 failed') },
    ]);
  });

  test('is left out of an addition', () => {
    expect(tripped({ ...given, flags: { mode: 'add' } })).toEqual([]);
  });
});

test('an owner who would be removed holds the plan even when the options name them', () => {
  const team: LiveGroup = { owner: 'u4', members: people(4) };
  const given: Case = {
    file: fileRows(people(3)),
    live: { team },
    flags: { ...REMOVING, removeNamed: ['U4'] },
  };
  expect(findings(given)).toMatchObject([
    { guard: 'owner-changes', guid: 'team', sentence: expect.stringContaining('owner u4') },
  ]);
  expect(tripped({ ...given, limits: { ownerChanges: 1 } })).toEqual([]);
});

test('findings are kept with the plan, and those of a later check replace them', () => {
  const { plan } = planned(fileRows(people(1)), { team: { members: people(9) } }, REMOVING);
  const found = guardPlan(plan);
  expect(found).toHaveLength(1);
  expect(plan.findings()).toEqual(found);
  guardPlan(plan, { smallGroupRemovals: 8 });
  expect(plan.findings()).toEqual([]);
});

test('what a run left behind is what the next one is compared with', () => {
  const { plan } = planned(
    fileRows(people(50)),
    { team: { members: { ...people(3, 'participant', 49), x: 'ban' } } },
    REMOVING,
  );
  expect(previousRun(plan)).toEqual({
    rows: 50,
    fields: ['guid', 'uid', 'scope'],
    groups: [{ region: 'us', guid: 'team', members: 50 }],
  });
});

describe('limits', () => {
  test('have a reason each, and every one is settable', () => {
    for (const { name, default: value, why } of LIMITS) {
      expect(why, name).not.toBe('');
      expect(limitsWith({ [name]: value + 1 })).toEqual({ ...limitsWith(), [name]: value + 1 });
    }
  });

  test.each([
    ['groupPercnt=5', '"groupPercnt" is not a limit of a guard; allowed are groupRemovalsPercent, groupRemovals,'],
    ['groupRemovalsPercent=101', 'a percentage from 0 to 100'],
    ['grownPercent=-1', 'a percentage from 0'],
    ['runRemovals=1.5', 'a whole number from 0'],
    ['runRemovals', 'a whole number from 0'],
  ])('that are wrong are refused: %s', (text, message) => {
    expect(() => LIMIT_FLAG.parse(text)).toThrow(message);
  });

  test('are percentages above 100 where they are of a growth', () => {
    expect(LIMIT_FLAG.parse(' grownPercent = 250% ')).toEqual({ 'limit.grownPercent': 250 });
  });
});

test('guards have a name each, and none trips where there is nothing to guard', () => {
  expect(new Set(GUARDS.map(({ name }) => name)).size).toBe(GUARDS.length);
  const source = { rows: 1, invalid: 0, fields: [] };
  for (const mode of ['add', 'mirror', 'undo'] as const) expect(checkGuards({ mode, source, groups: [] })).toEqual([]);
});

describe('what users of other tools suffered does not happen here:', () => {
  test('owners removed after an upstream change', () => {
    const team: LiveGroup = { owner: 'boss', members: { boss: 'participant', ...people(4) } };
    expect(actionsOf(planned(fileRows(people(4)), { team }, { mode: 'mirror', missing: 'ban' }))).toEqual([]);
  });

  test('everyone outside one unit removed', () => {
    const unit = fileRows(people(40));
    expect(tripped({ file: unit, live: { team: { members: people(60) } } })).toContain('group-removals team');
  });

  test('manual changes never repaired, because only files were compared', () => {
    const file = fileRows(people(30));
    const previous = previousRun(planned(file, { team: { members: people(30) } }, REMOVING).plan);
    const { plan } = planned(file, { team: { members: people(29) } }, REMOVING);
    expect(guardPlan(plan, {}, previous)).toEqual([]);
    expect(actionsOf({ plan })).toEqual(['u30: add >participant']);
  });

  test('one threshold for all, under which a small group is emptied', () => {
    const live: Live = { big: { members: people(2000) }, small: { members: people(6) } };
    expect(tripped({ file: [...fileRows(people(2000), 'big'), { guid: 'small', uid: 'u1' }], live })).toEqual([
      'group-removals small',
    ]);
  });

  test('a partial file in mode mirror', () => {
    const file = fileRows(people(1000));
    const previous = previousRun(planned(file, { team: { members: people(1000) } }, REMOVING).plan);
    expect(tripped({ file: file.slice(0, 880), live: { team: { members: people(1000) } }, previous })).toContain(
      'shrunk-file',
    );
  });

  test('a group that cannot be found reported anew for every member', () => {
    const { plan } = planned(fileRows(people(500), 'nowhere'), {});
    expect(actionsOf({ plan }, true)).toEqual([]);
    expect(plan.groups()).toHaveLength(1);
  });
});
