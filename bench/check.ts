/**
 * Peak memory and time of checking a large and a small file (`import --check`), against a stub in another process that lists
 * three users for every row.
 *
 * Run   node bench/check.ts [--rows 1000000] [--small 50000] [--rows-per-group 250]      takes about three minutes
 * Read  most memory that the process ever held. Target: at most 1.2 times apart.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { membershipFile } from './generate.ts';
import { line, run } from './measure.ts';
import { startStub, stubSettings } from './stub.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    small: { type: 'string', default: '50000' },
    'rows-per-group': { type: 'string', default: '250' },
  },
});

process.stdout.write(line('rows', 'peak MB', 'seconds', 'CPU s'));
const small = await peakOf(Number(values.small));
const large = await peakOf(Number(values.rows));
process.stdout.write(line('times', (large / small).toFixed(2)));

async function peakOf(rows: number): Promise<number> {
  const input = await membershipFile(rows, Math.ceil(rows / Number(values['rows-per-group'])));
  const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  const stub = await startStub(0, rows * 3);
  try {
    const { peakMb, seconds, cpuSeconds } = await run('rollcall-check.ts', [input, dataDir], stubSettings(stub));
    process.stdout.write(line(String(rows), peakMb.toFixed(0), seconds.toFixed(1), cpuSeconds.toFixed(1)));
    return peakMb;
  } finally {
    await stub.close();
    await rm(dataDir, { recursive: true });
  }
}
