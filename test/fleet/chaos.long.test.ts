import { expect, test } from 'vitest';
import { runChaos, setting } from '../../bench/chaos.ts';
import { BACKLOG } from '../../src/imports/send/fair-queue.ts';

/** Longer than a worker's lock, so that others take what a frozen one holds. */
const FREEZE_S = 12;

test.each([{ aof: true }, { aof: false }])(
  'kills of workers, coordinator and Redis, a wiped queue, a frozen worker (append-only file: $aof): every row has one outcome, and the groups are as asked',
  async ({ aof }) => {
    const said: string[] = [];
    const result = await runChaos({
      rows: setting('CHAOS_ROWS', 10_000),
      kills: setting('CHAOS_KILLS', 5),
      freezeMs: setting('CHAOS_FREEZE_S', FREEZE_S) * 1000,
      seed: setting('CHAOS_SEED', 20261120),
      callsPerMinute: setting('CHAOS_CALLS_PER_MINUTE', 3_000),
      aof,
      log: (text) => said.push(text),
    });
    expect(result.wrongRows, said.join('\n')).toEqual([]);
    expect(result.wrongGroups, said.join('\n')).toEqual([]);
    expect(result.sum).toBe(result.read);
    // Some rows are invalid on purpose.
    expect(result.code).toBe(1);
    expect(result.maxQueued).toBeGreaterThan(0);
    expect(result.maxQueued).toBeLessThanOrEqual(BACKLOG);
  },
);
