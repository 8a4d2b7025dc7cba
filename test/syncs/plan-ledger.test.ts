import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makePlan } from '../../src/features/sync/plan/make-plan.ts';
import { openPlanLedger } from '../../src/features/sync/plan/plan-ledger.ts';
import { openPlanReader } from '../../src/features/sync/plan/plan-reading.ts';
import { tempDir } from '../temp-dir.ts';
import {
  actionsOf,
  DEFAULT_FLAGS,
  type FileRow,
  fileRows,
  listed,
  people,
  planned,
  stage,
  unlisted,
} from './planning.ts';

const SOURCE = { file: 'members.csv', hash: 'abc', size: 12 };
const TEAM = { region: 'us', guid: 'team' } as const;

function begun(file: readonly FileRow[]) {
  const dir = tempDir();
  const desired = stage(join(dir, 'desired.sqlite'), file);
  const plan = openPlanLedger(join(dir, 'plan.sqlite'));
  onTestFinished(() => plan.close());
  plan.begin('desired', desired, SOURCE);
  return { plan, desired, dir };
}

describe('what a plan knows of its file', () => {
  test('are its groups by region, each once however it is written, and its rows', () => {
    const { plan } = begun([
      { guid: 'Team', uid: 'a' },
      { guid: 'TEAM', uid: 'b' },
      { guid: 'team', uid: 'c', region: 'eu' },
      { guid: 'club', uid: 'a' },
      { invalid: true },
      { guid: 'club', uid: 'A' },
    ]);
    expect(plan.groups()).toMatchObject([
      { region: 'us', guid: 'Team' },
      { region: 'eu', guid: 'team' },
      { region: 'us', guid: 'club' },
    ]);
    expect(plan.groups().map(({ wanted }) => wanted)).toEqual([2, 1, 1]);
    expect(plan.facts()).toEqual({
      ...SOURCE,
      notes: [{ code: 'INVALID_ROWS', text: expect.stringContaining('row 6 ') }],
      rows: 6,
      invalid: 1,
      fields: ['guid', 'uid', 'scope'],
      flags: null,
      plannedAt: null,
    });
  });

  test('is not a group that only contradicting rows name', () => {
    const { plan } = begun([{ uid: 'a' }, { uid: 'A', scope: 'ban' }]);
    expect(plan.groups()).toEqual([]);
    expect(plan.facts().invalid).toBe(2);
  });

  test('is nothing where the staged file is missing: it is named, and none is made', () => {
    const dir = tempDir();
    const plan = openPlanLedger(join(dir, 'plan.sqlite'));
    onTestFinished(() => plan.close());
    expect(() => plan.begin('desired', join(dir, 'none.sqlite'), SOURCE)).toThrow(`${join(dir, 'none.sqlite')}`);
    writeFileSync(join(dir, 'text.sqlite'), 'a shopping list that is no database, and long enough to be looked at');
    expect(() => plan.begin('desired', join(dir, 'text.sqlite'), SOURCE)).toThrow(
      expect.objectContaining({ code: 'DAMAGED_LEDGER' }),
    );
    expect(() => plan.facts()).toThrow(/not begun/);
  });
});

describe('a listing', () => {
  test('counts members without the banned, and someone who came on two pages once', () => {
    const { plan } = begun([{ uid: 'a' }]);
    listed(plan, TEAM, { a: 'participant', b: 'ban' }, { A: 'moderator' });
    expect(plan.groups()).toMatchObject([{ listing: 'listed', members: 1, owner: null }]);
  });

  test('that breaks off gives no member, and its group is still to be listed', () => {
    const { plan } = begun([{ uid: 'a' }]);
    plan.survey.memberList(1).put([{ uid: 'b', scope: 'participant', joinedAt: null }]);
    plan.settle();
    expect(plan.groups()).toMatchObject([{ listing: 'pending', members: 0 }]);
  });

  test('that fails later takes the members and actions of the earlier one with it', () => {
    const { plan, path, desired } = planned(fileRows(people(2)), { team: { members: people(1) } });
    expect(actionsOf({ plan }, true)).toHaveLength(2);
    unlisted(plan, TEAM, 'failed', { code: 'ERR', message: 'no answer' });
    // A later import that is being read has no ledger yet.
    const later = [join(tempDir(), 'ledger.sqlite')];
    makePlan({ path, kind: 'file', from: desired, flags: DEFAULT_FLAGS, later });
    expect(actionsOf({ plan }, true)).toEqual([]);
    expect(plan.groups()).toMatchObject([
      { listing: 'failed', code: 'ERR', message: 'no answer', members: 0, wanted: 2 },
    ]);
  });

  test('with an unknown scope is refused as a whole', () => {
    const { plan } = begun([{ uid: 'a' }]);
    listed(plan, TEAM, people(2), { root: 'superuser' as 'admin' });
    expect(plan.groups()).toMatchObject([{ listing: 'failed', code: 'UNKNOWN_SCOPE', members: 0 }]);
  });
});

test('a plan is read by others while its maker has it open', () => {
  const { plan, path } = planned([...fileRows(people(2)), { guid: 'club', uid: 'a' }], { team: {}, club: {} });
  const reader = openPlanReader(path);
  onTestFinished(() => reader.close());
  expect(reader.actions().toArray()).toHaveLength(3);
  expect(reader.facts()).toEqual(plan.facts());
  // Two readings at once do not disturb each other.
  const [first, second] = [reader.actions(), reader.actions()];
  const uids = [first, second, first].map((reading) => {
    const { done, value } = reading.next();
    return done === true ? undefined : value.uid;
  });
  expect(uids).toEqual(['u1', 'u1', 'u2']);
});
