/**
 * Measures `rollcall serve` while it works: how soon it answers while it reads and sends a big file, and how fast an
 * import is while browsers watch it.
 *
 * Run   node bench/serve.ts [--rows 1000000] [--groups 4000] [--sent 50000] [--rounds 5] [--watchers 50]
 * Read  First milliseconds until this process has an answer: `/healthz`, the list of imports, one import, its first 100
 *       rows, asked in turn every 5 ms: with nothing to do, while the file is uploaded, while it is staged (read, checked,
 *       cut into batches), while it is sent to a stub in a process of its own, while the report is downloaded, and while
 *       rows are searched for and problems counted. Target: p99 below 200 ms, of `/healthz` below 50 ms. `busy` is the
 *       share of the machine's cores that was busy: from 95 % on, answers wait for a core, and not for rollcall. Staging
 *       and sending keep two cores busy: on a machine with two, this process is in the way of what it measures.
 *       Then rows a second of imports of `--sent` rows without watchers and with 50 that follow by events, in turn.
 *       Target: 90 % or more.
 */
import { openAsBlob } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { membershipFile } from './generate.ts';
import { line } from './measure.ts';
import { type Served, served } from './served.ts';
import { startStub, stubSettings } from './stub.ts';

const PAUSE_MS = 5;

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
const small = await membershipFile(sent, 200);
const stub = await startStub();
const pace = ['--calls-per-minute', '10000000'];
try {
  await served(pace, stubSettings(stub), measureAnswers);
  await served(pace, stubSettings(stub), compareWatched);
} finally {
  await stub.close();
}

async function measureAnswers(server: Served): Promise<void> {
  process.stdout.write(line('answers during', 'seconds', 'load', 'busy'));
  process.stdout.write(line('', 'answers', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms'));
  let id = await server.upload('guid,uid\nteam,ada\n');
  await server.finished(id);
  const during = (name: string, work: () => Promise<void>) => measured(server, name, () => id, work);
  await during('nothing to do', () => sleep(3_000));
  await during('upload', async () => {
    id = await server.upload(await openAsBlob(big));
  });
  await during('staging', async () => {
    while ((await server.look(id)).state === 'staging') await sleep(100);
  });
  await during('sending', async () => {
    await server.finished(id);
  });
  await during('report', async () => {
    const answer = await fetch(`${server.url}/v1/imports/${id}/report?format=csv`);
    for await (const _ of answer.body ?? []);
  });
  await during('searches', async () => {
    for (const query of ['status=added&sort=uid', 'text=number', 'text=nobody', 'uid=nobody', 'code=ERR_X']) {
      await Promise.all([
        server.json(`/v1/imports/${id}/rows?${query}`),
        server.json(`/v1/imports/${id}/problems`),
        server.json(`/v1/imports/${id}/groups`),
      ]);
    }
  });
}

/** Asks for answers as long as the work takes. @param id of the import that is asked about */
async function measured(server: Served, name: string, id: () => string, work: () => Promise<void>): Promise<void> {
  const questions = new Map<string, () => string>([
    ['/healthz', () => '/healthz'],
    ['list', () => '/v1/imports'],
    ['import', () => `/v1/imports/${id()}`],
    ['rows', () => `/v1/imports/${id()}/rows?limit=100`],
  ]);
  const times = new Map([...questions.keys()].map((question) => [question, [] as number[]]));
  let working = true;
  const startedAt = performance.now();
  const coresBefore = coreTimes();
  const asking = (async () => {
    while (working) {
      for (const [question, path] of questions) {
        const askedAt = performance.now();
        // While a file is staged, rows are answered with a refusal.
        await (await fetch(`${server.url}${path()}`)).text();
        times.get(question)?.push(performance.now() - askedAt);
        await sleep(PAUSE_MS);
      }
    }
  })();
  await work();
  working = false;
  await asking;
  const seconds = (performance.now() - startedAt) / 1_000;
  const [cores, before] = [coreTimes(), coresBefore];
  const busy = (cores.busy - before.busy) / (cores.all - before.all);
  process.stdout.write(line(name, seconds.toFixed(1), (loadavg()[0] ?? 0).toFixed(1), percent(busy)));
  for (const [question, all] of times) {
    all.sort((a, b) => a - b);
    const share = (part: number) => (all[Math.min(all.length - 1, Math.floor(all.length * part))] ?? 0).toFixed(1);
    process.stdout.write(line(`  ${question}`, String(all.length), share(0.5), share(0.95), share(0.99), share(1)));
  }
}

/** Time of all cores since the machine started, in ms. */
function coreTimes(): { readonly busy: number; readonly all: number } {
  const cores = cpus().map(({ times }) => times);
  const all = cores.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { busy: all - cores.reduce((sum, { idle }) => sum + idle, 0), all };
}

async function compareWatched(server: Served): Promise<void> {
  process.stdout.write(line('', 'nobody', `${watchers} watch`, 'share'));
  // Into an empty cache and a queue that was never used.
  await rowsPerSecond(server, 0);
  const shares: number[] = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    // The second run finds a warmer machine, so the order changes.
    const order = round % 2 === 0 ? [0, watchers] : [watchers, 0];
    const rates = new Map<number, number>();
    for (const count of order) rates.set(count, await rowsPerSecond(server, count));
    const [alone = 0, watched = 0] = [rates.get(0), rates.get(watchers)];
    shares.push(watched / alone);
    process.stdout.write(
      line(`rows/s, round ${round}`, alone.toFixed(0), watched.toFixed(0), percent(watched / alone)),
    );
  }
  shares.sort((a, b) => a - b);
  process.stdout.write(line('median', '', '', percent(shares[shares.length >> 1] ?? 0)));
}

/** Imports the small file while so many follow it; counts from the first call to the end, as the server says. */
async function rowsPerSecond(server: Served, count: number): Promise<number> {
  const id = await server.upload(await openAsBlob(small));
  let events = 0;
  const over = new AbortController();
  const streams = Array.from({ length: count }, async () => {
    const answer = await fetch(`${server.url}/v1/events`, { signal: over.signal });
    for await (const _ of answer.body ?? []) events += 1;
  });
  const view = await server.finished(id);
  over.abort();
  await Promise.allSettled(streams);
  if (view.state !== 'completed' || view.rows['read'] !== sent)
    throw new Error(`it went wrong: ${JSON.stringify(view)}`);
  if (events < count) throw new Error(`${count} watched, and only ${events} pieces came`);
  return (sent * 1_000) / (Date.parse(view.finishedAt ?? '') - Date.parse(view.startedAt ?? ''));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
