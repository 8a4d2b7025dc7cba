import { expect, test } from 'vitest';
import { readEvents } from '../server/event-source.ts';
import { csvFile, eventually, memberRows, review, sendButton, startImport, useBrowser } from './browser.ts';
import { standBefore } from './front.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
// 120 calls a minute: an import of some hundred rows takes as long as a test needs to look at it.
const slow = useServer({ callsPerMinute: 120 });

test('the list shows imports as they move, those of other visitors too', async () => {
  const watcher = await browser.open(`${slow.url}/imports`);
  await watcher.getByRole('heading', { name: 'Imports', level: 1 }).waitFor();
  const other = await browser.open(slow.url);
  await startImport(other, memberRows(10), 'of-another.csv');
  const row = watcher.getByRole('row', { name: /of-another\.csv/ });
  await row.getByText('completed').waitFor();
  await row.getByRole('img', { name: 'Rows by outcome: 10 added', exact: true }).waitFor();
});

/** Hands a file in over the API, to be checked only; gives its address there. */
async function check(name: string): Promise<string> {
  const upload = { method: 'POST', headers: { 'content-type': 'text/csv' }, body: memberRows(1) };
  const made = await fetch(`${slow.url}/v1/imports?dryRun=true&name=${name}`, upload);
  return `${slow.url}/v1/imports/${((await made.json()) as { id: string }).id}`;
}

test('what happens to an import while the list is on its way is shown when that has come', async () => {
  const page = await browser.open(slow.url);
  const address = await check('meanwhile.csv');
  // It comes as an event: the page follows the lists.
  await page.getByRole('link', { name: 'meanwhile.csv', exact: true }).waitFor();
  const isAnswered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  await page.route('**/v1/imports?limit=*', async (route) => {
    const response = await route.fetch();
    isAnswered.resolve();
    await release.promise;
    await route.fulfill({ response });
  });
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Imports' }).click();
  await isAnswered.promise;
  const events = await readEvents(`${slow.url}/v1/events`);
  await fetch(`${address}/cancel`, { method: 'POST' });
  await events.next(({ data }) => data.imports?.some(({ state }: { state: string }) => state === 'cancelled'));
  events.close();
  release.resolve();
  await page
    .getByRole('row', { name: /meanwhile\.csv/ })
    .getByText('cancelled')
    .waitFor();
});

test('what a person starts is done, also when the page is left before the server hears of it', async () => {
  const address = await check('left.csv');
  const page = await browser.open(address.replace('/v1', ''));
  const isAsked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  await page.route('**/resume', async (route) => {
    isAsked.resolve();
    await release.promise;
    await route.continue();
  });
  await sendButton(page).click();
  await isAsked.promise;
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  release.resolve();
  await eventually(async () => ((await (await fetch(address)).json()) as { state: string }).state).toBe('completed');
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
});

test('a file that was read is not sent until someone sends it', async () => {
  const page = await browser.open(slow.url);
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('guid,uid\nchoir,ada\nchoir,ben\n', 'dry.csv'));
  await review(page);
  await page.getByText('2 of 2 rows are valid. Nothing has been sent.').first().waitFor();
  await sendButton(page).click();
  await page.getByText('Completed: all 2 rows succeeded.').first().waitFor();
  const said = page.locator('[aria-live=polite]').first();
  await eventually(() => said.textContent()).toBe('Completed: all 2 rows succeeded.');
});

test('a file with another number of rows than it must have is not sent', async () => {
  const page = await browser.open(slow.url);
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('guid,uid\nchoir,ada\nchoir,ben\n', 'cut-off.csv'));
  await page.getByText('How the file is read').click();
  await page.getByLabel('Rows that the file must have').fill('3');
  await page.getByRole('button', { name: 'Next: review' }).click();
  await page.getByText('has 2 rows, and 3 were expected').first().waitFor();
});

test('tags are given and changed on the page of the import, and lead to the list', async () => {
  const page = await browser.open(slow.url, { refusals: true });
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('guid,uid\nchoir,ada\n', 'tagged.csv'));
  await review(page);
  const tags = page.getByRole('group', { name: 'Tags' });
  const dialog = page.getByRole('dialog', { name: 'Tags of this import' });
  await tags.getByRole('button', { name: 'Add tags…' }).click();
  await dialog.getByLabel('Tags').fill('term 1, choir');
  await page.keyboard.press('Enter');
  await tags.getByRole('link', { name: 'term 1' }).waitFor();
  await tags.getByRole('button', { name: 'Change tags…' }).click();
  await dialog.getByLabel('Tags').fill('choir, no<good');
  await dialog.getByRole('button', { name: 'Save tags' }).click();
  await dialog.getByText(/^“no<good” cannot be a tag: allowed are 1 to 40 letters/).waitFor();
  await dialog.locator('input:focus').waitFor();
  await dialog.getByLabel('Tags').fill('choir, autumn, 2026');
  await page.keyboard.press('Enter');
  await eventually(() => tags.getByRole('link').allTextContents()).toEqual(['choir', 'autumn', '2026']);
  await tags.locator('button:focus').waitFor();
  await checkScreens(page, 'tags');
  await tags.getByRole('link', { name: 'autumn' }).click();
  await page.getByRole('row', { name: /tagged\.csv/ }).waitFor();
});

test('progress moves by itself; pause, resume and cancel do what they say, and the buttons follow the state', async () => {
  // The page may ask for its import once more while that is deleted.
  const page = await browser.open(slow.url, { refusals: true });
  await startImport(page, memberRows(10_000), 'steered.csv');
  const buttons = page.getByRole('region', { name: 'State' }).getByRole('button');
  const added = page.locator('.state .legend li', { hasText: 'added' });
  await eventually(() => buttons.allTextContents()).toEqual(['Pause']);
  await eventually(async () => numberIn(await added.textContent())).toBeGreaterThan(0);
  const before = numberIn(await added.textContent());
  await eventually(async () => numberIn(await added.textContent())).toBeGreaterThan(before);
  await page.getByRole('img', { name: /^Calls a second: at most/ }).waitFor();

  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Nothing is sent until it is resumed.').first().waitFor();
  await eventually(() => buttons.allTextContents()).toEqual(['Resume']);
  await page.locator('button:focus', { hasText: 'Resume' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText('the sandbox: nothing real changes').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Sending memberships').first().waitFor();

  await page.getByLabel('More actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep running' }).click();
  await page.getByLabel('More actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel import' }).click();
  await page
    .getByText(/Cancelled: [\d,]+ of 10,000 rows were not sent\./)
    .first()
    .waitFor();
  await eventually(() => buttons.allTextContents()).toEqual([
    expect.stringMatching(/^Retry [\d,]+ rows$/),
    'Undo import…',
  ]);
  await page.getByRole('link', { name: 'History' }).click();
  const journal = page.getByRole('region', { name: 'History' }).getByRole('listitem');
  // The history is asked for by itself: it may come after the buttons.
  await eventually(() => journal.allTextContents()).toEqual(
    expect.arrayContaining(['running', 'paused', 'cancelled'].map((state) => expect.stringContaining(state))),
  );

  await page.getByLabel('More actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete import' }).click();
  await page.getByRole('heading', { name: 'Imports', level: 1 }).waitFor();
  await eventually(() => page.getByRole('link', { name: 'steered.csv' }).count()).toBe(0);
});

test('the page of an import that is deleted elsewhere says that it is gone, and offers nothing more', async () => {
  const address = await check('gone.csv');
  const page = await browser.open(address.replace('/v1/', '/'), { refusals: true });
  await page.getByLabel('More actions', { exact: true }).waitFor();
  await fetch(address, { method: 'DELETE' });
  await page.getByRole('heading', { name: 'There is no such import', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'All imports' }).waitFor();
  expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
});

test('a retry is a new import that names the old one', async () => {
  const page = await browser.open(slow.url);
  await startImport(page, memberRows(5000), 'first.csv');
  await page.getByText('Sending memberships').first().waitFor();
  await page.getByLabel('More actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel import' }).click();
  const old = page.url();
  await page.getByRole('button', { name: /^Retry/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Retry/ })
    .click();
  await page.getByText('Retries rows of').waitFor();
  await eventually(() => page.url()).not.toBe(old);
  // The next tests have the budget for themselves.
  await fetch(`${slow.url}/v1${new URL(page.url()).pathname}/cancel`, { method: 'POST' });
  await page.locator('.kicker').getByRole('link').last().click();
  await eventually(() => page.url()).toBe(old);
});

test('however many rows are asked for, the page holds 500 at most', async () => {
  const page = await browser.open(slow.url);
  // It is only read: at the end of an import, the rows that are shown are asked for again.
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(memberRows(800), 'long.csv'));
  await review(page);
  await page.getByRole('table', { name: 'Rows of the file' }).waitFor();
  // By role, each look would ask every cell of 500 rows for its own.
  const rows = page.locator('.rows tbody tr');
  for (const last of [99, 199, 299, 399, 499, 599]) {
    await eventually(() => rows.last().locator('th').textContent()).toBe(`user-${last}`);
    await page.getByRole('button', { name: 'Show 100 more' }).click();
  }
  await eventually(() => rows.last().locator('th').textContent()).toBe('user-699');
  expect(await rows.count()).toBe(500);
  await page.getByRole('button', { name: 'Back to the start' }).click();
  await eventually(() => rows.first().locator('th').textContent()).toBe('user-0');
  expect(await rows.count()).toBe(100);
});

test('when the server goes away the page says so, and goes on by itself when it is back', async () => {
  const front = await standBefore(slow.url);
  const page = await browser.open(front.url, { refusals: true });
  await startImport(page, memberRows(20_000), 'interrupted.csv');
  const toCome = page.locator('.state .legend li', { hasText: 'pending' });
  await toCome.waitFor();
  const pace = page.locator('.state .pace');
  await pace.getByText(/ left$/).waitFor();
  await front.goAway();
  const banner = page.getByRole('status').filter({ hasText: 'The server does not answer.' });
  await banner.getByText(/^This page shows how things were at \d\d:\d\d:\d\d\./).waitFor();
  // This server has its queue in itself: nobody else makes its calls.
  await banner.getByText('If it has stopped, its imports stand still until it is started again.').waitFor();
  await eventually(() => pace.textContent()).toMatch(/^As of \d\d:\d\d:\d\d\.$/);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('alert').getByText('The server does not answer.').waitFor();
  await checkScreens(page, 'away');
  await front.comeBack();
  await eventually(() => page.getByRole('alert').getByText('The server does not answer.').count()).toBe(0);
  await eventually(() => page.getByText('The server does not answer.').count()).toBe(0);
  expect((await page.getByRole('alert').allTextContents()).join('')).toBe('');
  const before = numberIn(await toCome.textContent());
  await eventually(async () => numberIn(await toCome.textContent())).toBeLessThan(before);
});

function numberIn(text: string | null): number {
  return Number((text ?? '').replace(/\D/g, ''));
}
