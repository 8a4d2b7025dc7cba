/**
 * Measures how soon `/healthz` answers while others send `rollcall serve` requests that are meant to hold it up.
 *
 * Run   node bench/hostile.ts [--seconds 10]
 * Read  Milliseconds until `/healthz` answers, asked every 5 ms by this process: with nothing to do, then while four
 *       clients send previews of thousands of columns, of blank lines and of files that unpack to many times their size,
 *       and ask for the widest pages of rows. Target: p99 below 50 ms.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } });
const lastsMs = Number(values.seconds) * 1_000;

const home = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
const launcher = fileURLToPath(new URL('../bin/rollcall.js', import.meta.url));
const server = spawn(
  process.execPath,
  [launcher, 'serve', '--sandbox', '--port', '0', '--data-dir', join(home, 'data')],
  {
    stdio: ['ignore', 'ignore', 'pipe'],
  },
);
try {
  const url = await new Promise<string>((resolve) => {
    createInterface(server.stderr).on('line', (text) => {
      const [, address] = /Listening on (\S+)/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
  const post = (path: string, body: string | Buffer) =>
    fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': 'text/csv' }, body });
  const wide = `guid,uid${',c'.repeat(1_000)}\n${Array.from({ length: 1_000 }, (_, at) => `g,u${at}`).join('\n')}\n`;
  const { id } = (await (await post('/v1/imports?dryRun=true', wide)).json()) as { id: string };
  const bodies = [
    `guid,uid${','.repeat(16_382)}\ng,u\n`,
    gzipSync(`guid,uid\n${'\n'.repeat(4_000_000)}`),
    gzipSync(`guid,uid\n${'g,u\n'.repeat(4_000_000)}`),
  ];
  const hostile: readonly (() => Promise<Response>)[] = [
    ...bodies.map((body) => () => post('/v1/look', body)),
    () => fetch(`${url}/v1/imports/${id}/rows?limit=1000`),
  ];
  await report('nothing to do', url, []);
  await report('hostile requests', url, hostile);
} finally {
  server.kill('SIGTERM');
  await once(server, 'exit');
  await rm(home, { recursive: true, force: true });
}

async function report(what: string, url: string, others: readonly (() => Promise<Response>)[]): Promise<void> {
  const end = performance.now() + lastsMs;
  let answered = 0;
  const busy = others.map(async (ask) => {
    while (performance.now() < end) {
      await (await ask()).arrayBuffer();
      answered += 1;
    }
  });
  const taken: number[] = [];
  while (performance.now() < end) {
    const begun = performance.now();
    await (await fetch(`${url}/healthz`)).arrayBuffer();
    taken.push(performance.now() - begun);
    await sleep(5);
  }
  taken.sort((a, b) => a - b);
  const at = (share: number) => (taken[Math.floor(taken.length * share)] ?? 0).toFixed(1).padStart(7);
  process.stdout.write(
    `${what.padEnd(20)} p50 ${at(0.5)}  p99 ${at(0.99)}  max ${at(0.999999)} ms of ${taken.length}, ${answered} other answers\n`,
  );
  await Promise.all(busy);
}
