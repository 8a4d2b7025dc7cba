import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlanFlags } from '../../src/api/sync-entry.ts';
import type { PlanAction } from '../../src/features/sync/api.ts';
import type { PlanLedger } from '../../src/features/sync/plan/plan-ledger.ts';
import { SCOPES } from '../../src/membership/membership.ts';
import type { Place } from '../../src/membership/plan-reasons.ts';
import { CHANGES } from '../../src/membership/plan-words.ts';
import { actionsOf, applied, type FileRow, type Live, type LiveGroup, planned } from './planning.ts';
import { has, rightPlace, wantedIn } from './right-place.ts';

const UIDS = ['anna', 'bob', 'cleo', 'dan', 'eve', 'finn'] as const;
const GUIDS = ['team', 'club', 'gone'] as const;

/** The file may write any UID and GUID in capitals: they are the same all the same. */
const spelled = (word: string) => fc.constantFrom(word, word.toUpperCase());

const validRow = fc
  .record({ guid: fc.constantFrom(...GUIDS), uid: fc.constantFrom(...UIDS), scope: fc.constantFrom(...SCOPES) })
  .chain(({ guid, uid, scope }) => fc.record({ guid: spelled(guid), uid: spelled(uid), scope: fc.constant(scope) }));
const file = fc.array(
  fc.oneof({ weight: 9, arbitrary: validRow }, { weight: 1, arbitrary: fc.constant<FileRow>({ invalid: true }) }),
  {
    minLength: 1,
    maxLength: 18,
  },
);
const group = fc.record({
  owner: fc.constantFrom(...UIDS, '', '', null),
  members: fc.dictionary(fc.constantFrom(...UIDS), fc.constantFrom(...SCOPES), {
    maxKeys: UIDS.length,
    noNullPrototype: true,
  }),
});
const live: fc.Arbitrary<Live> = fc.record({
  team: group,
  club: group,
  gone: fc.constantFrom<LiveGroup>({ listing: 'not_found' }, { listing: 'failed' }),
});
const someUids = fc.uniqueArray(fc.constantFrom(...UIDS).chain(spelled), { maxLength: 2 });
const flags: fc.Arbitrary<PlanFlags> = fc.record({
  mode: fc.constantFrom('add', 'mirror'),
  missing: fc.constantFrom('report', 'remove', 'ban'),
  whose: fc.constant('all'),
  left: fc.constant('re-add'),
  changed: fc.constant('restore'),
  allowDemotion: fc.boolean(),
  allowUnban: fc.boolean(),
  protect: someUids,
  removeNamed: someUids,
});

const everyCase = (look: (rows: readonly FileRow[], before: Live, chosen: PlanFlags) => void) =>
  fc.assert(fc.property(file, live, flags, look), { numRuns: 25 });

test('applying a plan brings everyone to the right place and to no other, and the next plan has nothing to do', () => {
  everyCase((rows, before, chosen) => {
    const { plan } = planned(rows, before, chosen);
    const after = applied(plan, before);
    for (const [guid, { members = {}, owner = null, listing }] of Object.entries(before)) {
      if (listing !== undefined) continue;
      const wanted = wantedIn(guid, rows);
      // A group of which only contradictions speak is not concerned.
      const isConcerned = [...wanted.values()].some((want) => want !== 'contradiction');
      const right: Record<string, Place> = {};
      for (const uid of UIDS) {
        const now = members[uid] ?? '';
        const place = isConcerned ? rightPlace(wanted.get(uid), now, uid, owner, chosen) : now;
        if (place !== '') right[uid] = place;
      }
      const lowerCased = Object.entries(after[guid]?.members ?? {}).map(([uid, place]) => [uid.toLowerCase(), place]);
      expect(Object.fromEntries(lowerCased), guid).toEqual(right);
    }
    const next = planned(rows, after, chosen).plan;
    expect(actionsOf({ plan: next })).toEqual([]);
    plan.close();
    next.close();
  });
});

test('everyone has one action in a listed group; nothing is taken from the spared; mode add takes only what the file says', () => {
  everyCase((rows, before, chosen) => {
    const { plan } = planned(rows, before, chosen);
    expectOneActionEach(plan, rows, before);
    for (const action of plan.actions(CHANGES)) {
      expectNothingTaken(action, before[action.guid.toLowerCase()]?.owner ?? null, chosen);
      if (chosen.mode === 'add') expectOnlyAdditions(action, chosen);
    }
    plan.close();
  });
});

function expectOneActionEach(plan: PlanLedger, rows: readonly FileRow[], before: Live): void {
  const concerned = plan.groups().filter(({ listing }) => listing === 'listed');
  const expected = concerned.flatMap(({ guid }) => {
    const wanted = [...wantedIn(guid.toLowerCase(), rows)].flatMap(([uid, want]) =>
      want === 'contradiction' ? [] : uid,
    );
    const there = Object.keys(before[guid.toLowerCase()]?.members ?? {});
    return [...new Set([...wanted, ...there])].map((uid) => `${guid.toLowerCase()} ${uid}`);
  });
  const found = plan.actions().map(({ guid, uid }) => `${guid} ${uid}`.toLowerCase());
  expect([...found].toSorted()).toEqual(expected.toSorted());
}

function expectNothingTaken({ uid, action, from, to }: PlanAction, owner: string | null, chosen: PlanFlags): void {
  const isLowered = action === 'change' && SCOPES.indexOf(to || 'ban') > SCOPES.indexOf(from || 'ban');
  if (has(chosen.removeNamed, uid.toLowerCase()) || !(action === 'remove' || action === 'ban' || isLowered)) return;
  expect(owner).not.toBeNull();
  expect(owner).not.toBe(uid.toLowerCase());
  expect(has(chosen.protect, uid.toLowerCase())).toBe(false);
  if (!isLowered) expect(from).not.toBe('admin');
}

function expectOnlyAdditions({ action, from, to, reason }: PlanAction, chosen: PlanFlags): void {
  expect(action).not.toBe('remove');
  if (action === 'ban') expect(reason).toBe('ban_wanted');
  if (action === 'change' && !chosen.allowDemotion)
    expect(SCOPES.indexOf(to || 'ban')).toBeLessThan(SCOPES.indexOf(from || 'ban'));
}
