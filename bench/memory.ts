/**
 * Peak memory of a large and a small import (the process with embedded queue, staging thread, everything), against a
 * stub in another process.
 *
 * Run   node bench/memory.ts [--rows 5000000] [--small 100000] [--rows-per-group 250]      takes about ten minutes
 * Read  most memory that either process ever held (maximum resident set). Target: at most 1.1 times apart.
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
    rows: { type: 'string', default: '5000000' },
    small: { type: 'string', default: '100000' },
    'rows-per-group': { type: 'string', default: '250' },
  },
});

const stub = await startStub();
try {
  process.stdout.write(line('rows', 'peak MB', 'seconds', 'UIDs/s'));
  const small = await peakOf(Number(values.small));
  const large = await peakOf(Number(values.rows));
  process.stdout.write(line('times', (large / small).toFixed(2)));
} finally {
  await stub.close();
}

async function peakOf(rows: number): Promise<number> {
  const input = await membershipFile(rows, Math.ceil(rows / Number(values['rows-per-group'])));
  const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  try {
    const settings = stubSettings(stub);
    await run('rollcall-import.ts', [await membershipFile(1_000, 10), dataDir], settings);
    const { peakMb, seconds, count } = await run('rollcall-import.ts', [input, dataDir], settings);
    process.stdout.write(line(String(rows), peakMb.toFixed(0), seconds.toFixed(1), (count / seconds).toFixed(0)));
    return peakMb;
  } finally {
    await rm(dataDir, { recursive: true });
  }
}
