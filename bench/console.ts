/**
 * The console in a real browser, as a person sees it at scale: how soon it is there over a slow line with many imports in
 * the list, and how soon it follows, filters, sorts and searches an import of a million rows that is under way.
 *
 * Run   node bench/console.ts [--delay 150] [--imports 1000] [--rows 1000000] [--calls-per-minute 10000000] [--shots FOLDER]
 * Read  First the load, with `--delay` ms of waiting for each request, cold (nothing known) and warm (a second visit):
 *       `paint` is the first contentful paint, `list` the moment at which the list of imports is there. Target: paint
 *       under 1,000 ms. Then what a person waits for at each step, from the click or key to the result, and what the
 *       machine was doing: while the file is sent to a stub in a process of its own, and when it has finished. Target:
 *       500 ms for a step, 3 s for a search through all text. `share` is the processor time of the whole browser while it only
 *       shows the running import, for 20 s: target at most 2 % of a core
 *       at a usual rate limit (`--rows 100000 --calls-per-minute 2200`); by default nothing limits it. On 2026-11-27 it was 1.4 to
 *       2.1, on a busy machine, and 2.6 to 2.9 for a page beside it that drew each event. `--shots` keeps a picture of each
 *       step: look at them.
 */
import { mkdirSync, openAsBlob } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { membershipFile } from './generate.ts';
import { line } from './measure.ts';
import { type Served, served } from './served.ts';
import { startStub, stubSettings } from './stub.ts';

const { values } = parseArgs({
  options: {
    delay: { type: 'string', default: '150' },
    imports: { type: 'string', default: '1000' },
    rows: { type: 'string', default: '1000000' },
    'calls-per-minute': { type: 'string', default: '10000000' },
    shots: { type: 'string' },
  },
});
const delay = Number(values.delay);
const imports = Number(values.imports);
const rows = Number(values.rows);
/** Imports that are uploaded at the same time. */
const AT_ONCE = 8;
/** Longest wait for a result. */
const MAX_MS = 600_000;
let pictures = 0;

if (values.shots !== undefined) mkdirSync(values.shots, { recursive: true });
const big = await membershipFile(rows, 4_000);
const stub = await startStub();
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  await served(['--calls-per-minute', values['calls-per-minute']], stubSettings(stub), async (server) => {
    await fillList(server);
    await measureLoading(server);
    const page = await (await visitor()).newPage();
    process.stdout.write(line('a person waits for', 'ms', 'load'));
    await lookThroughList(server, page);
    await followImport(server, page);
  });
} finally {
  await browser.close();
  await stub.close();
}

function visitor(): Promise<BrowserContext> {
  return browser.newContext({ viewport: { width: 1440, height: 900 } });
}

/** Imports of three rows, some of them with a row that is wrong. */
async function fillList(server: Served): Promise<void> {
  const startedAt = performance.now();
  const numbers = Array.from({ length: imports }, (_, at) => at).values();
  const some = async () => {
    for (const at of numbers) {
      const wrong = at % 20 === 7 ? 'not a uid' : 'cid';
      const id = await server.upload(
        `guid,uid\nclass-${at},ada\nclass-${at},ben\nclass-${at},${wrong}\n`,
        `name=class-${at}.csv`,
      );
      await server.finished(id);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, some));
  const seconds = (performance.now() - startedAt) / 1_000;
  process.stdout.write(`${imports} imports of 3 rows took ${seconds.toFixed(1)} s\n\n`);
}

async function measureLoading(server: Served): Promise<void> {
  process.stdout.write(line(`load, ${delay} ms delay`, 'requests', 'KB', 'paint ms', 'list ms'));
  const person = await visitor();
  for (const visit of ['cold', 'warm']) {
    const numbers = await loaded(person, `${server.url}/imports`);
    process.stdout.write(line(visit, ...numbers.map((number) => number.toFixed(0))));
  }
  await person.close();
  process.stdout.write('\n');
}

/** Requests until the list is there, KB over the line, ms to the first paint, ms to the list. */
async function loaded(person: BrowserContext, url: string): Promise<number[]> {
  const page = await person.newPage();
  const network = await person.newCDPSession(page);
  await network.send('Network.enable');
  const speed = { downloadThroughput: -1, uploadThroughput: -1, offline: false };
  await network.send('Network.emulateNetworkConditions', { ...speed, latency: delay });
  let requests = 0;
  let bytes = 0;
  network.on('Network.requestWillBeSent', () => {
    requests += 1;
  });
  network.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  const start = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.getByRole('link', { name: `class-${imports - 1}.csv` }).waitFor();
  const list = performance.now() - start;
  const paint = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN`,
  );
  await page.close();
  return [requests, bytes / 1000, paint, list];
}

async function lookThroughList(server: Served, page: Page): Promise<void> {
  const entry = (at: number) => page.getByRole('link', { name: `class-${at}.csv`, exact: true });
  const nth = (at: number) => page.getByRole('table', { name: 'Imports, newest first' }).locator('tbody tr').nth(at);
  await page.goto(server.url);
  await step(page, 'start page', () => page.reload(), page.getByRole('heading', { level: 1 }));
  await step(page, 'list of imports', () => page.goto(`${server.url}/imports`), entry(imports - 1));
  await step(page, 'list, 50 more', () => page.getByRole('button', { name: 'Show 50 more' }).click(), nth(99));
  await step(page, 'list, the oldest', () => page.getByLabel('Search').fill('class-0.csv'), entry(0));
}

async function followImport(server: Served, page: Page): Promise<void> {
  const id = await server.upload(await openAsBlob(big), 'name=million.csv');
  const title = page.getByRole('heading', { name: 'million.csv', level: 1 });
  await step(page, 'import, being read', () => page.goto(`${server.url}/imports/${id}`), title);
  const { rowsShown } = findings(page);
  await step(page, 'until rows are there', async () => {}, rowsShown);
  const added = page.getByRole('table', { name: 'Rows of the file' }).getByText('added', { exact: true }).first();
  await step(page, 'until one is added', async () => {}, added);
  await measureShare(page);
  await workWithRows(page, 'sending');
  const list = page.getByRole('link', { name: 'million.csv' });
  await step(page, 'list meanwhile', () => page.goto(`${server.url}/imports`), list);
  await step(page, 'back to the rows', () => page.goBack(), rowsShown);
  const { state } = await server.look(id);
  if (state !== 'running') process.stdout.write(`It was ${state} already: give more --rows.\n`);
  await step(page, 'until it has ended', async () => {}, page.getByText(/^Completed: /).first());
  await workWithRows(page, 'ended');
  const view = await server.look(id);
  if (view.rows['read'] !== rows) throw new Error(`it went wrong: ${JSON.stringify(view)}`);
}

/** The part of a core that all processes of the browser take for a page that is looked at. */
async function measureShare(page: Page): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const seconds = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  };
  const [before, startedAt] = [await seconds(), performance.now()];
  await page.waitForTimeout(20_000);
  const share = (await seconds()) - before;
  process.stdout.write(line('share, %', ((share / (performance.now() - startedAt)) * 100_000).toFixed(1)));
  await session.detach();
}

function findings(page: Page) {
  return { rowsShown: page.getByText(/ rows; 100 shown\.$/), rowsFit: page.getByText(/ rows fit this filter/) };
}

/** Works with the rows of an import as a person would. Each step begins without a filter. */
async function workWithRows(page: Page, when: string): Promise<void> {
  const { rowsShown, rowsFit } = findings(page);
  const form = page.getByRole('search', { name: 'Filter rows' });
  const filter = async (field: string, text: string) => {
    await form.getByLabel(field, { exact: true }).fill(text);
    await form.getByRole('button', { name: 'Filter' }).click();
  };
  const one = async (name: string, deed: () => Promise<unknown>) => {
    await step(page, `${name}, ${when}`, deed, rowsFit);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await rowsShown.waitFor();
  };
  await one('outcome', () => form.getByLabel('Outcome').selectOption('added'));
  await one('group', () => filter('Group', 'group-77'));
  await one('text, rare', () => filter('Text', 'member number 77777'));
  await one('text, common', () => filter('Text', 'member'));
  await one('group after text', async () => {
    await filter('Text', 'member number');
    await page.getByRole('button', { name: /^Remove the filter Text/ }).click();
    await filter('Group', 'group-78');
  });
  const sorted = page.getByRole('columnheader', { name: 'UID' }).and(page.locator('[aria-sort=ascending]'));
  const byUid = async () => {
    const answer = page.waitForResponse(/sort=uid/, { timeout: MAX_MS });
    await page.getByRole('button', { name: 'UID', exact: true }).click();
    await answer;
  };
  await step(page, `sort, ${when}`, byUid, sorted);
  await page.getByRole('button', { name: 'Row', exact: true }).click();
  const dialog = page.getByRole('dialog').getByText('What happened');
  await step(
    page,
    `details, ${when}`,
    () =>
      page
        .getByRole('button', { name: /^Details/ })
        .first()
        .click(),
    dialog,
  );
  await page.keyboard.press('Escape');
}

/** One step of a person: the time from the deed until the result is there, and a picture. */
async function step(page: Page, name: string, deed: () => Promise<unknown>, result: Locator): Promise<void> {
  const startedAt = performance.now();
  await deed();
  await result.first().waitFor({ timeout: MAX_MS });
  const ms = performance.now() - startedAt;
  process.stdout.write(line(name, ms.toFixed(0), (loadavg()[0] ?? 0).toFixed(1)));
  if (values.shots === undefined) return;
  pictures += 1;
  const file = `${String(pictures).padStart(2, '0')}-${name.replaceAll(/\W+/g, '-')}.png`;
  await page.screenshot({ path: join(values.shots, file) });
}
