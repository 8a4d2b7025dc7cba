/**
 * How much of a region's budget two workers use together, and how often they overrun it: by hand, it takes minutes.
 * `node bench/budget.ts` runs 600 and 6,000 calls a minute, three minutes each. BUDGET_MINUTES changes that;
 * BUDGET_ALLOWED is what the sandbox takes where that is to be less than what is set.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startSandbox } from '../src/sandbox/sandbox.ts';
import { startRedis } from '../test/servers/redis.ts';
import { setting } from './chaos.ts';

const LAUNCHER = fileURLToPath(new URL('../src/cli/rollcall.js', import.meta.url));
const MINUTE_MS = 60_000;

export interface BudgetResult {
  readonly callsPerMinute: number;
  readonly allowed: number;
  readonly minutes: number;
  readonly calls: number;
  /** Calls that were answered, of those that the service allows in this time. */
  readonly shareUsed: number;
  /** Calls over the limit, of all. */
  readonly shareRefused: number;
}

/** Measures whole windows of the sandbox, which begin with the minutes of the clock. */
export async function measureBudget(callsPerMinute: number, minutes: number, allowed: number): Promise<BudgetResult> {
  const root = mkdtempSync(join(tmpdir(), 'rollcall-budget-'));
  const redis = await startRedis();
  const sandbox = await startSandbox({
    users: 'any',
    groups: 'any',
    rateLimit: { calls: allowed, perMs: MINUTE_MS },
    latencyMs: [20, 80],
    caFile: join(root, 'ca.pem'),
  });
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: root,
    ROLLCALL_DATA_DIR: join(root, 'data'),
    ROLLCALL_QUEUE: redis.url,
    ...sandbox.env,
  };
  const children: ChildProcess[] = [];
  const start = (...args: string[]) => {
    children.push(spawn(process.execPath, [LAUNCHER, ...args], { cwd: root, env, stdio: 'ignore' }));
  };
  try {
    // One call for each group, and more of them than can be sent.
    const groups = Math.ceil(callsPerMinute * (minutes + 3));
    writeFileSync(
      join(root, 'members.csv'),
      `guid,uid\n${Array.from({ length: groups }, (_, n) => `g${n},u`).join('\n')}\n`,
    );
    start('worker', '--region', 'us');
    start('worker', '--region', 'us');
    start('import', 'members.csv', '--region', 'us', '--calls-per-minute', String(callsPerMinute));
    while (sandbox.calls.us.requests === 0) await sleep(50);
    await sleep(MINUTE_MS - (Date.now() % MINUTE_MS));
    const before = { calls: sandbox.calls.us.requests, refused: sandbox.calls.us.rateLimited };
    await sleep(minutes * MINUTE_MS);
    const calls = sandbox.calls.us.requests - before.calls;
    const refused = sandbox.calls.us.rateLimited - before.refused;
    return {
      callsPerMinute,
      allowed,
      minutes,
      calls,
      shareUsed: (calls - refused) / (Math.min(allowed, callsPerMinute) * minutes),
      shareRefused: refused / calls,
    };
  } finally {
    for (const child of children) {
      const exit = child.exitCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGKILL');
      await exit;
    }
    await sandbox.close();
    await redis.stop();
    rmSync(root, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  for (const callsPerMinute of [600, 6_000]) {
    const allowed = setting('BUDGET_ALLOWED', callsPerMinute);
    const result = await measureBudget(callsPerMinute, setting('BUDGET_MINUTES', 3), allowed);
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
}
