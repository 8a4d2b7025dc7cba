import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violations } from './accessibility.ts';
import { eventually, memberRows, startImport, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const KNOWN = Array.from({ length: 400 }, (_, at) => `user-${at}`);
// The first call of the region is refused for a moment: its row has a story.
const served = useServer({
  seed: { users: KNOWN, groups: ['choir', 'team', 'crew'] },
  faults: 'unavailable=1',
});

/** Some rows of users whom the service does not know, some invalid. */
const fileOf = (count: number) =>
  `region,guid,uid,name\n${Array.from({ length: count }, (_, at) => {
    const uid = at % 50 === 7 ? `gone-${at}` : at % 100 === 9 ? 'not an id' : `user-${at}`;
    return `us,${at % 3 === 0 ? 'team' : 'choir'},${uid},${at % 2 === 0 ? 'Émile' : 'Bo'} ${at}`;
  }).join('\n')}\n`;

const table = (page: Page) => page.getByRole('table', { name: 'Rows of the file' });
const uids = (page: Page) => table(page).locator('tbody th').allTextContents();

async function finished(page: Page, name: string, count = 300): Promise<void> {
  await startImport(page, fileOf(count), name);
  await page
    .getByText(/^Completed: /)
    .first()
    .waitFor();
  await page.getByText(count > 100 ? `${count} rows; 100 shown.` : `${count} rows.`).waitFor();
}

test('rows are filtered, sorted and shared by a link; what is done is done with exactly those', async () => {
  const page = await browser.open(served.url);
  await finished(page, 'choir.csv');
  const search = page.getByRole('search', { name: 'Filter rows' });
  await search.getByLabel('Text').fill('GONE');
  await page.getByText('6 of 300 rows fit this filter.').waitFor();
  expect(await uids(page)).toEqual(['gone-7', 'gone-57', 'gone-107', 'gone-157', 'gone-207', 'gone-257']);

  await page.getByRole('button', { name: 'UID', exact: true }).click();
  await page.getByRole('columnheader', { name: 'UID' }).and(page.locator('[aria-sort=ascending]')).waitFor();
  await eventually(async () => (await uids(page))[0]).toBe('gone-107');
  await page.getByRole('button', { name: 'UID', exact: true }).click();
  await eventually(async () => (await uids(page))[0]).toBe('gone-7');
  await eventually(() => new URL(page.url()).search).toBe('?text=GONE&sort=uid&order=desc');
  expect(await violations(page)).toEqual([]);

  const other = await browser.open(page.url());
  await other.getByText('6 of 300 rows fit this filter.').waitFor();
  expect((await uids(other))[0]).toBe('gone-7');

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download these 6 rows as NDJSON' }).click();
  expect(await (await download).failure()).toBe(null);

  await page.getByText('More filters').click();
  await search.getByLabel('Row', { exact: true }).fill('100-300');
  await page.keyboard.press('Enter');
  await page.getByText('4 of 300 rows fit this filter.').waitFor();
  await page.getByRole('button', { name: 'Retry 4 rows…' }).click();
  await page.getByRole('dialog', { name: 'Retry 4 rows?' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Retry 4 rows' }).click();
  await page.getByRole('heading', { name: 'choir-retry.csv', level: 1 }).waitFor();
  await eventually(async () => (await uids(page)).toSorted()).toEqual(['gone-107', 'gone-157', 'gone-207', 'gone-257']);

  await page.goBack();
  await page.getByText('4 of 300 rows fit this filter.').waitFor();
  await page.getByRole('button', { name: 'Remove the filter Row: 100-300' }).click();
  await page.getByText('6 of 300 rows fit this filter.').waitFor();
  await page.getByRole('button', { name: 'Clear all' }).click();
  await page.getByText('300 rows; 100 shown.').waitFor();
  // The order stays.
  await eventually(() => new URL(page.url()).search).toBe('?sort=uid&order=desc');
  await page.locator('#filter-text:focus').waitFor();
});

test('a row opens with every call that was made for it, and closes where it was opened', async () => {
  const page = await browser.open(served.url, { colorScheme: 'dark' });
  await finished(page, 'story.csv', 12);
  await page.getByRole('button', { name: 'Details of row 9', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Row 9' });
  await dialog.getByText('ERR_UID_NOT_FOUND').first().waitFor();
  await dialog.getByText(/Call 1/).waitFor();
  await dialog.getByText('HTTP 200').waitFor();
  expect(await dialog.getByText('Bo 7').count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await eventually(() => page.getByRole('dialog').count()).toBe(0);
  await page.locator('button:focus[aria-label="Details of row 9"]').waitFor();
  await page.getByRole('button', { name: 'Details of row 11', exact: true }).click();
  await page.getByRole('dialog', { name: 'Row 11' }).getByText('It was not sent in this import.').waitFor();
});

test('more rows that are asked for while an import moves come with their outcomes, and none is forgotten', async () => {
  const upload = await fetch(`${served.url}/v1/imports?name=moves.csv&banCheck=false&dryRun=true`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: memberRows(300).replaceAll('team', 'crew'),
  });
  const { id } = (await upload.json()) as { id: string };
  const page = await browser.open(`${served.url}/imports/${id}`);
  await page.getByText('300 rows; 100 shown.').waitFor();
  const release = Promise.withResolvers<void>();
  await page.route(/\/rows\?/, async (route) => {
    await release.promise;
    await route.continue();
  });
  const more = page.getByRole('button', { name: 'Show 100 more' });
  await Promise.all([page.waitForRequest(/\/rows\?.*cursor/), more.click()]);
  await Promise.all([
    page.waitForRequest(/\/rows\?/),
    fetch(`${served.url}/v1/imports/${id}/resume`, { method: 'POST' }),
  ]);
  await page.getByText('Completed: all 300 rows succeeded.').first().waitFor();
  await more.click();
  release.resolve();
  await page.getByText('300 rows.').waitFor();
  await eventually(() => page.locator('.rows tbody').getByText('added', { exact: true }).count()).toBe(300);
});

test('on a phone nothing is wider than the screen, and rows can be sorted there too', async () => {
  const page = await browser.open(served.url, { viewport: { width: 360, height: 740 } });
  await startImport(page, fileOf(12), 'phone.csv');
  await page.getByText('12 rows; 4 shown.').waitFor();
  await table(page).getByRole('button', { name: 'UID' }).click();
  await table(page).getByRole('button', { name: 'UID' }).click();
  await eventually(async () => (await uids(page))[0]).toBe('user-8');
  const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  expect(await overflow()).toBeLessThanOrEqual(0);
  expect(await violations(page)).toEqual([]);
  await table(page)
    .getByRole('button', { name: /^Details/ })
    .first()
    .click();
  await page.getByRole('dialog').getByText('What happened').waitFor();
  expect(await overflow()).toBeLessThanOrEqual(0);
  expect(await violations(page)).toEqual([]);
});

test('on a phone each value of a row stays in its place, and all that are left can be asked for', async () => {
  const page = await browser.open(served.url, { viewport: { width: 390, height: 844 } });
  const rows = `guid,uid\n${KNOWN.slice(0, 9)
    .map((uid) => `crew,${uid}`)
    .join('\n')}\n`;
  for (const name of ['once.csv', 'twice.csv']) {
    await page.goto(served.url);
    await startImport(page, rows, name);
    await page.getByText('Completed: all 9 rows succeeded.').first().waitFor();
  }
  await page.getByText('9 rows; 4 shown.').waitFor();
  await page.getByRole('button', { name: 'Show 5 more' }).click();
  await eventually(() => table(page).getByText('already a member', { exact: true }).count()).toBe(9);
  const tooWide =
    '[...document.querySelectorAll(".rows td")].filter((cell) => cell.scrollWidth > cell.clientWidth).length';
  expect(await page.evaluate<number>(tooWide)).toBe(0);
});

test('on a phone an import with hundreds of problem rows takes few windows, and all of it can be asked for', async () => {
  const height = 844;
  const page = await browser.open(served.url, { viewport: { width: 390, height } });
  const long = 'pasted into the wrong column '.repeat(20).trim();
  const wrong = (at: number) => [long, '', 'not an id', `user-${at}`][at % 4];
  const rows = Array.from({ length: 400 }, (_, at) => `us,${at % 5 === 0 ? '' : 'team'},${wrong(at)}`);
  await startImport(page, `region,guid,uid\n${rows.join('\n')}\n`, 'wrong.csv');
  await page
    .getByText(/^Completed: /)
    .first()
    .waitFor();
  await page.getByText('400 rows; 4 shown.').waitFor();
  const problems = page.getByRole('region', { name: 'Problems' });
  const all = problems.getByRole('button', { name: /^Show all \d problems$/ });
  await all.waitFor();
  expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThan(5 * height);
  expect(await violations(page)).toEqual([]);

  await all.click();
  await all.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show 25 more' }).click();
  await page.getByText('400 rows; 29 shown.').waitFor();
});
