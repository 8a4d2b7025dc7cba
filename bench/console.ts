import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type BrowserContext, chromium } from 'playwright-core';

/**
 * How soon the console is there over a slow line, and how soon the server answers it while an import runs in the same
 * process. `npx node bench/console.ts [--delay 150] [--rows 200000]`
 *
 * The first table: a page with `--delay` ms of waiting for each request, cold (nothing known) and warm (a second visit).
 * `paint` is the first contentful paint, `list` the moment at which the list of imports stands there; wanted: paint under
 * 1,000 ms. The second: the time until answers that the console asks for are complete while `--rows` rows are read and
 * sent; wanted: 95 of 100 within 200 ms.
 */

const { values } = parseArgs({
  options: { delay: { type: 'string', default: '150' }, rows: { type: 'string', default: '200000' } },
});
const delay = Number(values.delay);
const rows = Number(values.rows);
const LAUNCHER = new URL('../bin/rollcall.js', import.meta.url).pathname;

const home = mkdtempSync(join(tmpdir(), 'rollcall-bench-console-'));
const server = spawn(process.execPath, [LAUNCHER, 'serve', '--port', '0', '--sandbox'], {
  cwd: home,
  env: { ...process.env, ROLLCALL_DATA_DIR: join(home, 'data') },
  stdio: ['ignore', 'ignore', 'pipe'],
});
const url = await addressOf(server);
try {
  await upload('guid,uid\nteam,ada\nteam,ben\n', 'small.csv');
  await measureLoading();
  await measureAnswers();
} finally {
  server.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
}

async function measureLoading(): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  const visitor = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const cold = await visit(visitor);
  const warm = await visit(visitor);
  await browser.close();
  print(
    [`load, ${delay} ms of delay`, 'requests', 'KB', 'paint', 'list'],
    [
      ['cold', ...cold],
      ['warm', ...warm],
    ],
  );
}

/** Requests until the list is there, KB over the line, ms to the first paint, ms to the list. */
async function visit(visitor: BrowserContext): Promise<number[]> {
  const page = await visitor.newPage();
  const line = await visitor.newCDPSession(page);
  await line.send('Network.enable');
  const speed = { downloadThroughput: -1, uploadThroughput: -1, offline: false };
  await line.send('Network.emulateNetworkConditions', { ...speed, latency: delay });
  let requests = 0;
  let bytes = 0;
  line.on('Network.requestWillBeSent', () => {
    requests += 1;
  });
  line.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  const start = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.getByRole('link', { name: 'small.csv' }).waitFor();
  const list = performance.now() - start;
  const paint = (await page.evaluate(
    `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN`,
  )) as number;
  await page.close();
  return [requests, bytes / 1000, paint, list];
}

async function measureAnswers(): Promise<void> {
  const lines = Array.from({ length: rows }, (_, at) => `group-${at % 500},user-${at}`);
  const id = await upload(`guid,uid\n${lines.join('\n')}\n`, 'large.csv');
  const questions: Record<string, string> = {
    page: '/',
    script: (/\/assets\/main-[^"]+\.js/.exec(await text('/')) ?? [''])[0],
    list: '/v1/imports',
    import: `/v1/imports/${id}`,
    rows: `/v1/imports/${id}/rows?limit=100`,
    problems: `/v1/imports/${id}/problems`,
    health: '/healthz',
  };
  const taken = new Map(Object.keys(questions).map((name) => [name, [] as number[]]));
  for (let over = false; !over; ) {
    for (const [name, path] of Object.entries(questions)) {
      const start = performance.now();
      await text(path);
      taken.get(name)?.push(performance.now() - start);
    }
    const { finishedAt } = JSON.parse(await text(`/v1/imports/${id}`)) as { finishedAt: string | null };
    over = finishedAt !== null;
  }
  print(
    [`answers while ${rows} rows are imported, ms`, 'asked', 'median', 'p95', 'most'],
    [...taken].map(([name, all]) => {
      const sorted = all.toSorted((a, b) => a - b);
      const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
      return [name, sorted.length, at(0.5), at(0.95), at(1)];
    }),
  );
}

async function upload(body: string, name: string): Promise<string> {
  const answer = await fetch(`${url}/v1/imports?name=${name}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'text/csv' },
  });
  return ((await answer.json()) as { id: string }).id;
}

async function text(path: string): Promise<string> {
  return (await fetch(`${url}${path}`)).text();
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
      said += piece;
      const address = /Listening on (\S+)/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('close', () => reject(new Error(`the server ended: ${said}`)));
  });
}

function print(head: readonly string[], lines: readonly (readonly (string | number)[])[]): void {
  for (const cells of [head, ...lines]) {
    const [name = '', ...numbers] = cells.map((cell) =>
      typeof cell === 'number' ? Math.round(cell).toString() : cell,
    );
    process.stdout.write(`${name.padEnd(48)}${numbers.map((cell) => cell.padStart(10)).join('')}\n`);
  }
  process.stdout.write('\n');
}
