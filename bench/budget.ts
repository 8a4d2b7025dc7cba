/**
 * Measures the share of a region's budget that two workers use together, and how often they overrun it: by hand, it
 * takes minutes.
 *
 * Run   node bench/budget.ts                       600 and 6,000 calls a minute, three minutes each
 *       BUDGET_MINUTES=2 BUDGET_SHARE=0.5 node …   shorter, with a sandbox that allows only half of what is set
 * Read  calls and refused ones (429) of each minute of the clock, which is the sandbox's window. Targets: at least 97 %
 *       of the budget used, no more than 0.5 % refused; where less is allowed, that in the first whole minute already.
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

const LAUNCHER = fileURLToPath(new URL('../bin/rollcall.js', import.meta.url));
const MINUTE_MS = 60_000;

export interface BudgetResult {
  readonly callsPerMinute: number;
  readonly allowed: number;
  /** The rest of the minute in which it began; not part of the shares. */
  readonly begin: Window;
  readonly minutes: readonly Window[];
  /** Calls that were answered, of those that the service allows in this time. */
  readonly shareUsed: number;
  /** Calls over the limit, of all. */
  readonly shareRefused: number;
}

interface Window {
  readonly calls: number;
  /** The number of those calls that got a 429. */
  readonly refused: number;
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
    let before: Window = { calls: 0, refused: 0 };
    const untilMinuteEnds = async (): Promise<Window> => {
      const end = (Math.floor(Date.now() / MINUTE_MS) + 1) * MINUTE_MS;
      // A timer may be a millisecond early.
      while (Date.now() < end) await sleep(end - Date.now());
      const { requests: calls, rateLimited: refused } = sandbox.calls.us;
      const window = { calls: calls - before.calls, refused: refused - before.refused };
      before = { calls, refused };
      return window;
    };
    const begin = await untilMinuteEnds();
    const windows: Window[] = [];
    while (windows.length < minutes) windows.push(await untilMinuteEnds());
    const calls = windows.reduce((sum, window) => sum + window.calls, 0);
    const refused = windows.reduce((sum, window) => sum + window.refused, 0);
    return {
      callsPerMinute,
      allowed,
      begin,
      minutes: windows,
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
    const allowed = callsPerMinute * setting('BUDGET_SHARE', 1);
    const result = await measureBudget(callsPerMinute, setting('BUDGET_MINUTES', 3), allowed);
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
}
