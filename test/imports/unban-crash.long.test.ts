import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dataDir } from '../../src/platform/data-dir.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { tempDir } from '../temp-dir.ts';
import type { CoordinatorProcessSettings } from './coordinator-process.ts';
import { completedAfterKills } from './killed-coordinator.ts';
import { csv } from './pipeline-harness.ts';

const GROUPS = 30;
/** Calls after which the process is killed: while it asks who is banned, and while it adds. */
const KILLS = [10, 25, 45, 60];

test('kill -9 while bans are asked for and lifted: every ban is lifted and every row says so, or that an earlier call may have done it', async () => {
  const root = tempDir();
  const groups = Array.from({ length: GROUPS }, (_, n) => `team${n}`);
  const members = Object.fromEntries(groups.map((guid) => [guid, { usersToBan: ['bad', 'worse', 'stays'] }]));
  const sandbox = await startSandbox({ seed: { users: ['ann'], regions: { us: { members } } }, latencyMs: [20, 60] });
  onTestFinished(() => sandbox.close());
  const rows = groups.flatMap((guid) => ['ann', 'bad', 'worse'].map((uid) => ({ guid, uid })));
  const file = join(root, 'members.csv');
  writeFileSync(file, csv(rows));
  const dir = dataDir(join(root, 'data'));
  const { appId, apiKey } = sandbox.apps.us;
  const { host, caPem: ca } = sandbox;
  const settings: CoordinatorProcessSettings = { dataDir: dir.root, file, host, ca, appId, apiKey, bans: 'lift' };
  const { reported } = await completedAfterKills(settings, sandbox, KILLS);
  expect(reported).toHaveLength(rows.length);
  for (const { uid, status, code, message } of reported) {
    if (status === 'added') expect([uid, code]).toEqual([uid, uid === 'ann' ? '' : 'BAN_LIFTED']);
    else expect([status, message]).toEqual(['already_member', expect.stringContaining('earlier call')]);
  }
  for (const guid of groups) {
    expect(Object.fromEntries(sandbox.members('us', guid)), guid).toEqual({
      ann: 'participant',
      bad: 'participant',
      worse: 'participant',
      stays: 'ban',
    });
  }
});
