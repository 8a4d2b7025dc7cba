import { expect, test } from 'vitest';
import type { PlanFlags } from '../../src/api/sync-entry.ts';
import { doWork } from '../../src/features/sync/plan/plan-work.ts';
import { actionsOf, DEFAULT_FLAGS, fileRows, owned, people, planned } from './planning.ts';

const FLAGS: PlanFlags = { ...DEFAULT_FLAGS, mode: 'mirror', missing: 'remove', protect: ['u3'] };

test('a thread makes the same plan as the process itself', async () => {
  const { path, plan, desired } = planned(
    fileRows({ ...people(2), zoe: 'admin' }),
    { team: { members: people(5) } },
    FLAGS,
  );
  owned(plan, 'u5');
  const decision = { path, kind: 'file', from: desired, flags: FLAGS } as const;
  await doWork('makePlan', decision, true);
  const here = plan.actions().toArray();
  expect(actionsOf({ plan })).toContain('u4: remove participant>');
  plan.database.exec('delete from actions');
  await doWork('makePlan', decision, false);
  expect(plan.actions().toArray()).toEqual(here);
});

test('what goes wrong in the thread is reported', async () => {
  const { path } = planned(fileRows(people(1)), { team: { members: people(1) } });
  const decision = { path, kind: 'file', from: '/nowhere/desired.sqlite', flags: FLAGS } as const;
  await expect(doWork('makePlan', decision, false)).rejects.toThrow('desired.sqlite');
});
