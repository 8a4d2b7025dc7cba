import type { Locator, Page } from 'playwright-core';
import { test } from 'vitest';
import { type MadeWorkbook, textRows, xlsx } from '../imports/read/make-workbook.ts';
import { eventually, send, useBrowser } from './browser.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

const members = (uid: string) =>
  textRows([
    ['uid', 'guid'],
    [uid, 'choir'],
  ]);

async function choose(page: Page, name: string, sheets: MadeWorkbook['sheets']): Promise<void> {
  await page.getByLabel(/^Choose/).setInputFiles({ name, mimeType: '', buffer: xlsx({ sheets }) });
}

const top = async (part: Locator) => (await part.boundingBox())?.y ?? 0;
const sheetNames = (page: Page) => page.getByLabel('Sheet').locator('option').allTextContents();
const uids = (page: Page) =>
  page
    .getByRole('table', { name: 'The first rows' })
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => row.querySelector('td')?.textContent));

test('the sheets of a workbook are offered by their names, and the one that is chosen is read; one that cannot be read is refused beside the choice', async () => {
  const page = await browser.open(server.url);
  await choose(page, 'team.xlsx', [
    { name: 'Read me', rows: textRows([['The choir'], ['All its members.']]) },
    { name: 'Members', rows: members('ann') },
    { name: 'Old', rows: members('old'), state: 'hidden' },
  ]);
  const note = page.getByText(
    'The rows are from the sheet "Members", the first one with a table (before it, only text',
  );
  await note.waitFor();
  await page.getByText('The first row as it is.').waitFor();
  const table = page.getByRole('table', { name: 'The first rows of the file' });
  await eventually(async () => (await top(note)) < (await top(table))).toBe(true);
  await eventually(() => sheetNames(page)).toEqual([
    'the first one with a table',
    'Read me',
    'Members',
    'Old (hidden)',
  ]);
  await checkScreens(page, 'workbook');
  await page.getByLabel('Sheet').selectOption('Old (hidden)');
  await eventually(() => uids(page)).toEqual(['old']);

  await page.getByRole('button', { name: 'Remove' }).click();
  await choose(page, 'cover.xlsx', [
    { name: 'New', rows: textRows([['uid', 'guid']]) },
    { name: 'Members', rows: members('ann') },
  ]);
  await page.getByRole('alert').getByText('the sheet "New" of "cover.xlsx" has no rows').waitFor();
  await page.getByLabel('Sheet').selectOption('Members');
  await eventually(() => uids(page)).toEqual(['ann']);
  await eventually(() => page.getByRole('alert').getByText('no rows').count()).toBe(0);
  await page.getByRole('button', { name: 'Remove' }).click();
  await choose(page, 'one.xlsx', [{ name: 'Members', rows: members('ben') }]);
  await eventually(() => uids(page)).toEqual(['ben']);
  await eventually(() => page.getByLabel('Sheet').count()).toBe(0);
  await send(page);
  await page.getByText('Completed: the only row succeeded.').first().waitFor();
});
