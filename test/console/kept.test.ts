import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { asksBeforeClosing, chooseFile, csvFile, eventually, logIn, startImport, useBrowser } from './browser.ts';
import { standBefore } from './front.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const exports = mkdtempSync(join(tmpdir(), 'rollcall-kept-'));
afterAll(() => rmSync(exports, { recursive: true, force: true }));

const browser = useBrowser();
const server = useServer({ sources: [exports] });
const guarded = useServer({ tokenRequired: true });

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' });

test('a file that was chosen and its columns are there again after a look at another page, and after a reload', async () => {
  const page = await browser.open(server.url);
  await chooseFile(page, 'Member,Room\nada,choir\n', 'kept.csv');
  await page.getByLabel('Use of column “Room”').selectOption('Group (GUID)');
  await main(page).getByRole('link', { name: 'Syncs' }).click();
  await page.getByRole('heading', { level: 1, name: 'Syncs' }).waitFor();
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('uid,guid\nada,choir\n', 'plan.csv'));
  await page.getByLabel('Mode').selectOption('mirror');
  await eventually(() => asksBeforeClosing(page)).toBe(false);
  await page.reload();
  await page.getByText('plan.csv').waitFor();
  await eventually(() => page.getByLabel('Mode').inputValue()).toBe('mirror');
  await main(page).getByRole('link', { name: 'Imports' }).click();
  await page.goBack();
  await eventually(() => page.getByLabel('Mode').inputValue()).toBe('mirror');
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Drop a membership file here').waitFor();
  expect(await asksBeforeClosing(page)).toBe(false);
});

test('a schedule that is being made or edited is there again, until it is saved or discarded', async () => {
  const page = await browser.open(`${server.url}/schedules/new`);
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('nightly');
  await page.getByLabel('File or pattern').fill(join(exports, 'members.csv'));
  expect(await asksBeforeClosing(page)).toBe(true);
  await main(page).getByRole('link', { name: 'Exports' }).click();
  await page.getByRole('heading', { name: 'Exports', level: 1 }).waitFor();
  await page.goBack();
  await page.getByText('This is what you entered before; it is not saved.').waitFor();
  expect(await name.inputValue()).toBe('nightly');
  await checkScreens(page, 'schedule-kept');
  await page.getByRole('button', { name: 'Discard it' }).click();
  await eventually(() => name.inputValue()).toBe('');
  await name.fill('nightly');
  await page.getByLabel('File or pattern').fill(join(exports, 'members.csv'));
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByRole('heading', { name: 'Schedules', level: 1 }).waitFor();
  expect(await asksBeforeClosing(page)).toBe(false);

  await page.getByLabel('More actions for nightly').click();
  await page.getByRole('link', { name: 'Edit: nightly' }).click();
  await page.getByLabel('File or pattern').fill(join(exports, 'others.csv'));
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByLabel('More actions for nightly').click();
  await page.getByRole('link', { name: 'Edit: nightly' }).click();
  await eventually(() => page.getByLabel('File or pattern').inputValue()).toBe(join(exports, 'members.csv'));
});

test('an edit of a row that could not be saved, and one that is left while it is typed, are saved later', async () => {
  const front = await standBefore(server.url);
  const page = await browser.open(front.url, { refusals: true });
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
  expect(await cell(2).inputValue()).toBe('ada');
  await front.goAway();
  await cell(3).fill('ben');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'State' }).getByText('Not saved').waitFor();
  await main(page).getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  expect(await asksBeforeClosing(page)).toBe(true);
  await front.comeBack();
  await eventually(() => asksBeforeClosing(page)).toBe(false);
  await page.goBack();
  await page.getByText('2 ready to send').waitFor();
  expect(await cell(3).inputValue()).toBe('ben');
});

test('logging out asks before it loses what was entered', async () => {
  const page = await browser.open(guarded.url, { refusals: true });
  await logIn(page, guarded.token('operator'));
  await chooseFile(page, 'guid,uid\nteam,ada\n', 'mine.csv');
  await page.getByRole('button', { name: 'Log out' }).click();
  const dialog = page.getByRole('dialog', { name: 'Log out and lose what you entered?' });
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await page.getByText('mine.csv').waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await dialog.getByRole('button', { name: 'Log out' }).click();
  await logIn(page, guarded.token('operator'));
  await page.getByText('Drop a membership file here').waitFor();
});
