import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readingPlan } from '../../src/features/sync/plan/plan-reading.ts';
import { PLAN_ACTIONS, type PlanActionName } from '../../src/membership/plan-words.ts';
import { runs } from '../runs.ts';
import { fileRows, type Live, people, planned } from './planning.ts';

const LIVE: Live = {
  team: { owner: 'boss', members: { ...people(9), boss: 'admin', eve: 'ban' } },
  choir: { members: people(4) },
  band: { members: people(5) },
};
const FILE = [
  ...fileRows({ ...people(6, 'moderator', 4), new: 'participant' }),
  ...fileRows(people(4), 'choir'),
  ...fileRows(people(2), 'nowhere', 'eu'),
  ...fileRows(people(7, 'participant', 2), 'band'),
];
const FLAGS = { mode: 'mirror', missing: 'remove' } as const;

const chosenActions = fc.subarray([...PLAN_ACTIONS], { minLength: 1 }).map((names) => new Set<PlanActionName>(names));
const size = fc.integer({ min: 1, max: 12 });

test('the pages of chosen actions hold each once and in order, however long they are', async () => {
  const { plan, path } = planned(FILE, LIVE, FLAGS);
  const guids = fc.constantFrom(undefined, 'team', 'CHOIR', 'nowhere', 'nobodys');
  await fc.assert(
    fc.asyncProperty(chosenActions, guids, size, async (actions, guid, limit) => {
      const expected = plan
        .actions(actions)
        .filter((action) => guid === undefined || action.guid.toLowerCase() === guid.toLowerCase())
        .toArray();
      const found = await readingPlan(path, async (pages) => {
        const all = [];
        let page = await pages.actionPage({ action: [...actions], guid, limit });
        for (;;) {
          expect(page.actions.length).toBeLessThanOrEqual(limit);
          all.push(...page.actions);
          if (page.nextCursor === null) return all;
          expect(page.actions).toHaveLength(limit);
          page = await pages.actionPage({ action: [...actions], guid, limit, cursor: page.nextCursor });
        }
      });
      expect(found).toEqual(expected);
    }),
    { numRuns: runs(100) },
  );
});

test('the pages of groups hold each that has a chosen action or could not be listed, with the counts of the plan', async () => {
  const { plan, path } = planned(FILE, LIVE, FLAGS);
  await fc.assert(
    fc.asyncProperty(fc.option(chosenActions, { nil: undefined }), size, async (actions, limit) => {
      const expected = plan
        .groups()
        .filter(
          (group) =>
            actions === undefined || group.listing !== 'listed' || [...actions].some((one) => group.actions[one] > 0),
        )
        .map(({ region, guid, listing, members, actions: counts, right }) => ({
          region,
          guid,
          listing,
          members,
          actions: counts,
          right,
        }));
      const found = await readingPlan(path, async (pages) => {
        const all = [];
        const action = actions && [...actions];
        let page = await pages.groupPage({ action, limit });
        for (;;) {
          all.push(...page.groups);
          if (page.nextCursor === null) return all;
          page = await pages.groupPage({ action, limit, cursor: page.nextCursor });
        }
      });
      expect(found.map(({ problem: _, ...group }) => group)).toEqual(expected);
      expect(found.filter(({ problem }) => problem !== '').map(({ guid }) => guid)).toEqual(['nowhere']);
    }),
    { numRuns: runs(100) },
  );
});
