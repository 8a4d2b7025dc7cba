/**
 * A whole import (`rollcall import`, embedded queue, ledger, reports) beside the plain script that one would write
 * instead, both against a stub that answers at once, each in a process of its own.
 *
 * Run   node bench/import.ts [--rows 250000] [--groups 1000] [--rounds 3]
 *       --rows 25000 --profile <folder>   writes a CPU profile of rollcall there, without comparing
 * Read  UIDs a second, and milliseconds of CPU (user and system, all threads of that process) per 1,000 UIDs; then
 *       medians. The stub shares the cores: UIDs a second compare contenders, they promise nothing. A paid plan's rate
 *       limit of 10,000 calls a minute allows 4,167 UIDs a second.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { membershipFile } from './generate.ts';
import { line, type Measured, middle, run } from './measure.ts';
import { startStub, stubSettings } from './stub.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '250000' },
    groups: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    profile: { type: 'string' },
  },
});

const input = await membershipFile(Number(values.rows), Number(values.groups));
const warmUp = await membershipFile(1_000, 10);
const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
const stub = await startStub();
try {
  const rollcall = (file: string, env: NodeJS.ProcessEnv = {}) =>
    run('rollcall-import.ts', [file, dataDir], { ...stubSettings(stub), ...env });
  const plain = () => run('plain-import.ts', [input, String(stub.port)], { NODE_EXTRA_CA_CERTS: stub.caFile });
  // The data directory is made once, not in every import.
  await rollcall(warmUp);
  if (values.profile !== undefined) {
    await rollcall(input, { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${values.profile}` });
  } else await compare(plain, () => rollcall(input));
} finally {
  await stub.close();
  await rm(dataDir, { recursive: true });
}

async function compare(plain: () => Promise<Measured>, rollcall: () => Promise<Measured>): Promise<void> {
  const scripts: Measured[] = [];
  const imports: Measured[] = [];
  process.stdout.write(line('', 'UIDs/s', 'CPU ms/1000', 'peak MB', 'seconds'));
  for (let round = 1; round <= Number(values.rounds); round++) {
    const script = await plain();
    const whole = await rollcall();
    if (script.count !== whole.count) throw new Error(`the script added ${script.count}, rollcall ${whole.count}`);
    scripts.push(script);
    imports.push(whole);
    process.stdout.write(shown(`round ${round}: script`, script) + shown(`round ${round}: rollcall`, whole));
  }
  process.stdout.write(shown('median: script', middle(scripts)) + shown('median: rollcall', middle(imports)));
}

function shown(name: string, { seconds, cpuSeconds, peakMb, count }: Measured): string {
  const cells = [count / seconds, (cpuSeconds * 1e6) / count, peakMb].map((number) => number.toFixed(0));
  return line(name, ...cells, seconds.toFixed(1));
}
