import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openCatalogReader } from '../../src/imports/catalog.ts';
import { openImportReader } from '../../src/imports/report/reading.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { endsWithTests } from '../ends-with-tests.ts';
import { tempDir } from '../temp-dir.ts';
import type { CoordinatorProcessSettings } from './coordinator-process.ts';
import { csv, eventually } from './pipeline-harness.ts';

const PROGRAM = fileURLToPath(new URL('coordinator-process.ts', import.meta.url));
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
  for (const calls of KILLS) {
    const child = startChild(settings);
    const goal = Math.max(calls, sandbox.calls.us.requests + 5);
    await Promise.race([eventually(() => sandbox.calls.us.requests).toBeGreaterThan(goal), child.ended]);
    child.process.kill('SIGKILL');
    await child.ended;
  }
  expect(await startChild(settings).ended).toBe(0);

  const catalog = openCatalogReader(dir.catalog);
  const [record] = catalog.list(1);
  catalog.close();
  expect(record?.state).toBe('completed');
  const reader = openImportReader(dir.ledger(record?.id ?? ''));
  const reported = reader.rows().toArray();
  reader.close();
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

function startChild(settings: CoordinatorProcessSettings): { process: ChildProcess; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  endsWithTests(child);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { process: child, ended: once(child, 'close').then(([code]) => code as number | null) };
}
