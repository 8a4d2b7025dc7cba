import { expect, test } from 'vitest';
import { readEvents } from '../server/event-source.ts';
import { csvFile, eventually, memberRows, review, sendButton, startImport, useBrowser } from './browser.ts';
import { standBefore } from './front.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
/** Calls that a test has let pass; the others wait. */
let passing = Number.POSITIVE_INFINITY;
let passed = Promise.withResolvers<void>();
const server = useServer({
  chat: (chat) => ({
    ...chat,
    addMembers: async (...call) => {
      while (passing <= 0) await passed.promise;
      passing -= 1;
      return chat.addMembers(...call);
    },
  }),
});

function letPass(calls: number): void {
  passing = calls;
  passed.resolve();
  passed = Promise.withResolvers();
}

/** Hands a file in over the API, to be checked only; gives its address there. */
async function check(name: string): Promise<string> {
  const upload = { method: 'POST', headers: { 'content-type': 'text/csv' }, body: memberRows(1) };
  const made = await fetch(`${server.url}/v1/imports?dryRun=true&name=${name}`, upload);
  const address = `${server.url}/v1/imports/${((await made.json()) as { id: string }).id}`;
  await eventually(() => stateOf(address)).toBe('staged');
  return address;
}

const stateOf = async (address: string) => ((await (await fetch(address)).json()) as { state: string }).state;

test('what happens to imports elsewhere is shown, and what a person starts is done, also when the page is left at once', async () => {
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
});

test('tags are given and changed on the page of the import, and lead to the list', async () => {
  const page = await browser.open(server.url, { refusals: true });
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

test('progress moves by itself; pause, resume, cancel, retry and delete do what they say, and the buttons follow the state', async () => {
  // The page may ask for its import once more while that is deleted.
  const page = await browser.open(server.url, { refusals: true });
  letPass(0);
  await startImport(page, memberRows(1_500), 'steered.csv');
  const old = page.url();
  const buttons = page.getByRole('region', { name: 'State' }).getByRole('button');
  const added = page.locator('.state .legend li', { hasText: 'added' });
  const more = page.getByLabel('More actions', { exact: true });
  const dialog = page.getByRole('dialog');
  await eventually(() => buttons.allTextContents()).toEqual(['Pause']);
  letPass(1);
  await eventually(async () => numberIn(await added.textContent())).toBeGreaterThan(0);
  const before = numberIn(await added.textContent());
  letPass(1);
  await eventually(async () => numberIn(await added.textContent())).toBeGreaterThan(before);

  await page.getByRole('button', { name: 'Pause' }).click();
  await eventually(() => stateOf(old.replace('/imports', '/v1/imports'))).toBe('pausing');
  letPass(Number.POSITIVE_INFINITY);
  await page.getByText('Nothing is sent until it is resumed.').first().waitFor();
  letPass(0);
  await eventually(() => buttons.allTextContents()).toEqual(['Resume']);
  await page.locator('button:focus', { hasText: 'Resume' }).waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByText('the sandbox: nothing real changes').waitFor();
  await dialog.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Sending memberships').first().waitFor();

  await more.click();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await dialog.getByRole('button', { name: 'Keep running' }).click();
  await more.click();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await dialog.getByRole('button', { name: 'Cancel import' }).click();
  await eventually(() => stateOf(old.replace('/imports', '/v1/imports'))).toMatch(/^cancell/);
  letPass(Number.POSITIVE_INFINITY);
  await page
    .getByText(/Cancelled: [\d,]+ of 1,500 rows were not sent\./)
    .first()
    .waitFor();
  await eventually(() => buttons.allTextContents()).toEqual([expect.stringMatching(/^Retry [\d,]+ rows$/)]);
  await page.getByRole('link', { name: 'History' }).click();
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

test('however many rows are asked for, the page holds 500 at most', async () => {
  const page = await browser.open(server.url);
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
  await eventually(() => rows.count()).toBe(500);
  await page.getByRole('button', { name: 'Back to the start' }).click();
  await eventually(() => rows.first().locator('th').textContent()).toBe('user-0');
  await eventually(() => rows.count()).toBe(100);
});

test('when the server goes away the page says so, and goes on by itself when it is back', async () => {
  const front = await standBefore(server.url);
  const page = await browser.open(front.url, { refusals: true });
  letPass(1);
  await startImport(page, memberRows(500), 'interrupted.csv');
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
  await eventually(() => page.getByText('The server does not answer.').count()).toBe(0);
  await eventually(async () => (await page.getByRole('alert').allTextContents()).join('')).toBe('');
  const before = numberIn(await toCome.textContent());
  letPass(1);
  await eventually(async () => numberIn(await toCome.textContent())).toBeLessThan(before);
  letPass(Number.POSITIVE_INFINITY);
  await page.getByText('Completed: all 500 rows succeeded.').first().waitFor();
});

function numberIn(text: string | null): number {
  return Number((text ?? '').replace(/\D/g, ''));
}
