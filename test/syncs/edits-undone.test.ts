import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makePlan } from '../../src/features/sync/plan/make-plan.ts';
import { openPlanLedger } from '../../src/features/sync/plan/plan-ledger.ts';
import { changesCsv } from '../../src/features/sync/plan/plan-tables.ts';
import { EMBEDDED, openPipeline } from '../imports/pipeline-harness.ts';
import { tempDir } from '../temp-dir.ts';
import { DEFAULT_FLAGS, list } from './planning.ts';

test('what an import of edits did, the plan of its undo takes back by another one', async () => {
  const members = { admins: ['ann'], participants: ['pat', 'pit'], usersToBan: ['bad'] };
  const { run, counts, sandbox, dir } = await openPipeline({
    place: EMBEDDED,
    sandbox: { seed: { regions: { us: { members: { team: members } } } } },
  });
  const now = () => Object.fromEntries(sandbox.members('us', 'team'));
  const before = now();
  const edits = [
    'new,moderator,add,',
    'bad,participant,add,ban',
    'pat,admin,change,participant',
    'ann,participant,change,admin',
    'pit,,remove,participant',
    'nobody,admin,change,participant',
  ];
  const file = `region,guid,uid,scope,action,from\n${edits.map((edit) => `us,team,${edit}`).join('\n')}\n`;
  const { id } = await run(file, { edits: true });
  expect(counts(id)).toMatchObject({ added: 2, changed: 2, removed: 1, failed: 1 });

  const path = join(tempDir(), 'plan.sqlite');
  const plan = openPlanLedger(path);
  onTestFinished(() => plan.close());
  plan.begin('undone', dir.ledger(id), { file: id, hash: '', size: 0 });
  list(plan, { team: { members: now() } });
  makePlan({ path, kind: 'undo', from: dir.ledger(id), flags: DEFAULT_FLAGS });
  const undo = await run([...changesCsv(plan)].join(''), { edits: true });
  expect(counts(undo.id)).toMatchObject({ read: 5, added: 1, banned: 1, changed: 2, removed: 1 });
  expect(now()).toEqual(before);
});

test('bans that an ordinary import has lifted and set, the plan of its undo takes back', async () => {
  const { run, sandbox, dir } = await openPipeline({
    place: EMBEDDED,
    sandbox: { seed: { regions: { us: { members: { team: { participants: ['pat'], usersToBan: ['bad'] } } } } } },
  });
  const now = () => Object.fromEntries(sandbox.members('us', 'team'));
  const before = now();
  const { id } = await run('guid,uid,scope\nteam,bad,participant\nteam,new,ban\n', { bans: 'lift' });
  expect(now()).toEqual({ pat: 'participant', bad: 'participant', new: 'ban' });

  const path = join(tempDir(), 'plan.sqlite');
  const plan = openPlanLedger(path);
  onTestFinished(() => plan.close());
  plan.begin('undone', dir.ledger(id), { file: id, hash: '', size: 0 });
  list(plan, { team: { members: now() } });
  makePlan({ path, kind: 'undo', from: dir.ledger(id), flags: { ...DEFAULT_FLAGS, allowUnban: true } });
  await run([...changesCsv(plan)].join(''), { edits: true });
  expect(now()).toEqual(before);
});
