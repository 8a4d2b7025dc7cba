/**
 * What an outage of the chat service costs an import: by hand, it takes some minutes.
 *
 * Run   node bench/outage.ts                       refused for 60 s, 503 for 30 s, refused for 4 minutes
 *       node bench/outage.ts refused 20 2000 1200  kind (refused, or a fault of the sandbox), seconds, rows, calls a minute
 * Read  rows by outcome, calls while the service was away, those of them after two minutes, and how long after its return
 *       the import went on. Targets: no row failed; after two minutes at most one call a minute.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startSandbox } from '../src/sandbox/sandbox.ts';

const LAUNCHER = fileURLToPath(new URL('../bin/rollcall.js', import.meta.url));
/** When the outage begins, after the first call. */
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
  const caFile = join(root, 'ca.pem');
  const sandbox = await startSandbox({ users: 'any', groups: 'any', latencyMs: [20, 80], caFile });
  const behind = Number(/:(\d+)$/.exec(sandbox.host)?.[1]);
  const door = await openDoor(behind);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: root,
    ROLLCALL_DATA_DIR: join(root, 'data'),
    ...sandbox.env,
    ROLLCALL_HOST: sandbox.host.replace(`:${behind}`, `:${door.port}`),
  };
  const lines = Array.from({ length: rows }, (_, n) => `g${n % 20},u${n}`);
  writeFileSync(join(root, 'members.csv'), `guid,uid\n${lines.join('\n')}\n`);
  const args = ['import', 'members.csv', '--region', 'us', '--calls-per-minute', String(callsPerMinute), '--yes'];
  const child = spawn(process.execPath, [LAUNCHER, ...args], { cwd: root, env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    while (sandbox.calls.us.requests === 0) await sleep(50);
    await sleep(BEGIN_MS);
    const began = Date.now();
    if (kind === 'refused') door.shut();
    else sandbox.faults.set(kind);
    await Promise.race([sleep(seconds * 1_000), ended]);
    if (kind === 'refused') await door.open();
    else sandbox.faults.clear();
    const back = Date.now();
    const answered = () => sandbox.calls.us.byStatus[200] ?? 0;
    const before = answered();
    while (answered() === before && child.exitCode === null) await sleep(100);
    const wentOnAfterMs = Date.now() - back;
    const [exit] = await ended;
    const folder = join(root, 'data', 'imports');
    const [id = ''] = readdirSync(folder);
    const { rows: outcomes, calls } = JSON.parse(readFileSync(join(folder, id, 'summary.json'), 'utf8'));
    const away = unanswered(join(root, 'data', 'rollcall.log')).filter((at) => at >= began && at <= back);
    const late = away.filter((at) => at >= began + TWO_MINUTES_MS).length;
    return { kind, seconds, exit, outcomes, calls, callsWhileAway: away.length, late, wentOnAfterMs };
  } finally {
    child.kill('SIGKILL');
    await ended;
    door.close();
    await sandbox.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** When calls without an answer ended, ms since 1970, as the log says. */
function unanswered(log: string): number[] {
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  return lines.flatMap((line) => {
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
        { kind: 'refused', seconds: 240, rows: 20_000, callsPerMinute: 3_000 },
      ]
    : [{ kind, seconds: Number(seconds), rows: Number(rows), callsPerMinute: Number(callsPerMinute) }];
for (const one of cases) process.stdout.write(`${JSON.stringify(await measure(one))}\n`);
