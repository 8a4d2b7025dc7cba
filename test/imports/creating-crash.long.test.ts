import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openCatalogReader } from '../../src/imports/catalog.ts';
import { createOptions } from '../../src/imports/create-options.ts';
import { openImportReader } from '../../src/imports/report/reading.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { endsWithTests } from '../ends-with-tests.ts';
import { tempDir } from '../temp-dir.ts';
import type { CoordinatorProcessSettings } from './coordinator-process.ts';
import { csv, eventually } from './pipeline-harness.ts';

const PROGRAM = fileURLToPath(new URL('coordinator-process.ts', import.meta.url));
const NEW_USERS = 60;
const NEW_GROUPS = 20;
/** Calls after which the process is killed: while it looks, creates groups, adds, creates users, and adds these. */
const KILLS = [10, 30, 45, 70, 100];

test('kill -9 in the middle of looking, creating and adding: no one is created twice, and no row is lost', async () => {
  const root = tempDir();
  const users = Array.from({ length: NEW_USERS }, (_, n) => `new${n}`);
  const groups = Array.from({ length: NEW_GROUPS }, (_, n) => `team${n}`);
  const sandbox = await startSandbox({ seed: { users: ['ann'] }, latencyMs: [20, 60] });
  onTestFinished(() => sandbox.close());
  const rows = groups.flatMap((guid, at) => [
    { guid, uid: 'ann' },
    ...users.filter((_, n) => n % NEW_GROUPS === at).map((uid) => ({ guid, uid })),
  ]);
  const file = join(root, 'members.csv');
  writeFileSync(file, csv(rows));
  const dir = dataDir(join(root, 'data'));
  const { appId, apiKey } = sandbox.apps.us;
  const settings: CoordinatorProcessSettings = {
    dataDir: dir.root,
    file,
    host: sandbox.host,
    ca: sandbox.caPem,
    appId,
    apiKey,
    create: createOptions.parse({
      users: true,
      groups: true,
      userNameFrom: 'uid',
      groupNameFrom: 'guid',
      max: { users: { count: NEW_USERS }, groups: { count: NEW_GROUPS } },
    }),
  };
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
  const { created } = reader.counters().get('us') ?? {};
  reader.close();
  expect(reported).toHaveLength(rows.length);
  for (const { status, message } of reported) {
    if (status !== 'added')
      expect([status, message]).toEqual(['already_member', expect.stringContaining('earlier call')]);
  }
  // What was created and not heard of is counted as created, by the call before.
  expect(created).toEqual({ users: NEW_USERS, groups: NEW_GROUPS, reactivated: 0 });
  for (const [at, guid] of groups.entries()) {
    expect(sandbox.members('us', guid).size, guid).toBe(1 + users.filter((_, n) => n % NEW_GROUPS === at).length);
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
