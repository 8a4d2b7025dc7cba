/**
 * An import over Redis with two worker processes, beside the plain script, beside the floor (undici and JSON.parse and
 * nothing else), and beside the queue that one would build instead (one job for each row). All go to a stub that answers
 * at once. Every contender has a Redis and a stub of its own.
 *
 * Run   node bench/fleet.ts [--rows 500000] [--groups 200] [--naive-rows 20000] [--rounds 2]
 *       node bench/fleet.ts --memory [--small 100000] [--large 2000000]     Redis's memory instead, some minutes
 *       --profile <folder>   writes CPU profiles of coordinator and workers there, without comparing
 * Read  milliseconds of CPU (user and system, all processes of the contender together) per 1,000 UIDs, with those of
 *       Redis and stub beside. Wished for: no more than the script, and at most 2 times the floor; docs/scale.md says
 *       why it is more. Everything shares the cores: UIDs a second promise nothing.
 *       --memory: used_memory_peak less what Redis used before. Target: at most 1.2 times apart.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { startRedis } from '../test/servers/redis.ts';
import { membershipFile } from './generate.ts';
import { line, type Measured, middle, run, start } from './measure.ts';
import { type Stub, startStub, stubSettings } from './stub.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '500000' },
    groups: { type: 'string', default: '200' },
    'naive-rows': { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '2' },
    memory: { type: 'boolean', default: false },
    small: { type: 'string', default: '100000' },
    large: { type: 'string', default: '2000000' },
    profile: { type: 'string' },
  },
});
const WORKERS = 2;
const ROWS_PER_GROUP = Number(values.rows) / Number(values.groups);

/** The costs of one contender, with the servers around it. */
interface Fleet extends Measured {
  readonly redisCpuSeconds: number;
  readonly stubCpuSeconds: number;
  /** Most that Redis held at once beyond what it holds empty, in MB. */
  readonly redisMb: number;
}

interface Surroundings {
  readonly stub: Stub;
  readonly redisUrl: string;
  readonly dataDir: string;
}

if (values.memory) await compareMemory();
else if (values.profile !== undefined) {
  const NODE_OPTIONS = `--cpu-prof --cpu-prof-dir=${values.profile}`;
  process.stdout.write(shown('profiled', await rollcall(Number(values.rows), { NODE_OPTIONS })));
} else await compareSpeed();

async function compareSpeed(): Promise<void> {
  const rows = Number(values.rows);
  const naiveRows = Number(values['naive-rows']);
  const contenders = {
    floor: () => measured(({ stub }) => run('floor-import.ts', [String(rows), String(stub.port), stub.caFile])),
    script: () => script(rows),
    rollcall: () => rollcall(rows),
    [`naive, ${naiveRows} rows`]: () => naive(naiveRows),
  };
  const all = new Map<string, Fleet[]>(Object.keys(contenders).map((name) => [name, []]));
  process.stdout.write(line('CPU ms per 1,000', 'ours', 'Redis', 'stub', 'UIDs/s', 'seconds'));
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    for (const [name, measure] of Object.entries(contenders)) {
      const result = await measure();
      all.get(name)?.push(result);
      process.stdout.write(shown(`${round}: ${name}`, result));
    }
  }
  const cpu = (name: string) => {
    const { cpuSeconds, count } = middle(all.get(name) ?? []);
    return cpuSeconds / count;
  };
  for (const other of Object.keys(contenders).filter((name) => name !== 'rollcall')) {
    process.stdout.write(`rollcall takes ${(cpu('rollcall') / cpu(other)).toFixed(2)} times the CPU of: ${other}\n`);
  }
}

async function compareMemory(): Promise<void> {
  process.stdout.write(line('rows', 'Redis MB', 'seconds'));
  const peakOf = async (rows: number) => {
    const { redisMb, seconds } = await rollcall(rows);
    process.stdout.write(line(String(rows), redisMb.toFixed(2), seconds.toFixed(1)));
    return redisMb;
  };
  const small = await peakOf(Number(values.small));
  const large = await peakOf(Number(values.large));
  process.stdout.write(line('times', (large / small).toFixed(2)));
}

function fileOf(rows: number): Promise<string> {
  return membershipFile(rows, Math.ceil(rows / ROWS_PER_GROUP));
}

/** Coordinator and workers together. */
async function rollcall(rows: number, more: NodeJS.ProcessEnv = {}): Promise<Fleet> {
  const file = await fileOf(rows);
  return measured(async ({ stub, redisUrl, dataDir }) => {
    const env = { ...stubSettings(stub), ROLLCALL_QUEUE: redisUrl, ...more };
    return withWorkers(
      () => start('rollcall-worker.ts', [], env),
      () => run('rollcall-import.ts', [file, dataDir], env),
    );
  });
}

async function script(rows: number): Promise<Fleet> {
  const file = await fileOf(rows);
  return measured(({ stub }) =>
    run('plain-import.ts', [file, String(stub.port)], { NODE_EXTRA_CA_CERTS: stub.caFile }),
  );
}

async function naive(rows: number): Promise<Fleet> {
  const file = await fileOf(rows);
  return measured(async ({ stub, redisUrl }) => {
    const role = (name: string, ...args: string[]) =>
      start('naive-queue.ts', [name, redisUrl, String(stub.port), ...args], { NODE_EXTRA_CA_CERTS: stub.caFile });
    return withWorkers(
      () => role('work'),
      () => role('add', file).measured,
    );
  });
}

/** Runs `work` beside worker processes, and adds up the CPU of all. */
async function withWorkers(worker: () => ReturnType<typeof start>, work: () => Promise<Measured>): Promise<Measured> {
  const workers = Array.from({ length: WORKERS }, worker);
  try {
    const own = await work();
    for (const { child } of workers) child.kill('SIGTERM');
    const others = await Promise.all(workers.map(({ measured }) => measured));
    return { ...own, cpuSeconds: others.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, own.cpuSeconds) };
  } finally {
    for (const { child } of workers) child.kill('SIGKILL');
  }
}

async function measured(contender: (surroundings: Surroundings) => Promise<Measured>): Promise<Fleet> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  const server = await startRedis();
  const redis = new Redis(server.url);
  const stub = await startStub();
  let stubCpuSeconds = Number.NaN;
  try {
    const before = await infoOf(redis);
    const result = await contender({ stub, redisUrl: server.url, dataDir });
    const after = await infoOf(redis);
    stubCpuSeconds = await stub.close();
    return {
      ...result,
      redisCpuSeconds: after.cpuSeconds - before.cpuSeconds,
      redisMb: (after.peak - before.used) / 1e6,
      stubCpuSeconds,
    };
  } finally {
    if (Number.isNaN(stubCpuSeconds)) await stub.close();
    redis.disconnect();
    await server.stop();
    await rm(dataDir, { recursive: true });
  }
}

async function infoOf(redis: Redis): Promise<{ cpuSeconds: number; used: number; peak: number }> {
  const info = await redis.info();
  const number = (field: string) => Number(new RegExp(`^${field}:(.*)$`, 'm').exec(info)?.[1]);
  return {
    cpuSeconds: number('used_cpu_user') + number('used_cpu_sys'),
    used: number('used_memory'),
    peak: number('used_memory_peak'),
  };
}

function shown(name: string, { seconds, cpuSeconds, redisCpuSeconds, stubCpuSeconds, count }: Fleet): string {
  const perThousand = [cpuSeconds, redisCpuSeconds, stubCpuSeconds].map((cpu) => ((cpu * 1e6) / count).toFixed(1));
  return line(name, ...perThousand, (count / seconds).toFixed(0), seconds.toFixed(1));
}
