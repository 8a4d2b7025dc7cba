/**
 * Measures the cost of an outage of the chat service for an import: by hand, it takes some minutes.
 *
 * Run   node bench/outage.ts                       refused for 60 s, 503 for 30 s, an HTML page for 60 s, 503 in one region
 *                                                  of three for 60 s, refused for 4 minutes
 *       node bench/outage.ts refused 20 2000 1200  kind (refused, or a fault of the sandbox: not-json is an HTML page,
 *                                                  eu:unavailable hits one region, and the rows are for three), seconds,
 *                                                  rows, calls a minute
 *       OUTAGE_FLEET=1 node …                      over Redis: two workers, and two imports of so many rows each
 * Read  rows by outcome, calls while the service was away, those of them after two minutes, and how long after its return
 *       the import went on; where one region was away, how many calls the others had answered meanwhile. Targets: no row
 *       failed; after two minutes at most one call a minute.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isRegion, REGIONS } from '../src/membership/membership.ts';
import { startSandbox } from '../src/sandbox/sandbox.ts';
import { startRedis } from '../test/servers/redis.ts';

const LAUNCHER = fileURLToPath(new URL('../bin/rollcall.js', import.meta.url));
/** The beginning of the outage after the first call, in ms. */
const BEGIN_MS = 6_000;
const TWO_MINUTES_MS = 120_000;

interface Case {
  readonly kind: string;
  readonly seconds: number;
  readonly rows: number;
  readonly callsPerMinute: number;
}

/** A port before the sandbox that can be shut: then connections are refused, and those that are open are cut. */
async function openDoor(to: number) {
  const sockets = new Set<Socket>();
  const make = () =>
    createServer((client) => {
      const behind = connect(to, 'localhost');
      for (const socket of [client, behind]) {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          sockets.delete(socket);
          client.destroy();
          behind.destroy();
        });
      }
      client.pipe(behind).pipe(client);
    });
  const listen = async (port: number): Promise<Server> => {
    const server = make().listen(port, 'localhost');
    await once(server, 'listening');
    return server;
  };
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    shut: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
    open: async () => {
      server = await listen(port);
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function measure({ kind, seconds, rows, callsPerMinute }: Case) {
  const root = mkdtempSync(join(tmpdir(), 'rollcall-outage-'));
  const [only = ''] = kind.split(':');
  const regions = isRegion(only) ? REGIONS : (['us'] as const);
  const hit = isRegion(only) ? only : 'us';
  const caFile = join(root, 'ca.pem');
  const sandbox = await startSandbox({ users: 'any', groups: 'any', latencyMs: [20, 80], caFile });
  const behind = Number(/:(\d+)$/.exec(sandbox.host)?.[1]);
  const door = await openDoor(behind);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: root,
    ...sandbox.env,
    ROLLCALL_HOST: sandbox.host.replace(`:${behind}`, `:${door.port}`),
  };
  const redis = process.env['OUTAGE_FLEET'] === undefined ? undefined : await startRedis();
  const queue = redis === undefined ? {} : { ROLLCALL_QUEUE: redis.url };
  const logs: string[] = [];
  const workers: ChildProcess[] = [];
  const start = (log: string, ...args: string[]) => {
    logs.push(join(root, log));
    const more = { ROLLCALL_LOG_FILE: join(root, log), ROLLCALL_DATA_DIR: join(root, `data-${log}`) };
    return spawn(process.execPath, [LAUNCHER, ...args], {
      cwd: root,
      env: { ...env, ...queue, ...more },
      stdio: 'ignore',
    });
  };
  if (redis !== undefined)
    for (const nth of [1, 2]) workers.push(start(`worker-${nth}.log`, 'worker', '--region', regions.join(',')));
  const imports = (redis === undefined ? ['a'] : ['a', 'b']).map((name) => {
    const lines = Array.from({ length: rows }, (_, n) => `${regions[n % regions.length]},${name}${n % 20},u${n}`);
    writeFileSync(join(root, `${name}.csv`), `region,guid,uid\n${lines.join('\n')}\n`);
    const child = start(`${name}.log`, 'import', `${name}.csv`, '--calls-per-minute', `${callsPerMinute}`);
    return { folder: join(root, `data-${name}.log`, 'imports'), child, ended: once(child, 'exit') };
  });
  const ended = Promise.all(imports.map((one) => one.ended));
  const isOver = () => imports.every(({ child }) => child.exitCode !== null);
  try {
    while (sandbox.calls[hit].requests === 0) await sleep(50);
    await sleep(BEGIN_MS);
    const began = Date.now();
    const others = () =>
      REGIONS.reduce((sum, one) => sum + (one === hit ? 0 : (sandbox.calls[one].byStatus[200] ?? 0)), 0);
    const othersBefore = others();
    if (kind === 'refused') door.shut();
    else sandbox.faults.set(kind);
    await Promise.race([sleep(seconds * 1_000), ended]);
    if (kind === 'refused') await door.open();
    else sandbox.faults.clear();
    const back = Date.now();
    const othersMeanwhile = others() - othersBefore;
    const answered = () => sandbox.calls[hit].byStatus[200] ?? 0;
    const before = answered();
    while (answered() === before && !isOver()) await sleep(100);
    const wentOnAfterMs = Date.now() - back;
    const exits = (await ended).map(([code]) => code);
    const outcomes = imports.map(({ folder }) => {
      const [id = ''] = readdirSync(folder);
      const summary = JSON.parse(readFileSync(join(folder, id, 'summary.json'), 'utf8'));
      return Object.fromEntries(Object.entries(summary.rows).filter(([, count]) => count !== 0));
    });
    const away = logs.flatMap(unanswered).filter((at) => at >= began && at <= back);
    const late = away.filter((at) => at >= began + TWO_MINUTES_MS).length;
    return { kind, seconds, exits, outcomes, callsWhileAway: away.length, late, wentOnAfterMs, othersMeanwhile };
  } finally {
    for (const { child } of imports) child.kill('SIGKILL');
    await ended;
    for (const worker of workers) {
      const exit = once(worker, 'exit');
      worker.kill('SIGKILL');
      await exit;
    }
    await redis?.stop();
    door.close();
    await sandbox.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** Returns the times at which unanswered calls ended, in ms since 1970, from the log. */
function unanswered(log: string): number[] {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
  return lines
    .filter((line) => line !== '')
    .flatMap((line) => {
      const { msg, time } = JSON.parse(line);
      return msg === 'retry' || msg === 'no answer, given up' ? [new Date(time).getTime()] : [];
    });
}

const [kind, seconds, rows = '8000', callsPerMinute = '1200'] = process.argv.slice(2);
const cases: readonly Case[] =
  kind === undefined
    ? [
        { kind: 'refused', seconds: 60, rows: 8_000, callsPerMinute: 1_200 },
        { kind: 'unavailable', seconds: 30, rows: 8_000, callsPerMinute: 1_200 },
        { kind: 'not-json', seconds: 60, rows: 8_000, callsPerMinute: 1_200 },
        { kind: 'eu:unavailable', seconds: 60, rows: 24_000, callsPerMinute: 1_200 },
        { kind: 'refused', seconds: 240, rows: 20_000, callsPerMinute: 3_000 },
      ]
    : [{ kind, seconds: Number(seconds), rows: Number(rows), callsPerMinute: Number(callsPerMinute) }];
for (const one of cases) process.stdout.write(`${JSON.stringify(await measure(one))}\n`);
