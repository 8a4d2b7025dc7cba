import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openCatalogReader } from '../../src/imports/catalog.ts';
import { openImportReader } from '../../src/imports/report/import-reader.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { endsWithTests } from '../ends-with-tests.ts';
import { tempDir } from '../temp-dir.ts';
import type { CoordinatorProcessSettings } from './coordinator-process.ts';
import { countsOf, csv, eventually, participants } from './pipeline-harness.ts';

const PROGRAM = fileURLToPath(new URL('coordinator-process.ts', import.meta.url));
/** Longer than any lock in the queue. */
const FREEZE_MS = 30_000;
const ROWS = 40_000;

/** A machine that sleeps, a virtual machine that is suspended: everything stands still, and goes on as if nothing were. */
test('a coordinator that is frozen while it reads, sends and closes does each once', async () => {
  const root = tempDir();
  const sandbox = await startSandbox({
    users: 'any',
    groups: 'any',
    rateLimit: { calls: 1_000_000, perMs: 1_000 },
    latencyMs: 5,
  });
  onTestFinished(() => sandbox.close());
  const dir = dataDir(join(root, 'data'));
  const file = join(root, 'members.csv');
  writeFileSync(file, csv([1, 2, 3, 4].flatMap((n) => participants(ROWS / 4, `group-${n}`))));
  const { appId, apiKey } = sandbox.apps.us;
  const settings: CoordinatorProcessSettings = {
    dataDir: dir.root,
    file,
    appId,
    apiKey,
    host: sandbox.host,
    ca: sandbox.caPem,
  };
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'pipe'] });
  endsWithTests(child);
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  let complaint = '';
  child.stdout.on('data', (text) => {
    said += text;
  });
  child.stderr.on('data', (text) => {
    complaint += text;
  });
  const ended = once(child, 'close');
  const freeze = async () => {
    child.kill('SIGSTOP');
    await delay(FREEZE_MS);
    child.kill('SIGCONT');
  };
  const idOf = () => {
    const catalog = openCatalogReader(dir.catalog);
    const [record] = catalog.list(1);
    catalog.close();
    return record?.id ?? '';
  };

  await eventually(() => said).toContain('staging');
  const id = idOf();
  await eventually(() => existsSync(`${dir.ledger(id)}.part`) || said.includes('running')).toBe(true);
  await freeze();
  await eventually(() => sandbox.calls.us.requests).toBeGreaterThan(100);
  await freeze();
  const unfinished = join(dir.folder(id), 'report.csv.part');
  await eventually(() => existsSync(unfinished) || said.includes('completed')).toBe(true);
  await freeze();

  expect(await ended, complaint).toEqual([0, null]);
  expect(said.trim().split('\n')).toEqual(['staging', 'working', 'staged', 'running', 'completed']);
  const reader = openImportReader(dir.ledger(id));
  const counts = countsOf(reader.rows().toArray());
  expect(reader.check()).toMatchObject({ holds: true });
  reader.close();
  expect(counts.added + counts.already_member).toBe(ROWS);
  // A call whose job was taken for dead is made a second time, at most those that were under way.
  expect(sandbox.calls.us.requests).toBeLessThanOrEqual(ROWS / 25 + 2 * 5);
});
