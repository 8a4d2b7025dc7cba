/**
 * How long `/healthz` of `rollcall serve` takes while the same process takes in, stages and reads a big file.
 *
 * Run   node bench/serve-staging.ts [--rows 1000000] [--groups 4000]
 * Read  milliseconds until the answer, asked for every 5 ms by this process: with nothing to do, while the file is
 *       uploaded, while it is staged (read, checked, cut into batches), while its report is downloaded, and while rows
 *       are searched for and problems counted. Target: p99 below 50 ms. Staging keeps two cores busy: on a machine
 *       with two, this process is in the way of what it measures, so that the numbers are upper bounds.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { membershipFile } from './generate.ts';
import { line } from './measure.ts';

const LAUNCHER = fileURLToPath(new URL('../src/cli/rollcall.js', import.meta.url));
const PAUSE_MS = 5;

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, groups: { type: 'string', default: '4000' } },
});
const input = await membershipFile(Number(values.rows), Number(values.groups));
const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
const server = spawn(process.execPath, [LAUNCHER, 'serve', '--sandbox', '--port', '0', '--data-dir', dataDir], {
  stdio: ['ignore', 'ignore', 'pipe'],
});
try {
  await measure(await addressOf(server.stderr));
} finally {
  const exit = once(server, 'exit');
  server.kill('SIGTERM');
  await exit;
  await rm(dataDir, { recursive: true });
}

async function measure(address: string): Promise<void> {
  process.stdout.write(line('', 'seconds', 'answers', 'p50 ms', 'p99 ms', 'max ms'));
  await during(address, 'nothing to do', () => sleep(3_000));
  let id = '';
  await during(address, 'upload', async () => {
    const answer = await fetch(`${address}/v1/imports?dryRun=true&region=us`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: await openAsBlob(input),
    });
    if (answer.status !== 202) throw new Error(`${answer.status}: ${await answer.text()}`);
    id = ((await answer.json()) as { id: string }).id;
  });
  await during(address, 'staging', async () => {
    while (((await json(`${address}/v1/imports/${id}`)) as { state: string }).state === 'staging') await sleep(100);
  });
  await during(address, 'report', async () => {
    const answer = await fetch(`${address}/v1/imports/${id}/report?format=csv`);
    for await (const _ of answer.body ?? []);
  });
  await during(address, 'searches', async () => {
    for (const query of ['status=unprocessed', 'status=failed,invalid', 'uid=nobody', 'guid=group-7', 'code=ERR_X']) {
      await Promise.all([
        json(`${address}/v1/imports/${id}/rows?${query}`),
        json(`${address}/v1/imports/${id}/problems`),
      ]);
      await json(`${address}/v1/imports/${id}/groups`);
    }
  });
}

async function json(url: string): Promise<unknown> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Asks /healthz as long as the work takes. */
async function during(address: string, name: string, work: () => Promise<void>): Promise<void> {
  const times: number[] = [];
  let working = true;
  const startedAt = performance.now();
  const asking = (async () => {
    while (working) {
      const askedAt = performance.now();
      await json(`${address}/healthz`);
      times.push(performance.now() - askedAt);
      await sleep(PAUSE_MS);
    }
  })();
  await work();
  working = false;
  await asking;
  const seconds = (performance.now() - startedAt) / 1_000;
  times.sort((a, b) => a - b);
  const share = (part: number) => (times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0).toFixed(1);
  process.stdout.write(line(name, seconds.toFixed(1), String(times.length), share(0.5), share(0.99), share(1)));
}

/** Reads what the server says until it says where it listens, and goes on reading so that it is never held up. */
async function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  const said: string[] = [];
  const address = Promise.withResolvers<string>();
  const lines = createInterface({ input: stderr });
  lines.on('line', (text) => {
    said.push(text);
    const [, found] = /Listening on (\S+)/.exec(text) ?? [];
    if (found !== undefined) address.resolve(found);
  });
  lines.on('close', () => address.reject(new Error(`the server has ended: ${said.join('\n')}`)));
  return address.promise;
}
