import { expect, test } from 'vitest';
import { readEvents } from '../server/event-source.ts';
import { eventually, memberRows, sendButton, startImport, useBrowser } from './browser.ts';
import { callGate, useServer } from './server-in-process.ts';

const browser = useBrowser();
const { chat, letPass } = callGate();
const server = useServer({ chat });

/** Hands a file in over the API, to be checked only; gives its address there. */
async function check(name: string): Promise<string> {
  const upload = { method: 'POST', headers: { 'content-type': 'text/csv' }, body: memberRows(1) };
  const made = await fetch(`${server.url}/v1/imports?dryRun=true&name=${name}`, upload);
  const address = `${server.url}/v1/imports/${((await made.json()) as { id: string }).id}`;
  await eventually(() => stateOf(address)).toBe('staged');
  return address;
}

const stateOf = async (address: string) => ((await (await fetch(address)).json()) as { state: string }).state;

/** Takes the places for streams that are free, as four windows do together. */
const FOUR_STREAMS = `Promise.all([1, 2, 3, 4].map((place) => new Promise((answered) => {
  void navigator.locks.request('rollcall stream ' + place, { ifAvailable: true }, (lock) => {
    answered();
    return lock && new Promise(() => undefined);
  });
})))`;

test('what happens to imports elsewhere is shown, and what a person starts is done, also when the page is left at once; progress moves by itself, and pause, resume, cancel, retry and delete do what they say', async () => {
  const page = await browser.open(`${server.url}/imports`, { refusals: true });
  const main = page.getByRole('navigation', { name: 'Main' });
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
  await heading('Imports').waitFor();
  const left = await check('left.csv');
  const row = (name: RegExp) => page.getByRole('row', { name });
  await row(/left\.csv/).waitFor();
  await fetch(`${left}/resume`, { method: 'POST' });
  await row(/left\.csv/)
    .getByText('completed')
    .waitFor();
  await row(/left\.csv/)
    .getByRole('img', { name: 'Rows by outcome: 1 added', exact: true })
    .waitFor();

  // While the list is on its way.
  await main.getByRole('link', { name: 'Syncs' }).click();
  await heading('Syncs').waitFor();
  const meanwhile = await check('meanwhile.csv');
  const isAnswered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  await page.route('**/v1/imports?limit=*', async (route) => {
    const response = await route.fetch();
    isAnswered.resolve();
    await release.promise;
    await route.fulfill({ response });
  });
  await main.getByRole('link', { name: 'Imports' }).click();
  await isAnswered.promise;
  const events = await readEvents(`${server.url}/v1/events`);
  await fetch(`${meanwhile}/cancel`, { method: 'POST' });
  await events.next(({ data }) => data.imports?.some(({ state }: { state: string }) => state === 'cancelled'));
  events.close();
  release.resolve();
  await row(/meanwhile\.csv/)
    .getByText('cancelled')
    .waitFor();

  // The page is left before the server hears of it.
  const started = await check('started.csv');
  await page.getByRole('link', { name: 'started.csv' }).click();
  const isAsked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  await page.route('**/resume', async (route) => {
    isAsked.resolve();
    await goOn.promise;
    await route.continue();
  });
  await sendButton(page).click();
  await isAsked.promise;
  await main.getByRole('link', { name: 'Syncs' }).click();
  await heading('Syncs').waitFor();
  goOn.resolve();
  await eventually(() => stateOf(started)).toBe('completed');
  await heading('Syncs').waitFor();

  // The import that is shown is deleted.
  await main.getByRole('link', { name: 'Imports' }).click();
  await page.getByRole('link', { name: 'started.csv' }).click();
  await page.getByLabel('More actions', { exact: true }).waitFor();
  await fetch(started, { method: 'DELETE' });
  await heading('There is no such import').waitFor();
  await page.getByRole('link', { name: 'All imports' }).waitFor();
  await eventually(() => page.getByRole('main').getByRole('button').count()).toBe(0);

  // One is begun here, and steered to its end.
  await page.unrouteAll();
  await page.goto(server.url);
  letPass(0);
  await startImport(page, memberRows(1_500), 'steered.csv');
  const old = page.url();
  const buttons = page.locator('.state .actions').getByRole('button');
  const added = page.locator('.state .legend li', { hasText: 'added' });
  const more = page.getByLabel('More actions', { exact: true });
  const dialog = page.getByRole('dialog');
  await eventually(() => buttons.allTextContents()).toEqual(['Pause']);
  // Browsers allow six connections to one server for all of their windows: with four streams, one that comes later has none of its own.
  await page.evaluate(FOUR_STREAMS);
  const window = await page.context().newPage();
  const withoutStream = window.waitForEvent('requestfailed', (request) => request.url().endsWith('/v1/events'));
  await window.goto(old);
  await window.locator('.state .badge', { hasText: 'running' }).waitFor();
  await withoutStream;
  letPass(1);
  await eventually(async () => numberIn(await added.textContent())).toBeGreaterThan(0);
  const before = numberIn(await added.textContent());
  letPass(1);
  await eventually(async () => numberIn(await added.textContent())).toBeGreaterThan(before);

  await page.getByRole('button', { name: 'Pause' }).click();
  await eventually(() => stateOf(old.replace('/imports', '/v1/imports'))).toBe('pausing');
  letPass(Number.POSITIVE_INFINITY);
  await page
    .getByText(/^Paused: /)
    .first()
    .waitFor();
  letPass(0);
  await eventually(() => buttons.allTextContents()).toEqual(['Resume']);
  // It follows all the same.
  await window
    .getByText(/^Paused: /)
    .first()
    .waitFor();
  await window.close();
  await page.locator('button:focus', { hasText: 'Resume' }).waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByText('the sandbox: nothing real changes').waitFor();
  await dialog.getByRole('button', { name: 'Resume' }).click();
  await page.locator('.state .badge', { hasText: 'running' }).waitFor();

  await more.click();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await dialog.getByRole('button', { name: 'Keep running' }).click();
  await more.click();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await dialog.getByRole('button', { name: 'Cancel import' }).click();
  await eventually(() => stateOf(old.replace('/imports', '/v1/imports'))).toMatch(/^cancell/);
  letPass(Number.POSITIVE_INFINITY);
  await page
    .getByText(/^Cancelled: .* [\d,]+ were not sent; every row is accounted for\.$/)
    .first()
    .waitFor();
  await eventually(() => buttons.allTextContents()).toEqual([expect.stringMatching(/^Retry [\d,]+ rows$/)]);
  await page.getByRole('button', { name: 'Details', exact: true }).click();
  const journal = page.getByRole('region', { name: 'History' }).getByRole('listitem');
  // The history is asked for by itself: it may come after the buttons.
  await eventually(() => journal.allTextContents()).toEqual(
    expect.arrayContaining(['running', 'paused', 'cancelled'].map((state) => expect.stringContaining(state))),
  );

  await page.getByRole('button', { name: /^Retry/ }).click();
  await dialog.getByRole('button', { name: /^Retry/ }).click();
  await page.getByText('Retries rows of').waitFor();
  await page.getByText('Retries rows of').getByRole('link').click();
  await eventually(() => page.url()).toBe(old);
  await more.click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await dialog.getByRole('button', { name: 'Delete import' }).click();
  await page.getByRole('heading', { name: 'Imports', level: 1 }).waitFor();
  await eventually(() => page.locator(`a[href="${new URL(old).pathname}"]`).count()).toBe(0);
});

function numberIn(text: string | null): number {
  return Number((text ?? '').replace(/\D/g, ''));
}
