/**
 * Measures the share of three regions' budgets that one process uses, and its cost: `rollcall import` with the embedded
 * queue, as by default, against a stub that answers slowly.
 *
 * Run   node bench/regions.ts [--rows 375000] [--calls-per-minute 10000] [--latency 80]
 * Read  calls of each region, from its first to its last, as a share of its budget; then the CPU of the whole import
 *       (reading, sending, reports) by its duration, in cores. Targets for 10,000 calls a minute and 80 ms: at least
 *       98 %, and at most half a core.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { membershipFile } from './generate.ts';
import { line, run } from './measure.ts';
import { startStub, stubSettings } from './stub.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '375000' },
    'calls-per-minute': { type: 'string', default: '10000' },
    latency: { type: 'string', default: '80' },
  },
});
const budget = Number(values['calls-per-minute']);

/** Queries for begin and end of each part, in the ledger; times in ms since 1970. */
const CALLS = `select r.name, count(*) as calls, min(c.at) as first, max(c.at) as last
                 from calls c join regions r on r.id = c.region_id group by r.id`;

// Few groups, so that hardly any call carries less than it could.
const file = await membershipFile(Number(values.rows), 90);
const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
const stub = await startStub(Number(values.latency));
try {
  const settings = stubSettings(stub);
  const { cpuSeconds, seconds, peakMb } = await run('rollcall-import.ts', [file, dataDir, String(budget)], settings);
  const [id = ''] = await readdir(join(dataDir, 'imports'));
  const ledger = new DatabaseSync(join(dataDir, 'imports', id, 'ledger.sqlite'), { readOnly: true });
  process.stdout.write(line('region', 'calls', 'seconds', 'of budget'));
  for (const { name, calls, first, last } of ledger.prepare(CALLS).all()) {
    const sent = Number(calls) - 1;
    const ms = Number(last) - Number(first);
    const share = sent / ((budget * ms) / 60_000);
    process.stdout.write(line(String(name), String(calls), (ms / 1000).toFixed(1), `${(share * 100).toFixed(1)} %`));
  }
  ledger.close();
  process.stdout.write(line('cores', (cpuSeconds / seconds).toFixed(2)) + line('peak MB', peakMb.toFixed(0)));
} finally {
  await stub.close();
  await rm(dataDir, { recursive: true });
}
