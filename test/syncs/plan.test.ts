import { describe, expect, test } from 'vitest';
import type { PlanFlags } from '../../src/api/sync-entry.ts';
import { makePlan } from '../../src/features/sync/plan/make-plan.ts';
import {
  actionsOf,
  banned,
  DEFAULT_FLAGS,
  type FileRow,
  fileRows,
  type LiveGroup,
  owned,
  people,
  planned,
} from './planning.ts';

/** One group, and what is said about everyone. */
const said = (file: readonly FileRow[], team: LiveGroup, flags: Parameters<typeof planned>[2] = {}) =>
  planned(file, { team }, flags)
    .plan.actions()
    .map(({ uid, action, from, to, sentence }) => `${uid}: ${action} ${from}>${to}, ${sentence}`)
    .toArray();

describe('mode add', () => {
  test('adds whom the file names and leaves alone who was added by hand', () => {
    expect(said([{ uid: 'anna' }], { members: { byhand: 'participant' } })).toEqual([
      'anna: add >participant, is not in the group',
      'byhand: keep participant>participant, is not in the file; mode add never removes',
    ]);
  });

  test('puts back who was removed by hand, because it looks at the group and not at the last file', () => {
    const file = fileRows(people(2));
    expect(actionsOf(planned(file, { team: { members: people(1) } }))).toEqual(['u2: add >participant']);
  });

  test('raises scopes, and lowers them only when it may', () => {
    const file: FileRow[] = [
      { uid: 'up', scope: 'admin' },
      { uid: 'down', scope: 'participant' },
    ];
    const team = { members: { up: 'participant', down: 'moderator' } } as const;
    expect(said(file, team)).toEqual([
      'down: keep moderator>moderator, the file asks for a lower scope than moderator, and this sync does not lower scopes',
      'up: change participant>admin, the file asks for a higher scope',
    ]);
    expect(actionsOf(planned(file, { team }, { allowDemotion: true }))).toEqual([
      'down: change moderator>participant',
      'up: change participant>admin',
    ]);
  });

  test('lifts a ban only when it may', () => {
    const team = { members: { anna: 'ban' } } as const;
    expect(said([{ uid: 'anna' }], team)).toEqual([
      'anna: report ban>participant, is banned from the group, and this sync does not lift bans',
    ]);
    expect(actionsOf(planned([{ uid: 'anna' }], { team }, { allowUnban: true }))).toEqual([
      'anna: add ban>participant',
    ]);
  });

  test('asks who is banned where it would change something, and then neither lifts a ban unasked nor bans twice', () => {
    const file = [...fileRows({ anna: 'participant', bob: 'ban', cleo: 'participant' }), { guid: 'quiet', uid: 'u1' }];
    const { plan, path, desired } = planned(file, {
      team: { members: { cleo: 'participant' } },
      quiet: { members: people(1) },
    });
    expect(actionsOf({ plan })).toEqual(['anna: add >participant', 'bob: ban >ban']);
    expect(plan.bansNeeded()).toEqual([1]);
    banned(plan, ['anna', 'BOB', 'cleo']);
    makePlan({ path, kind: 'file', from: desired, flags: DEFAULT_FLAGS });
    expect(actionsOf({ plan }, true)).toEqual([
      'anna: report ban>participant',
      'BOB: keep ban>ban',
      'cleo: report ban>participant',
      'u1: keep participant>participant',
    ]);
    expect(plan.bansNeeded()).toEqual([]);
    expect(plan.groups()).toMatchObject([{ members: 0 }, { members: 1 }]);
  });

  test('bans whom the file wants banned, a member or not, once', () => {
    const file = fileRows({ member: 'ban', nobody: 'ban', banned: 'ban' });
    expect(actionsOf(planned(file, { team: { members: { member: 'participant', banned: 'ban' } } }))).toEqual([
      'member: ban participant>ban',
      'nobody: ban >ban',
    ]);
  });
});

describe('mode mirror', () => {
  const file = [{ uid: 'anna' }];
  const team = { members: { anna: 'participant', bob: 'participant' } } as const;

  test.each([
    ['report', 'bob: report participant>, is not in the file'],
    ['remove', 'bob: remove participant>, is not in the file'],
    ['ban', 'bob: ban participant>ban, is not in the file'],
  ] as const)('does with the missing what --missing %s says', (missing, expected) => {
    expect(said(file, team, { mode: 'mirror', missing })).toEqual([
      'anna: keep participant>participant, is as the file says',
      expected,
    ]);
  });

  test('leaves a ban as it is when the file does not name the banned one', () => {
    expect(
      actionsOf(
        planned(
          file,
          { team: { members: { anna: 'participant', bob: 'ban' } } },
          { mode: 'mirror', missing: 'remove' },
        ),
      ),
    ).toEqual([]);
  });

  test('does not take for missing whom the file contradicts itself about', () => {
    const contradicting: FileRow[] = [...file, { uid: 'bob' }, { uid: 'bob', scope: 'ban' }];
    expect(said(contradicting, team, { mode: 'mirror', missing: 'remove' })[1]).toBe(
      'bob: report participant>, the file contradicts itself about this member; fix its invalid rows',
    );
  });

  test('touches no group that the file does not mention', () => {
    const { plan } = planned(file, { team, club: { members: people(5) } }, { mode: 'mirror', missing: 'remove' });
    expect(plan.groups().map(({ guid }) => guid)).toEqual(['team']);
  });
});

describe('the spared', () => {
  const team = {
    owner: 'boss',
    members: { boss: 'participant', chief: 'admin', vip: 'participant', joe: 'participant' },
  } as const;
  const flags: Partial<PlanFlags> = { mode: 'mirror', missing: 'remove', protect: ['VIP'] };

  test('are the owner, admins and the protected: what would happen to them is reported', () => {
    expect(said([{ uid: 'new' }], team, flags)).toEqual([
      'boss: report participant>, would be removed, but owns the group and is kept unless named explicitly',
      'chief: report admin>, would be removed, but is admin and is kept unless named explicitly',
      'joe: remove participant>, is not in the file',
      'new: add >participant, is not in the group',
      'vip: report participant>, would be removed, but is protected and is kept unless named explicitly',
    ]);
  });

  test('are not spared when the options name them', () => {
    const removeNamed = ['Boss', 'chief', 'vip'];
    expect(actionsOf(planned([{ uid: 'joe' }], { team }, { ...flags, removeNamed }))).toEqual([
      'boss: remove participant>',
      'chief: remove admin>',
      'vip: remove participant>',
    ]);
  });

  test('are not lowered and not banned by the file either, but for an admin who may be lowered', () => {
    const members = { boss: 'admin', chief: 'admin', vip: 'moderator', outside: 'participant' } as const;
    const lower = fileRows({ boss: 'moderator', chief: 'moderator', vip: 'participant' });
    expect(
      actionsOf(
        planned(lower, { team: { owner: 'boss', members } }, { ...flags, allowDemotion: true, missing: 'report' }),
      ),
    ).toEqual(['chief: change admin>moderator']);
    expect(
      actionsOf(
        planned(fileRows({ boss: 'ban', chief: 'ban', vip: 'ban' }), { team: { owner: 'boss', members } }, flags),
      ),
    ).toEqual(['outside: remove participant>']);
  });

  test('are protected from a ban also where they are not members', () => {
    expect(actionsOf(planned([{ uid: 'vip', scope: 'ban' }], { team: {} }, flags))).toEqual([]);
  });

  test('is everyone while the owner is not known; asking makes the plan whole', () => {
    const { plan, path, desired } = planned([{ uid: 'joe' }], { team: { ...team, owner: null } }, flags);
    expect(actionsOf({ plan })).toEqual([]);
    expect(plan.ownersNeeded()).toEqual([1]);
    owned(plan, 'joe');
    makePlan({ path, kind: 'file', from: desired, flags: { ...DEFAULT_FLAGS, ...flags } });
    expect(actionsOf({ plan })).toEqual(['boss: remove participant>']);
    expect(plan.ownersNeeded()).toEqual([]);
  });

  test('costs no question about the owner where no one loses anything', () => {
    const { plan } = planned(
      [...fileRows(people(3)), { uid: 'more' }],
      { team: { owner: null, members: people(3) } },
      flags,
    );
    expect(plan.ownersNeeded()).toEqual([]);
  });
});

describe('what a file says about a user', () => {
  test('counts once, with the highest scope, and names its line', () => {
    const { plan } = planned([{ uid: 'Anna' }, { uid: 'anna', scope: 'moderator' }], { team: {} });
    expect(plan.actions().toArray()).toMatchObject([{ uid: 'anna', action: 'add', to: 'moderator', line: 3 }]);
  });

  test('compares without regard to case, and the service’s spelling is kept', () => {
    expect(
      actionsOf(
        planned([{ guid: 'TEAM', uid: 'ANNA', scope: 'admin' }], { team: { members: { anna: 'participant' } } }),
      ),
    ).toEqual(['anna: change participant>admin']);
  });

  test('leads to no action in a group that does not exist or could not be listed', () => {
    const file = [...fileRows(people(40), 'gone'), ...fileRows(people(2), 'broken'), { uid: 'anna' }];
    const { plan } = planned(file, { team: {}, broken: { listing: 'failed' } });
    expect(actionsOf({ plan }, true)).toEqual(['anna: add >participant']);
    expect(plan.groups().map(({ guid, listing, wanted }) => [guid, listing, wanted])).toEqual([
      ['gone', 'not_found', 40],
      ['broken', 'failed', 2],
      ['team', 'listed', 1],
    ]);
  });
});

test('the flags are kept with the plan', () => {
  const flags: PlanFlags = { ...DEFAULT_FLAGS, mode: 'mirror', missing: 'ban', protect: ['vip'] };
  expect(planned([{ uid: 'a' }], { team: {} }, flags).plan.facts().flags).toEqual(flags);
});
