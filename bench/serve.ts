/**
 * What `rollcall serve` is to its users while it works: how soon `/healthz` answers while a big file is staged, and how
 * fast an import is while browsers watch it.
 *
 * Run   node bench/serve.ts [--rows 1000000] [--groups 4000] [--sent 50000] [--rounds 5] [--watchers 50]
 * Read  First milliseconds until `/healthz` answers, asked every 5 ms by this process: with nothing to do, while the file
 *       is uploaded, while it is staged (read, checked, cut into batches), while its report is downloaded, and while rows
 *       are searched for and problems counted. Target: p99 below 50 ms while it is staged. Then rows a second of imports
 *       of `--sent` rows without watchers and with 50 that follow by events, in turn, sent to a stub in a process of its
 *       own. Target: 90 % or more. Staging and sending keep two cores busy: on a machine with two, this process is in the
 *       way of what it measures.
 */
import { type ChildProcess, spawn } from 'node:child_process';
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
import { startStub, stubSettings } from './stub.ts';

const LAUNCHER = fileURLToPath(new URL('../bin/rollcall.js', import.meta.url));
const PAUSE_MS = 5;
const LOOK_MS = 200;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    groups: { type: 'string', default: '4000' },
    sent: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '5' },
    watchers: { type: 'string', default: '50' },
  },
});
const sent = Number(values.sent);
const watchers = Number(values.watchers);

const big = await membershipFile(Number(values.rows), Number(values.groups));
await served(['--sandbox'], {}, (address) => measureHealth(address, big));
const stub = await startStub();
try {
  const file = await membershipFile(sent, 200);
  const pace = ['--calls-per-minute', '10000000'];
  await served(pace, stubSettings(stub), (address) => compareWatched(address, file));
} finally {
  await stub.close();
}

async function measureHealth(address: string, input: string): Promise<void> {
  process.stdout.write(line('/healthz during', 'seconds', 'answers', 'p50 ms', 'p99 ms', 'max ms'));
  await during(address, 'nothing to do', () => sleep(3_000));
  let id = '';
  await during(address, 'upload', async () => {
    id = await upload(address, input, 'dryRun=true');
  });
  await during(address, 'staging', async () => {
    while ((await look(address, id)).state === 'staging') await sleep(100);
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

async function compareWatched(address: string, file: string): Promise<void> {
  process.stdout.write(line('', 'nobody', `${watchers} watch`, 'share'));
  // Into an empty cache and a queue that was never used.
  await rowsPerSecond(address, file, 0);
  const shares: number[] = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    // The second run finds a warmer machine, so the order changes.
    const order = round % 2 === 0 ? [0, watchers] : [watchers, 0];
    const rates = new Map<number, number>();
    for (const count of order) rates.set(count, await rowsPerSecond(address, file, count));
    const [alone = 0, watched = 0] = [rates.get(0), rates.get(watchers)];
    shares.push(watched / alone);
    process.stdout.write(
      line(`rows/s, round ${round}`, alone.toFixed(0), watched.toFixed(0), percent(watched / alone)),
    );
  }
  shares.sort((a, b) => a - b);
  process.stdout.write(line('median', '', '', percent(shares[shares.length >> 1] ?? 0)));
}

/** Imports the file while so many follow it; counts from the first call to the end, as the server says. */
async function rowsPerSecond(address: string, file: string, count: number): Promise<number> {
  const id = await upload(address, file, '');
  let events = 0;
  const streams = Array.from({ length: count }, async () => {
    const answer = await fetch(`${address}/v1/imports/${id}/events`);
    for await (const _ of answer.body ?? []) events += 1;
  });
  let view = await look(address, id);
  while (view.finishedAt === null) {
    await sleep(LOOK_MS);
    view = await look(address, id);
  }
  await Promise.all(streams);
  if (view.state !== 'completed' || view.rows['read'] !== sent)
    throw new Error(`it went wrong: ${JSON.stringify(view)}`);
  if (events < count) throw new Error(`${count} watched, and only ${events} pieces came`);
  return (sent * 1_000) / (Date.parse(view.finishedAt) - Date.parse(view.startedAt ?? ''));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

interface View {
  readonly state: string;
  readonly rows: Readonly<Record<string, number>>;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

async function look(address: string, id: string): Promise<View> {
  return (await json(`${address}/v1/imports/${id}`)) as View;
}

async function upload(address: string, file: string, query: string): Promise<string> {
  const answer = await fetch(`${address}/v1/imports?region=us&${query}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: await openAsBlob(file),
  });
  if (answer.status !== 202) throw new Error(`${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

async function json(url: string): Promise<unknown> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Runs a server with a data directory of its own for as long as the work takes. */
async function served(
  flags: readonly string[],
  env: NodeJS.ProcessEnv,
  work: (address: string) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  const server = spawn(process.execPath, [LAUNCHER, 'serve', '--port', '0', '--data-dir', dataDir, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  const exit = once(server, 'exit');
  try {
    await work(await addressOf(server));
  } finally {
    server.kill('SIGTERM');
    await exit;
    await rm(dataDir, { recursive: true });
  }
}

/** Reads what the server says until it says where it listens, and continues reading, so that it never blocks. */
async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('the server says nothing');
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
