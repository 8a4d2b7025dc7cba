/**
 * Measures the share of three regions' budgets that one process uses with calls of several latencies, and its cost: `rollcall
 * import` with the embedded queue, as by default, against a stub that answers slowly. Beside it a plain script with
 * p-limit, which has 60 calls at a time, and no rate limit.
 *
 * Run   node bench/regions.ts [--rows 375000] [--calls-per-minute 10000] [--latencies 80,500,1000,2000]
 * Read  calls of each region as a share of its budget, from its first to its last, and in the half of that time in which most were
 *       made, without the seconds in which the number of calls at once is found; then the CPU of the whole import (reading, sending, reports) by its
 *       duration, in cores. Targets for 10,000 calls a minute: at least 98 % in the best half, and at 80 ms at most half a core. The last line is the script's.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { MAX_UIDS_PER_CALL } from '../src/chat/service/limits.ts';
import { membershipFile } from './generate.ts';
import { line, run } from './measure.ts';
import { type Stub, startStub, stubSettings } from './stub.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '375000' },
    'calls-per-minute': { type: 'string', default: '10000' },
    latencies: { type: 'string', default: '80,500,1000,2000' },
  },
});
const budget = Number(values['calls-per-minute']);

/** Rows of the script, by those of rollcall: it is as slow as the latency. */
const SCRIPT_PART = 20;

/** The times of the calls of each region in the ledger, in ms since 1970. */
const CALLS = 'select r.name, c.at from calls c join regions r on r.id = c.region_id order by r.id, c.at';

const rows = Number(values.rows);
// Few groups, so that hardly any call carries less than it could, and enough that none of them limits its region.
const file = await membershipFile(rows, 90);
const small = await membershipFile(rows / SCRIPT_PART, 90);
process.stdout.write(line('latency', 'region', 'calls', 'seconds', 'of budget', 'best half'));
for (const latency of values.latencies.split(',').map(Number)) {
  const stub = await startStub(latency);
  try {
    await measureRollcall(latency, stub);
    const script = await run('plain-import.ts', [small, String(stub.port)], { NODE_EXTRA_CA_CERTS: stub.caFile });
    const calls = rows / SCRIPT_PART / MAX_UIDS_PER_CALL;
    const share = percent(calls / ((budget * script.seconds) / 60));
    process.stdout.write(line(`${latency} ms`, 'p-limit', String(calls), script.seconds.toFixed(1), share, ''));
  } finally {
    await stub.close();
  }
}

async function measureRollcall(latency: number, stub: Stub): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  try {
    const settings = stubSettings(stub);
    const { cpuSeconds, seconds, peakMb } = await run('rollcall-import.ts', [file, dataDir, String(budget)], settings);
    const [id = ''] = await readdir(join(dataDir, 'imports'));
    const ledger = new DatabaseSync(join(dataDir, 'imports', id, 'ledger.sqlite'), { readOnly: true });
    const calls = Map.groupBy(ledger.prepare(CALLS).all(), ({ name }) => String(name));
    ledger.close();
    for (const [region, made] of calls) {
      const times = made.map(({ at }) => Number(at));
      const shown = [String(times.length), (spanOf(times) / 1000).toFixed(1)];
      process.stdout.write(line(`${latency} ms`, region, ...shown, percent(shareOf(times)), percent(bestHalf(times))));
    }
    const cost = [`${(cpuSeconds / seconds).toFixed(2)} cores`, `${peakMb.toFixed(0)} MB`];
    process.stdout.write(line(`${latency} ms`, ...cost));
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

function spanOf(times: readonly number[]): number {
  return (times.at(-1) ?? 0) - (times[0] ?? 0);
}

function shareOf(times: readonly number[]): number {
  return (times.length - 1) / ((budget * spanOf(times)) / 60_000);
}

function bestHalf(times: readonly number[]): number {
  const half = Math.floor(times.length / 2);
  return Math.max(
    ...Array.from({ length: 11 }, (_, nth) => Math.floor((nth / 10) * half)).map((from) =>
      shareOf(times.slice(from, from + half)),
    ),
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
