import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { openCatalogReader } from '../../src/imports/catalog.ts';
import { openImportReader } from '../../src/imports/report/import-reader.ts';
import { totalsOf } from '../../src/imports/report/summarize.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { endsWithTests } from '../ends-with-tests.ts';
import { tempDir } from '../temp-dir.ts';
import type { CoordinatorProcessSettings } from './coordinator-process.ts';
import { csv, eventually, participants } from './pipeline-harness.ts';

const PROGRAM = fileURLToPath(new URL('coordinator-process.ts', import.meta.url));

/**
 * Kills the coordinator each time the service has had so many requests, starts it again until the import is completed, and
 * gives what its ledger says.
 */
export async function completedAfterKills(
  settings: CoordinatorProcessSettings,
  sandbox: Awaited<ReturnType<typeof startSandbox>>,
  kills: readonly number[],
) {
  for (const calls of kills) {
    const child = startCoordinator(settings);
    const goal = Math.max(calls, sandbox.calls.us.requests + 5);
    await Promise.race([eventually(() => sandbox.calls.us.requests).toBeGreaterThan(goal), child.ended]);
    child.process.kill('SIGKILL');
    await child.ended;
  }
  expect(await startCoordinator(settings).ended).toBe(0);

  const dir = dataDir(settings.dataDir);
  const catalog = openCatalogReader(dir.catalog);
  const [record] = catalog.list(1);
  catalog.close();
  expect(record?.state).toBe('completed');
  const reader = openImportReader(dir.ledger(record?.id ?? ''));
  try {
    return { reported: reader.rows().toArray(), created: totalsOf(reader.counters(), true).created };
  } finally {
    reader.close();
  }
}

/** A file of four groups, `group-1` to `group-4`, for a coordinator whose calls take a while. */
export async function fourGroups(membersOfEach: number) {
  const root = tempDir();
  const sandbox = await startSandbox({
    users: 'any',
    groups: 'any',
    rateLimit: { calls: 1_000_000, perMs: 1_000 },
    latencyMs: [5, 20],
  });
  onTestFinished(() => sandbox.close());
  const dir = dataDir(join(root, 'data'));
  const file = join(root, 'members.csv');
  writeFileSync(file, csv([1, 2, 3, 4].flatMap((n) => participants(membersOfEach, `group-${n}`, `g${n}u`))));
  const { host, caPem: ca, apps } = sandbox;
  return { root, sandbox, dir, settings: { dataDir: dir.root, file, host, ca, ...apps.us } };
}

/**
 * A coordinator in a process of its own, which ends with its test. `working`: it has its import, or has ended.
 * @param under a command that runs it
 */
export function startCoordinator(settings: CoordinatorProcessSettings, under: readonly string[] = []) {
  const [program = '', ...args] = [...under, process.execPath, PROGRAM, JSON.stringify(settings)];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  endsWithTests(child);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let said = '';
  const working = new Promise<void>((resolve) => {
    child.stdout.on('data', (text) => {
      said += text;
      if (said.includes('working\n')) resolve();
    });
    void ended.then(() => resolve());
  });
  return { process: child, working, ended };
}
