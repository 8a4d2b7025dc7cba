/**
 * An import on many machines while everything fails: kills of workers, of the coordinator and of Redis, a wiped queue, a
 * frozen worker. `node bench/chaos.ts` is the full run; test/fleet/chaos.long.test.ts is the small one. Settings:
 * CHAOS_ROWS, CHAOS_KILLS, CHAOS_FREEZE_S, CHAOS_SEED, CHAOS_CALLS_PER_MINUTE.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EXIT } from '../src/cli/exit-codes.ts';
import { openCatalogReader } from '../src/imports/catalog.ts';
import { openImportReader } from '../src/imports/report/import-reader.ts';
import { openRegionQueue } from '../src/imports/send/region-queues.ts';
import { REGIONS } from '../src/membership/membership.ts';
import { dataDir } from '../src/platform/data-dir.ts';
import { openBackend } from '../src/queue/open-backend.ts';
import { seededRandom } from '../src/sandbox/injected-faults.ts';
import { type Sandbox, startSandbox } from '../src/sandbox/sandbox.ts';
import { startRedis } from '../test/servers/redis.ts';
import type { TestServer } from '../test/servers/server.ts';
import { makeChaosOrder } from './chaos-order.ts';

const LAUNCHER = fileURLToPath(new URL('../bin/rollcall.js', import.meta.url));
/** The regions of each worker: each region has two workers, and no two workers are alike. */
const WORKERS = ['us', 'eu', 'in', 'us,eu,in'] as const;

export interface ChaosOptions {
  readonly rows: number;
  /** Kills of workers and of the coordinator together. */
  readonly kills: number;
  readonly freezeMs: number;
  /** Whether Redis keeps an append-only file over its kill. */
  readonly aof: boolean;
  readonly seed: number;
  readonly callsPerMinute: number;
  readonly log: (text: string) => void;
}

export interface ChaosResult {
  /** Exit code of the coordinator that came to the end. */
  readonly code: number | null;
  /** Rows with a wrong outcome, as text. Empty when all are right. */
  readonly wrongRows: readonly string[];
  /** Groups whose members are not as asked. */
  readonly wrongGroups: readonly string[];
  /** Rows read, and the sum of the outcomes. */
  readonly read: number;
  readonly sum: number;
  /** Most batches that were in the queues at one moment. */
  readonly maxQueued: number;
  readonly calls: number;
  readonly seconds: number;
}

/** Runs one import of `rows` rows in three regions with four workers, and does to it what the options say. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { rows, seed, aof, log } = options;
  const root = mkdtempSync(join(tmpdir(), 'rollcall-chaos-'));
  const order = makeChaosOrder(rows, seed);
  const file = join(root, 'members.csv');
  writeFileSync(file, order.csv);
  const redis = await startRedis({ aof });
  const sandbox = await startSandbox({
    users: 'any',
    groups: 'any',
    rateLimit: { calls: 1_000_000, perMs: 1_000 },
    latencyMs: [5, 50],
    randomSeed: seed,
    caFile: join(root, 'ca.pem'),
  });
  const fleet = startFleet(root, redis.url, sandbox, file, options.callsPerMinute);
  const backlog = await watchBacklog(redis.url, sandbox);
  const startedAt = performance.now();
  try {
    const expected = order.members.size;
    await torment(options, fleet, redis, () => callsOf(sandbox) / expected);
    log('left in peace');
    const code = await fleet.coordinatorEnds();
    if (code !== EXIT.ok && code !== EXIT.rowsFailed) {
      throw new Error(`the coordinator ended with ${code}; the last that all processes said:\n${fleet.lastWords()}`);
    }
    const { wrongRows, read, sum } = await readOutcomes(root, order.fates);
    return {
      code,
      wrongRows,
      wrongGroups: wrongGroupsOf(sandbox, order.members),
      read,
      sum,
      maxQueued: backlog.most(),
      calls: callsOf(sandbox),
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await backlog.stop();
    await fleet.stop();
    await sandbox.close();
    await redis.stop();
    rmSync(root, { recursive: true, force: true });
  }
}

type Blow = (random: () => number) => Promise<void>;

/** Deals the blows in a random order, each at its share of the calls. */
async function torment(options: ChaosOptions, fleet: Fleet, redis: TestServer, progress: () => number): Promise<void> {
  const { kills, freezeMs, seed, log } = options;
  const random = seededRandom(seed + 1);
  // Never killed: it is to wake up and find that others have its batches.
  const sleeper = Math.floor(random() * WORKERS.length);
  const kill: Blow = async (draw) => {
    const n = (sleeper + 1 + Math.floor(draw() * WORKERS.length)) % (WORKERS.length + 1);
    log(n === WORKERS.length ? 'kill -9 of the coordinator' : `kill -9 of the worker of ${WORKERS[n]}`);
    if (n === WORKERS.length) await fleet.killCoordinator();
    else await fleet.killWorker(n);
  };
  const blows: { at: number; blow: Blow }[] = Array.from({ length: kills }, () => ({ at: random(), blow: kill }));
  const restart: Blow = async () => {
    log('kill -9 of Redis, and its restart');
    await redis.kill();
    await redis.start();
  };
  const wipe: Blow = async () => {
    log('FLUSHALL');
    await redis.flush();
  };
  const freeze: Blow = async () => {
    log(`freeze of the worker of ${WORKERS[sleeper]}`);
    fleet.freeze(sleeper, freezeMs, () => log(`the worker of ${WORKERS[sleeper]} wakes up`));
  };
  // It is to wake up while there is still something to do.
  blows.push({ at: random(), blow: restart }, { at: random(), blow: wipe }, { at: random() / 4, blow: freeze });
  blows.sort((a, b) => a.at - b.at);
  for (const { at, blow } of blows) {
    // The last tenth stays for the end: a blow after the last call would hit nothing.
    while (progress() < 0.05 + 0.85 * at && !fleet.isOver()) await sleep(20);
    await blow(random);
  }
}

interface Fleet {
  killWorker(n: number): Promise<void>;
  killCoordinator(): Promise<void>;
  freeze(n: number, ms: number, thawed: () => void): void;
  /** Whether the import has finished. */
  isOver(): boolean;
  /** The end of what coordinator and workers have printed. */
  lastWords(): string;
  /** Resolves with the exit code of the coordinator that was not killed. */
  coordinatorEnds(): Promise<number | null>;
  stop(): Promise<void>;
}

/** Workers and coordinator as processes; one that was killed is started again, as a supervisor would. */
function startFleet(root: string, queue: string, sandbox: Sandbox, file: string, callsPerMinute: number): Fleet {
  const dir = join(root, 'data');
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: root, ROLLCALL_DATA_DIR: dir, ROLLCALL_QUEUE: queue };
  const outputFile = join(root, 'output.log');
  const output = openSync(outputFile, 'a');
  const start = (args: readonly string[]) =>
    spawn(process.execPath, [LAUNCHER, ...args], {
      cwd: root,
      env: { ...env, ...sandbox.env },
      stdio: ['ignore', output, output],
    });
  const startWorker = (regions: string) => start(['worker', '--region', regions]);
  const workers: ChildProcess[] = WORKERS.map(startWorker);
  const timers: NodeJS.Timeout[] = [];
  const over = Promise.withResolvers<number | null>();
  let ended = false;
  let coordinator: ChildProcess;

  const startCoordinator = () => {
    const pace = ['--calls-per-minute', String(callsPerMinute)];
    const { id } = latestImport(dir);
    const one = start(id === undefined ? ['import', file, ...pace] : ['resume', id, ...pace]);
    one.once('exit', (code, signal) => {
      if (signal === 'SIGKILL') return;
      ended = true;
      over.resolve(code);
    });
    coordinator = one;
  };
  startCoordinator();

  const kill = async (child: ChildProcess | undefined) => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  return {
    killWorker: async (n) => {
      await kill(workers[n]);
      workers[n] = startWorker(WORKERS[n] ?? 'us');
    },
    killCoordinator: async () => {
      if (ended) return;
      await kill(coordinator);
      startCoordinator();
    },
    freeze: (n, ms, thawed) => {
      const child = workers[n];
      const thaw = () => {
        child?.kill('SIGCONT');
        thawed();
      };
      child?.kill('SIGSTOP');
      timers.push(setTimeout(thaw, ms));
    },
    isOver: () => ended,
    lastWords: () => readFileSync(outputFile, 'utf8').slice(-5_000),
    coordinatorEnds: () => over.promise,
    stop: async () => {
      for (const timer of timers) clearTimeout(timer);
      await Promise.all([...workers, coordinator].map(kill));
    },
  };
}

function latestImport(dir: string): { readonly id?: string } {
  try {
    const catalog = openCatalogReader(dataDir(dir).catalog);
    try {
      return catalog.list(1)[0] ?? {};
    } finally {
      catalog.close();
    }
  } catch {
    // Killed before it had made one.
    return {};
  }
}

/** Interval between two looks at the queues' depth, in ms. */
const LOOK_MS = 100;

async function watchBacklog(url: string, sandbox: Sandbox) {
  const backend = await openBackend(url);
  const queues = REGIONS.map((region) => openRegionQueue(backend, region, sandbox.apps[region].appId, () => {}));
  let most = 0;
  let looking = false;
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    // It waits while Redis is away.
    const depths = await Promise.all(queues.map((queue) => queue.depth())).catch(() => []);
    most = Math.max(
      most,
      depths.reduce((sum, { waiting, delayed, active }) => sum + waiting + delayed + active, 0),
    );
    looking = false;
  }, LOOK_MS);
  return {
    most: () => most,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(queues.map((queue) => queue.close()));
      await backend.close();
    },
  };
}

const IN_PLACE: ReadonlySet<string> = new Set(['added', 'banned', 'already_member']);

async function readOutcomes(root: string, fates: readonly string[]) {
  const dir = dataDir(join(root, 'data'));
  const { id = '' } = latestImport(dir.root);
  const reader = openImportReader(dir.ledger(id));
  const wrongRows: string[] = [];
  let read = 0;
  for (const { status, code, message } of reader.rows()) {
    const fate = IN_PLACE.has(status) ? 'in place' : status;
    if (fate !== fates[read]) wrongRows.push(`row ${read}: ${status} ${code} ${message} instead of ${fates[read]}`);
    read += 1;
  }
  reader.close();
  if (read !== fates.length) wrongRows.push(`${read} rows instead of ${fates.length}`);
  const { read: told, ...outcomes }: Record<string, number> = JSON.parse(
    readFileSync(join(dir.folder(id), 'summary.json'), 'utf8'),
  ).rows;
  return { wrongRows, read: told ?? 0, sum: Object.values(outcomes).reduce((sum, n) => sum + n, 0) };
}

function wrongGroupsOf(sandbox: Sandbox, expected: ReadonlyMap<string, ReadonlyMap<string, string>>): string[] {
  return [...expected].flatMap(([key, members]) => {
    const [region, guid = ''] = key.split('/');
    const found = sandbox.members(region as 'us', guid);
    const same = found.size === members.size && [...members].every(([uid, scope]) => found.get(uid) === scope);
    return same ? [] : [`${key}: ${JSON.stringify([...found])} instead of ${JSON.stringify([...members])}`];
  });
}

function callsOf(sandbox: Sandbox): number {
  return REGIONS.reduce((sum, region) => sum + sandbox.calls[region].requests, 0);
}

/** A number from the environment. */
export function setting(name: string, usual: number): number {
  const value = Number(process.env[name] ?? usual);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new Error(`${name} is ${JSON.stringify(process.env[name])}; allowed is a number from 0 up`);
}

if (import.meta.main) {
  for (const aof of [true, false]) {
    const log = (text: string) => process.stderr.write(`${new Date().toISOString()} ${text}\n`);
    log(`with${aof ? '' : 'out'} an append-only file`);
    const result = await runChaos({
      rows: setting('CHAOS_ROWS', 200_000),
      kills: setting('CHAOS_KILLS', 20),
      freezeMs: setting('CHAOS_FREEZE_S', 60) * 1000,
      seed: setting('CHAOS_SEED', 20261120),
      callsPerMinute: setting('CHAOS_CALLS_PER_MINUTE', 6_000),
      aof,
      log,
    });
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    if (result.wrongRows.length + result.wrongGroups.length > 0 || result.sum !== result.read) process.exitCode = 1;
  }
}
