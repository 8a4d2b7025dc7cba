import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, test } from 'vitest';
import { asksBeforeClosing, chooseFile, eventually, logIn, startImport, useBrowser } from './browser.ts';
import { standBefore } from './front.ts';
import { useServer } from './server-in-process.ts';

const exports = mkdtempSync(join(tmpdir(), 'rollcall-kept-'));
afterAll(() => rmSync(exports, { recursive: true, force: true }));

const browser = useBrowser();
const server = useServer({ sources: [exports], tokenRequired: true });

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' });

test('a file that was chosen and its columns are there again after a look at another page, and after a reload; logging out asks before they are lost', async () => {
  const page = await browser.open(`${server.url}/syncs`, { refusals: true });
  await logIn(page, server.token('operator'));
  await page.getByRole('heading', { level: 1, name: 'Syncs' }).waitFor();
  await chooseFile(page, 'Member,Room\nada,choir\n', 'plan.csv');
  await page.getByLabel('Use of column “Room”').selectOption('Group (GUID)');
  await page.getByLabel('Mode').selectOption('mirror');
  await eventually(() => asksBeforeClosing(page)).toBe(false);
  await page.reload();
  await page.getByText('plan.csv').waitFor();
  await eventually(() => page.getByLabel('Mode').inputValue()).toBe('mirror');
  await main(page).getByRole('link', { name: 'Imports' }).click();
  await page.getByRole('heading', { level: 1, name: 'Imports' }).waitFor();
  await page.goBack();
  await eventually(() => page.getByLabel('Mode').inputValue()).toBe('mirror');
  await eventually(() => page.getByLabel('Use of column “Room”').inputValue()).toBe('guid');
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
  const dialog = page.getByRole('dialog', { name: 'Log out and lose what you entered?' });
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await page.getByText('plan.csv').waitFor();
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
  await dialog.getByRole('button', { name: 'Log out' }).click();
  await logIn(page, server.token('operator'));
  await page.getByText('Drop a membership file here').waitFor();
});

test('a schedule that is being made or edited is there again, until it is saved or discarded', async () => {
  const page = await browser.open(`${server.url}/schedules/new`, { refusals: true });
  await logIn(page, server.token('operator'));
  const name = page.getByLabel('Name', { exact: true });
  const file = page.getByLabel('File or pattern');
  await name.fill('nightly');
  await file.fill(join(exports, 'members.csv'));
  await eventually(() => asksBeforeClosing(page)).toBe(true);
  await page.getByText('More', { exact: true }).click();
  await main(page).getByRole('link', { name: 'Exports' }).click();
  await page.getByRole('heading', { name: 'Exports', level: 1 }).waitFor();
  await page.goBack();
  await page.getByText('This is what you entered before; it is not saved.').waitFor();
  await eventually(() => name.inputValue()).toBe('nightly');
  await page.getByRole('button', { name: 'Discard it' }).click();
  await eventually(() => name.inputValue()).toBe('');
  await name.fill('nightly');
  await file.fill(join(exports, 'members.csv'));
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByRole('heading', { name: 'Schedules', level: 1 }).waitFor();
  await eventually(() => asksBeforeClosing(page)).toBe(false);
  const edit = async () => {
    await page.getByLabel('More actions for nightly').click();
    await page.getByRole('link', { name: 'Edit: nightly' }).click();
  };
  await edit();
  await file.fill(join(exports, 'others.csv'));
  await page.getByRole('link', { name: 'Cancel' }).click();
  await edit();
  await eventually(() => file.inputValue()).toBe(join(exports, 'members.csv'));
});

test('an edit of a row that could not be saved, and one that is left while it is typed, are saved later', async () => {
  const front = await standBefore(server.url);
  const page = await browser.open(front.url, { refusals: true });
  await logIn(page, server.token('operator'));
  await startImport(page, 'guid,uid\nteam,ada!\nteam,ben!\n', 'wrong.csv');
  await page
    .getByRole('link', { name: /^Repair/ })
    .first()
    .click();
  const cell = (row: number) => page.getByLabel(`uid, row ${row}`, { exact: true });
  await cell(2).fill('ada');
  await page.goBack();
  await page.getByRole('heading', { name: 'wrong.csv', level: 1 }).waitFor();
  await page.goForward();
  await page.getByText('1 ready to send').waitFor();
  await eventually(() => cell(2).inputValue()).toBe('ada');
  await front.goAway();
  await cell(3).fill('ben');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'State' }).getByText('Not saved').waitFor();
  await page.getByText('More', { exact: true }).click();
  await main(page).getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await eventually(() => asksBeforeClosing(page)).toBe(true);
  await front.comeBack();
  await eventually(() => asksBeforeClosing(page)).toBe(false);
  await page.goBack();
  await page.getByText('2 ready to send').waitFor();
  await eventually(() => cell(3).inputValue()).toBe('ben');
});
