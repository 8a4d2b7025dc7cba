import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { checkAccess } from './accessibility.ts';
import { eventually, memberRows, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const KNOWN = Array.from({ length: 110 }, (_, at) => `user-${at}`);
// The first call of the region is refused for a moment: its row has a story.
const served = useServer({
  seed: { users: KNOWN, groups: ['choir', 'team', 'crew'] },
  faults: 'unavailable=1',
});

const table = (page: Page) => page.getByRole('table', { name: 'Rows of the file' });
const uids = (page: Page) => table(page).locator('tbody th').allTextContents();

async function upload(name: string, csv: string, query = ''): Promise<string> {
  const answer = await fetch(`${served.url}/v1/imports?name=${name}&banCheck=false${query}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: csv,
  });
  return ((await answer.json()) as { id: string }).id;
}

test('rows are filtered, sorted and found again; one opens with every call; what is done is done with exactly those', async () => {
  // Some of users whom the service does not know, one invalid.
  const rows = Array.from({ length: 40 }, (_, at) => {
    const uid = at % 10 === 7 ? `gone-${at}` : at === 9 ? 'not an id' : `user-${at}`;
    return `us,${at % 3 === 0 ? 'team' : 'choir'},${uid},Bo ${at}\n`;
  });
  const id = await upload('choir.csv', `region,guid,uid,name\n${rows.join('')}`);
  const page = await browser.open(`${served.url}/imports/${id}`, { colorScheme: 'dark' });
  await page
    .getByText(/^Completed: /)
    .first()
    .waitFor();
  const search = page.getByRole('search', { name: 'Filter rows' });
  await search.getByLabel('Text').fill('GONE');
  await page.getByText('4 of 40 rows fit this filter.').waitFor();
  await eventually(() => uids(page)).toEqual(['gone-7', 'gone-17', 'gone-27', 'gone-37']);
  await page.getByRole('button', { name: 'UID', exact: true }).click();
  await page.getByRole('columnheader', { name: 'UID' }).and(page.locator('[aria-sort=ascending]')).waitFor();
  await eventually(async () => (await uids(page))[0]).toBe('gone-17');
  await page.getByRole('button', { name: 'UID', exact: true }).click();
  await eventually(async () => (await uids(page))[0]).toBe('gone-7');
  await eventually(() => new URL(page.url()).search).toBe('?text=GONE&sort=uid&order=desc');
  await page.reload();
  await page.getByText('4 of 40 rows fit this filter.').waitFor();
  await eventually(async () => (await uids(page))[0]).toBe('gone-7');

  const details = page.getByRole('button', { name: 'Details of row 9', exact: true });
  await details.click();
  const story = table(page);
  await story.getByText('ERR_UID_NOT_FOUND').first().waitFor();
  await story.getByText(/Call 1/).waitFor();
  await story.getByText('HTTP 200').waitFor();
  await eventually(() => story.getByText('Bo 7').count()).toBe(1);
  await checkAccess(page);
  await details.click();
  await eventually(() => story.getByText(/Call 1/).count()).toBe(0);

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download these 4 rows as NDJSON' }).click();
  expect(await (await download).failure()).toBe(null);
  await page.getByText('More filters').click();
  await search.getByLabel('Row', { exact: true }).fill('20-40');
  await page.keyboard.press('Enter');
  await page.getByText('2 of 40 rows fit this filter.').waitFor();
  await page.getByRole('button', { name: 'Retry 2 rows…' }).click();
  await page.getByRole('dialog', { name: 'Retry 2 rows?' }).getByRole('button', { name: 'Retry 2 rows' }).click();
  await page.getByRole('heading', { name: 'choir-retry.csv', level: 1 }).waitFor();
  await eventually(async () => (await uids(page)).toSorted()).toEqual(['gone-27', 'gone-37']);

  await page.goBack();
  await page.getByText('2 of 40 rows fit this filter.').waitFor();
  await page.getByRole('button', { name: 'Remove the filter Row: 20-40' }).click();
  await page.getByText('4 of 40 rows fit this filter.').waitFor();
  await page.getByRole('button', { name: 'Clear all' }).click();
  await page.getByText('40 rows.').waitFor();
  // The order stays.
  await eventually(() => new URL(page.url()).search).toBe('?sort=uid&order=desc');
  await page
    .locator('input:focus')
    .and(page.getByLabel('Text', { exact: true }))
    .waitFor();
});

test('more rows that are asked for while an import moves come with their outcomes, and none is forgotten', async () => {
  const id = await upload('moves.csv', memberRows(110).replaceAll('team', 'crew'), '&dryRun=true');
  const page = await browser.open(`${served.url}/imports/${id}`);
  await page.getByText('110 rows; 100 shown.').waitFor();
  const release = Promise.withResolvers<void>();
  await page.route(/\/rows\?/, async (route) => {
    await release.promise;
    await route.continue();
  });
  const more = page.getByRole('button', { name: 'Show 10 more' });
  await Promise.all([page.waitForRequest(/\/rows\?.*cursor/), more.click()]);
  await Promise.all([
    page.waitForRequest(/\/rows\?/),
    fetch(`${served.url}/v1/imports/${id}/resume`, { method: 'POST' }),
  ]);
  await page.getByText('Completed: all 110 rows succeeded.').first().waitFor();
  release.resolve();
  await page.getByText('110 rows.').waitFor();
  await eventually(() => page.locator('.rows tbody').getByText('added', { exact: true }).count()).toBe(110);
});

test('on a phone an import with hundreds of problem rows takes few windows; its rows are sorted, opened, and all can be asked for', async () => {
  const height = 844;
  const long = 'pasted into the wrong column '.repeat(20).trim();
  const wrong = (at: number) => [long, '', 'not an id', `user-${at}`][at % 4];
  const rows = Array.from({ length: 200 }, (_, at) => `us,${at % 5 === 0 ? '' : 'team'},${wrong(at)}\n`);
  const id = await upload('wrong.csv', `region,guid,uid\n${rows.join('')}`);
  const page = await browser.open(`${served.url}/imports/${id}`, { viewport: { width: 390, height } });
  await page
    .getByText(/^Completed: /)
    .first()
    .waitFor();
  await page.getByText('200 rows; 4 shown.').waitFor();
  const problems = page.getByRole('region', { name: 'Problems' });
  const all = problems.getByRole('button', { name: /^Show all \d problems$/ });
  await all.waitFor();
  await eventually(() => page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThan(5 * height);
  await all.click();
  await all.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show 25 more' }).click();
  await page.getByText('200 rows; 29 shown.').waitFor();

  await table(page).getByRole('button', { name: 'UID' }).click();
  await table(page).getByRole('button', { name: 'UID' }).click();
  await eventually(async () => (await uids(page))[0]).toBe('user-99');
  const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  await eventually(() => overflow()).toBeLessThanOrEqual(0);
  const tooWide =
    '[...document.querySelectorAll(".rows td")].filter((cell) => cell.scrollWidth > cell.clientWidth).length';
  await eventually(() => page.evaluate<number>(tooWide)).toBe(0);
  await table(page)
    .getByRole('button', { name: /^Details/ })
    .first()
    .click();
  await table(page).getByText('What happened').waitFor();
  await eventually(() => overflow()).toBeLessThanOrEqual(0);
  await checkAccess(page);
});
