import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { openCatalogReader } from '../../src/imports/catalog.ts';
import { openImportReader } from '../../src/imports/report/reading.ts';
import { dataDir } from '../../src/platform/data-dir.ts';
import type { startSandbox } from '../../src/sandbox/sandbox.ts';
import { endsWithTests } from '../ends-with-tests.ts';
import type { CoordinatorProcessSettings } from './coordinator-process.ts';
import { eventually } from './pipeline-harness.ts';

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
    const child = startChild(settings);
    const goal = Math.max(calls, sandbox.calls.us.requests + 5);
    await Promise.race([eventually(() => sandbox.calls.us.requests).toBeGreaterThan(goal), child.ended]);
    child.process.kill('SIGKILL');
    await child.ended;
  }
  expect(await startChild(settings).ended).toBe(0);

  const dir = dataDir(settings.dataDir);
  const catalog = openCatalogReader(dir.catalog);
  const [record] = catalog.list(1);
  catalog.close();
  expect(record?.state).toBe('completed');
  const reader = openImportReader(dir.ledger(record?.id ?? ''));
  try {
    return { reported: reader.rows().toArray(), created: reader.counters().get('us')?.created };
  } finally {
    reader.close();
  }
}

function startChild(settings: CoordinatorProcessSettings): { process: ChildProcess; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  endsWithTests(child);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { process: child, ended: once(child, 'close').then(([code]) => code as number | null) };
}
