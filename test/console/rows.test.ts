import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { chooseFile, csvFile, eventually, review, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const users = Array.from({ length: 200 }, (_, at) => `user-${at}`);
// The first call of the region is refused for a moment: its row has a story.
const served = useServer({ seed: { users, groups: ['team', 'crew'] }, faults: 'unavailable=1' });

const PHONE = { width: 390, height: 844 };

const table = (page: Page) => page.getByRole('table', { name: 'Rows of the file' });
const uids = (page: Page) => table(page).locator('tbody th').allTextContents();

/** A file of 200 rows: four of users whom the service does not know, and most of the others wrong in one of eight ways. */
function badRows(): string {
  const first = ['no such group,user,,', 'team,user!,,', ',user,,', 'team,,,', 'team,user,teacher,', 'team,user,,mars'];
  const long = 'pasted into the wrong column '.repeat(20).trim();
  const rows = users.map((user, at) => {
    const uid = at % 50 === 7 ? `gone-${at}` : [long, '', 'not an id', user][at % 4];
    return `${first[at] ?? `${at % 5 === 0 ? '' : 'team'},${uid},,us`},Bo ${at}`;
  });
  return `guid,uid,scope,region,name\n${rows.join('\n')}\n`;
}

test('of two hundred bad rows the problems come first; rows are filtered, sorted and found again, one opens with every call, and what is done is done with exactly those', async () => {
  const id = await served.run(badRows(), 'name=choir.csv&banCheck=false');
  const page = await browser.open(`${served.url}/imports/${id}`);
  const problems = page.getByRole('region', { name: 'Problems' }).getByRole('link', { name: /\d+ rows?$/ });
  await eventually(() => problems.count()).toBe(6);
  await eventually(async () => (await page.getByRole('heading', { name: 'Problems' }).boundingBox())?.y).toBeLessThan(
    300,
  );
  await eventually(() => rowsInSight(page)).toBeGreaterThanOrEqual(18);
  await page.getByRole('button', { name: /^Show all \d+ problems$/ }).click();
  await eventually(() => problems.count()).toBeGreaterThan(6);
  await showsStatesWithoutColours(page);

  // A problem leads to the rows behind it: many can be seen, and corrected at once.
  await page.getByRole('link', { name: /BAD_CHARACTER in uid/ }).click();
  await page.getByRole('textbox', { name: 'uid, row 8', exact: true }).waitFor();
  await eventually(() => rowsInSight(page)).toBeGreaterThanOrEqual(20);
  await page.getByRole('button', { name: 'Clear all' }).click();
  await page.getByText('200 rows; 100 shown.').waitFor();

  // Headings stay in sight.
  await page.getByRole('rowheader', { name: 'user-83', exact: true }).scrollIntoViewIfNeeded();
  await eventually(async () => {
    const main = await edges(page.getByRole('navigation', { name: 'Main' }));
    const parts = await edges(page.getByRole('navigation', { name: 'Parts of this page' }));
    const heading = await edges(page.getByRole('columnheader', { name: 'Outcome' }));
    return main.top >= 0 && parts.top >= main.bottom && heading.top >= parts.bottom - 1 && heading.bottom < 200;
  }).toBe(true);

  const search = page.getByRole('search', { name: 'Filter rows' });
  await search.getByLabel('Text').fill('GONE');
  await page.getByText('4 of 200 rows fit this filter.').waitFor();
  await eventually(() => uids(page)).toEqual(['gone-7', 'gone-57', 'gone-107', 'gone-157']);
  await page.getByRole('button', { name: 'UID', exact: true }).click();
  await page.getByRole('columnheader', { name: 'UID' }).and(page.locator('[aria-sort=ascending]')).waitFor();
  await eventually(async () => (await uids(page))[0]).toBe('gone-107');
  await page.getByRole('button', { name: 'UID', exact: true }).click();
  await eventually(async () => (await uids(page))[0]).toBe('gone-7');
  await eventually(() => new URL(page.url()).search).toBe('?text=GONE&sort=uid&order=desc');
  await page.reload();
  await page.getByText('4 of 200 rows fit this filter.').waitFor();
  await eventually(async () => (await uids(page))[0]).toBe('gone-7');

  const details = page.getByRole('button', { name: 'Details of row 9', exact: true });
  await details.click();
  const story = table(page);
  await story.getByText('ERR_UID_NOT_FOUND').first().waitFor();
  await story.getByText(/Call 1/).waitFor();
  await story.getByText('HTTP 200').waitFor();
  await eventually(() => story.getByText('Bo 7').count()).toBe(1);
  await details.click();
  await eventually(() => story.getByText(/Call 1/).count()).toBe(0);

  const download = page.waitForEvent('download');
  await page.getByRole('group', { name: 'Actions for these 4 rows' }).getByText('Download').click();
  await page.getByRole('link', { name: 'Download these 4 rows as NDJSON' }).click();
  expect(await (await download).failure()).toBe(null);
  await page.getByText('More filters').click();
  await search.getByLabel('Row', { exact: true }).fill('100-160');
  await page.keyboard.press('Enter');
  await page.getByText('2 of 200 rows fit this filter.').waitFor();
  await page.getByRole('button', { name: 'Retry 2 rows…' }).click();
  await page.getByRole('dialog', { name: 'Retry 2 rows?' }).getByRole('button', { name: 'Retry 2 rows' }).click();
  await page.getByRole('heading', { name: 'choir-retry.csv', level: 1 }).waitFor();
  await eventually(async () => (await uids(page)).toSorted()).toEqual(['gone-107', 'gone-157']);

  await page.goBack();
  await page.getByText('2 of 200 rows fit this filter.').waitFor();
  await page.getByRole('button', { name: 'Remove the filter Row: 100-160' }).click();
  await page.getByText('4 of 200 rows fit this filter.').waitFor();
  await page.getByRole('button', { name: 'Clear all' }).click();
  await page.getByText('200 rows; 100 shown.').waitFor();
  // The order stays.
  await eventually(() => new URL(page.url()).search).toBe('?sort=uid&order=desc');
  await page
    .locator('input:focus')
    .and(page.getByLabel('Text', { exact: true }))
    .waitFor();
});

test('on a phone a file is chosen, reviewed, tried with its first row, and sent; the page of a long one takes few windows; its rows are sorted, opened, and all can be asked for', async () => {
  const page = await browser.open(`${served.url}/imports/new`, { viewport: PHONE });
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('', 'empty.csv'));
  await page.getByRole('alert').getByText('empty.csv is empty.', { exact: true }).waitFor();
  await chooseFile(page, 'guid,uid\nteam,user-1\nteam,user-2\n', 'phone.csv');
  await review(page);
  await page.getByLabel('Send only the first rows').fill('1');
  await page.getByRole('button', { name: 'Send the first row' }).click();
  await page.getByText('Paused: 1 of 2 rows succeeded; 1 pending.').first().waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('All 2 rows succeeded; every row is accounted for.').first().waitFor();
  await page.goto(`${served.url}/imports/new?file=none`);
  await page.getByText('This file is not kept in this browser any more.').waitFor();

  const id = await served.run(badRows(), 'name=choir.csv&banCheck=false');
  await page.goto(`${served.url}/imports/${id}`);
  await page.getByText('200 rows; 4 shown.').waitFor();
  const all = page.getByRole('button', { name: /^Show all \d+ problems$/ });
  await all.waitFor();
  const height = () => page.evaluate<number>('document.documentElement.scrollHeight');
  await eventually(height).toBeLessThan(5 * PHONE.height);
  await all.click();
  await all.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show 25 more' }).click();
  await page.getByText('200 rows; 29 shown.').waitFor();
  await table(page).getByRole('button', { name: 'UID' }).click();
  await table(page).getByRole('button', { name: 'UID' }).click();
  await eventually(async () => (await uids(page))[0]).toBe('user-99');
  const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  await eventually(overflow).toBeLessThanOrEqual(0);
  const tooWide =
    '[...document.querySelectorAll(".rows td")].filter((cell) => cell.scrollWidth > cell.clientWidth).length';
  await eventually(() => page.evaluate<number>(tooWide)).toBe(0);
  await table(page)
    .getByRole('button', { name: /^Details/ })
    .first()
    .click();
  await table(page).getByText('What happened').waitFor();
  await eventually(overflow).toBeLessThanOrEqual(0);
});

/** Rows that are as high as one line, and can be seen without scrolling. */
function rowsInSight(page: Page): Promise<number> {
  return page.evaluate<number>(`[...document.querySelectorAll('.rows tbody tr')]
    .map((row) => row.getBoundingClientRect())
    .filter(({ top, bottom, height }) => top > 0 && bottom <= innerHeight && height <= 36).length`);
}

/** With colours that the system chooses, states are distinguished by borders, and shares keep their colours. */
async function showsStatesWithoutColours(page: Page): Promise<void> {
  await page.emulateMedia({ forcedColors: 'active' });
  const styles = (selector: string, property: string) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => getComputedStyle(one).getPropertyValue('${property}'))`,
    );
  const [current] = await styles('.top nav a[aria-current]', 'border-bottom-color');
  await eventually(() => styles('.top nav a:not([aria-current])', 'border-bottom-color')).not.toContain(current);
  const parts = await page.locator('.state .bar .part').count();
  expect(parts).toBeGreaterThan(1);
  await eventually(async () => new Set(await styles('.state .bar .part', 'background-color')).size).toBe(parts);
  await eventually(() => styles('.badge.attention', 'border-top-width')).toContain('2px');
  await page.keyboard.press('Tab');
  await eventually(() => styles(':focus', 'outline-style')).toEqual(['solid']);
  await page.emulateMedia({ forcedColors: 'none' });
}

async function edges(place: Locator): Promise<{ top: number; bottom: number }> {
  const { y = Number.NaN, height = Number.NaN } = (await place.boundingBox()) ?? {};
  return { top: Math.round(y), bottom: Math.round(y + height) };
}
