import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { violations } from './accessibility.ts';
import { csvFile, useBrowser } from './browser.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer({ seed: { users: ['ada', 'ben'], groups: ['choir'] } });

test('before anything is sent, the service is asked which rows would fail; then it starts', async () => {
  const page = await browser.open(server.url);
  await page
    .getByLabel(/^Choose/)
    .setInputFiles(csvFile('uid,guid\nada,choir\nghost,choir\nben,nowhere\n', 'checked.csv'));
  await page.getByLabel('Only check the file').check();
  await page.getByRole('button', { name: 'Check the file' }).click();
  const check = page.getByRole('region', { name: 'Check before sending' });
  await check.getByRole('button', { name: 'Check with the service' }).click();
  await check.getByText('1 row: the user does not exist').waitFor();
  expect(await check.textContent()).not.toContain('or are invalid');
  const headline = 'The service was asked: 1 of 3 rows can be sent, 2 would fail. Nothing has been sent.';
  await page.getByText(headline).first().waitFor();
  const verdicts = page.getByRole('table', { name: 'Rows of the file' }).locator('td[data-label=Check]');
  await eventually(() => verdicts.allTextContents()).toEqual([
    'will be added',
    'would fail ERR_UID_NOT_FOUND',
    'would fail ERR_GUID_NOT_FOUND',
  ]);
  expect(await violations(page)).toEqual([]);
  await check.getByRole('link', { name: 'Show 1 row: the user does not exist' }).click();
  const rows = page.getByRole('region', { name: 'Rows' });
  await rows.getByText('fail:ERR_UID_NOT_FOUND').waitFor();
  await eventually(() => rows.innerText()).not.toContain('ben');
  expect(await rows.innerText()).toContain('ghost');
  const start = await browser.open(server.url);
  const ready = start.getByRole('region', { name: 'Ready when you are' });
  await ready.getByText(headline).waitFor();
  await checkScreens(start, 'now-checked');
  await ready.getByRole('button', { name: 'Start with all rows: checked.csv' }).click();
  await start.getByRole('dialog').getByText('2 of them, as the check says').waitFor();
  await start.getByRole('dialog').getByRole('button', { name: 'Do not send' }).click();
  await ready.getByRole('button', { name: 'Start without 2 rows: checked.csv' }).click();
  await start.getByRole('dialog').getByText('2 that would fail, as the check says').waitFor();
  await start.getByRole('dialog').getByRole('button', { name: 'Start without 2 rows' }).waitFor();
  await start.getByRole('dialog').getByRole('button', { name: 'Do not send' }).click();
  await start.close();
  const href = await check.getByRole('link', { name: 'Every row: CSV' }).getAttribute('href');
  expect(await (await page.request.get(new URL(href ?? '', server.url).href)).text()).toContain('ERR_UID_NOT_FOUND');
  await page.getByRole('button', { name: 'Start with all rows' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send 3 rows to the sandbox?' });
  await dialog.getByText('2 of them, as the check says').waitFor();
  await dialog.getByRole('button', { name: 'Start with all rows' }).click();
  await page.getByText('Completed: 1 of 3 rows succeeded; 2 rows need attention.').first().waitFor();
  // Now their outcomes count.
  await eventually(() => verdicts.count()).toBe(0);
});

test('rows that would fail are left out after a question, and the table says why', async () => {
  const page = await browser.open(server.url);
  const content = 'uid,guid\nada,choir\nghost,choir\nben,nowhere\nben,choir\n';
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(content, 'without.csv'));
  await page.getByLabel('Only check the file').check();
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('button', { name: 'Check with the service' }).click();
  const without = page.getByRole('button', { name: 'Start without 2 rows that would fail…' });
  await without.waitFor();
  await without.click();
  const dialog = page.getByRole('dialog', { name: 'Send 2 rows to the sandbox?' });
  await dialog.getByText('2 that would fail, as the check says').waitFor();
  await eventually(() => dialog.locator('dt').allTextContents()).toEqual([
    ...['Rows', 'Left out', 'Checked', 'Groups', 'Messages in groups', 'Calls', 'Time', 'Service', 'Apps'],
  ]);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Do not send' }).click();
  await eventually(() => without.evaluate((button) => button.matches(':focus'))).toBe(true);
  await without.click();
  await dialog.getByRole('button', { name: 'Start without 2 rows' }).click();
  await page.getByText('Completed: 2 of 4 rows succeeded; the others are left out.').first().waitFor();
  const rows = page.getByRole('region', { name: 'Rows' });
  await rows.getByText('the check found that the user does not exist (ERR_UID_NOT_FOUND)').waitFor();
  // The pressed button is gone with the check.
  await eventually(() => page.locator('h1').evaluate((title) => title.matches(':focus'))).toBe(true);
  expect(await violations(page)).toEqual([]);
  // Rows that were left out are the only ones to repair.
  await page.getByRole('region', { name: 'State' }).getByRole('link', { name: 'Repair rows…' }).click();
  await page.getByRole('heading', { level: 1, name: /Repair/ }).waitFor();
});

test('rows that would fail are repaired before anything is sent, and are not sent as the file has them', async () => {
  const page = await browser.open(server.url);
  const content = 'uid,guid\nada,choir\nghost,choir\nbem,choir\n';
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(content, 'before.csv'));
  await page.getByLabel('Only check the file').check();
  await page.getByRole('button', { name: 'Check the file' }).click();
  const check = page.getByRole('region', { name: 'Check before sending' });
  await check.getByRole('button', { name: 'Check with the service' }).click();
  await check.getByRole('link', { name: 'Repair ERR_UID_NOT_FOUND' }).waitFor();
  await check.getByRole('group', { name: 'Ways on' }).getByRole('link', { name: 'Repair rows…' }).click();
  await page.getByText('2 rows to repair: 0 ready to send').waitFor();
  await page.getByText('the user does not exist, as the check says').first().waitFor();
  await page.getByRole('textbox', { name: 'uid, row 4', exact: true }).fill('ben');
  await page.keyboard.press('Enter');
  await page.getByText('1 ready to send').waitFor();
  await page.getByText('Until then, a row with edits is not sent at all.').waitFor();
  await checkScreens(page, 'repair-before');
  await page.getByRole('link', { name: 'before.csv' }).click();
  const edited = '1 row was edited: not sent with the others, but repaired, when this import is over.';
  await page.getByText(`1 of 3 rows can be sent, 2 would fail. Nothing has been sent. ${edited}`).first().waitFor();
  await checkScreens(page, 'repair-before-ways');
  const start = await browser.open(server.url);
  const ready = start.getByRole('region', { name: 'Ready when you are' });
  await ready.getByText(edited).waitFor();
  await ready.getByRole('link', { name: 'Repair rows: before.csv' }).waitFor();
  await ready.getByRole('button', { name: 'Start with all but 1 edited row: before.csv' }).waitFor();
  await start.close();
  await check.getByRole('button', { name: 'Start with all but 1 edited row' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send 2 rows to the sandbox?' });
  await dialog.getByText('1 not sent now: repaired, they can be sent when this import is over').waitFor();
  await dialog.getByText('1 of them, as the check says').waitFor();
  await dialog.getByRole('button', { name: 'Start with all but 1 edited row' }).click();
  const over = 'Completed: 1 of 3 rows succeeded; 1 row was edited and not sent yet; 1 row needs attention.';
  await page.getByText(over).first().waitFor();
  await page.getByRole('region', { name: 'State' }).getByRole('link', { name: 'Repair rows…' }).click();
  await page.getByRole('button', { name: 'Send 1 repaired row…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send 1 row' }).click();
  await page.getByText('Completed: the only row succeeded.').first().waitFor();
});

test('what the check found missing is created at that place, after a question', async () => {
  const page = await browser.open(server.url);
  await page
    .getByLabel(/^Choose/)
    .setInputFiles(csvFile('uid,guid,name\nada,choir,Ada\nfresh,choir,Fresh\nben,attic,Ben\n', 'missing.csv'));
  await page.getByLabel('Only check the file').check();
  await page.getByRole('button', { name: 'Check the file' }).click();
  const check = page.getByRole('region', { name: 'Check before sending' });
  await check.getByRole('button', { name: 'Check with the service' }).click();
  await check.getByRole('button', { name: 'Create 1 user and 1 group…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('They get the names that the file has for them').waitFor();
  // Two groups with one call each, and what is created.
  await eventually(() => dialog.locator('dl > div').allTextContents()).toEqual([
    ...['Rows3', 'Groups2', 'Messages in groupsup to 3, one for each change', 'Callsat least 4'],
    ...[
      expect.stringMatching(/^Timeless than a second, /),
      'Servicethe sandbox: nothing real changes',
      expect.stringContaining('Apps'),
    ],
  ]);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Create 1 user and 1 group and send' }).click();
  await page.getByText('Completed: all 3 rows succeeded.').first().waitFor();
  await page.getByText('Facts', { exact: true }).click();
  await page.getByRole('definition').getByText('1 user, 1 group', { exact: true }).waitFor();
});

test('after a check the ways on stand together in its card, and the state keeps the others', async () => {
  const page = await browser.open(server.url);
  const content = 'uid,guid\nada,choir\nghost,choir\n,choir\n';
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(content, 'ways.csv'));
  await page.getByLabel('Only check the file').check();
  await page.getByRole('button', { name: 'Check the file' }).click();
  const check = page.getByRole('region', { name: 'Check before sending' });
  const texts = (place: Locator) => place.locator('.buttons').first().locator('> :is(button, a)').allTextContents();
  const state = page.getByRole('region', { name: 'State' });
  await check.getByRole('button', { name: 'Check with the service' }).waitFor();
  await eventually(() => texts(state)).toEqual(['Start sending', 'Repair rows…', 'Cancel…']);
  await check.getByRole('button', { name: 'Check with the service' }).click();
  const ways = check.getByRole('group', { name: 'Ways on' });
  await eventually(() => ways.locator('button, a').allTextContents()).toEqual([
    ...['Start without 1 row that would fail…', 'Start with all rows', 'Create 1 user…', 'Repair rows…'],
  ]);
  expect(await texts(state)).toEqual(['Cancel…']);
  expect(await violations(page)).toEqual([]);
});

test('before a hundred rows and more are sent, the page says what that takes and where they go', async () => {
  const page = await browser.open(server.url);
  const lines = Array.from({ length: 120 }, (_, n) => `ada,group-${n}`);
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(`uid,guid\n${lines.join('\n')}\n`, 'many.csv'));
  await page.getByRole('row', { name: /ada in group-0: participant/ }).waitFor();
  await page.getByRole('button', { name: 'Start import' }).click();
  const send = page.getByRole('button', { name: 'Start sending' });
  const dialog = page.getByRole('dialog', { name: 'Send 120 rows to the sandbox?' });
  await dialog.getByText('up to 120, one for each change').waitFor();
  await dialog.getByText('at least 120').waitFor();
  await dialog.getByText('the sandbox: nothing real changes').waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Do not send' }).click();
  await page.getByText('waits for your agreement: 120 rows can be sent. Nothing has been sent.').first().waitFor();
  expect(await page.getByText('dry run').count()).toBe(0);
  const asked = await fetch(`${server.url}/v1${new URL(page.url()).pathname}`);
  expect(await asked.json()).toMatchObject({ state: 'staged', code: 'AWAITS_AGREEMENT', dryRun: false });
  await send.click();
  await dialog.getByRole('button', { name: 'Start sending' }).click();
  await page.getByText('Completed: 0 of 120 rows succeeded; 120 rows need attention.').first().waitFor();
  await page.getByRole('button', { name: 'Retry 120 rows' }).first().click();
  await dialog.getByText('up to 120, one for each change').waitFor();
  await eventually(() => dialog.locator('dt').allTextContents()).toEqual([
    ...['Rows', 'Groups', 'Messages in groups', 'Calls', 'Time', 'Service', 'Apps'],
  ]);
  await dialog.getByText('at least 120').waitFor();

  // Someone else retries them meanwhile.
  await fetch(`${server.url}/v1${new URL(page.url()).pathname}/retry`, { method: 'POST' });
  await page
    .getByText('The import has changed meanwhile: none of its rows is left to send. Close this, and look at it again.')
    .waitFor();
});

test('the question before sending says when somebody else has acted meanwhile', async () => {
  const page = await browser.open(server.url);
  const lines = Array.from({ length: 120 }, (_, n) => `ada,room-${n}`);
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(`uid,guid\n${lines.join('\n')}\n`, 'asked.csv'));
  await page.getByRole('row', { name: /ada in room-0: participant/ }).waitFor();
  await page.getByRole('button', { name: 'Start import' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('up to 120, one for each change').waitFor();
  await fetch(`${server.url}/v1${new URL(page.url()).pathname}/resume`, { method: 'POST' });
  await dialog.getByText(/^The import has changed meanwhile: it is (running|completed) now\./).waitFor();
  expect(await dialog.locator('dt').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
});

test('several imports that wait are resumed in the list after a question about their rows', async () => {
  const upload = (name: string, lines: readonly string[]) =>
    fetch(`${server.url}/v1/imports?name=${name}&dryRun=true`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: `uid,guid\n${lines.join('\n')}\n`,
    });
  await upload('bulk-a.csv', ['ada,choir']);
  const lines = Array.from({ length: 120 }, (_, n) => `ada,room-${n}`);
  await upload('bulk-b.csv', lines);
  const page = await browser.open(`${server.url}/imports?state=staged`);
  await page.getByRole('checkbox', { name: /^Select bulk-a.csv/ }).check();
  await page.getByRole('checkbox', { name: /^Select bulk-b.csv/ }).check();
  const resume = page.getByRole('group', { name: 'Selected imports' }).getByRole('button', { name: 'Resume' });
  await resume.click();
  const dialog = page.getByRole('dialog', { name: 'Resume 2 imports?' });
  await eventually(() => dialog.locator('dl > div').allTextContents()).toEqual([
    ...['Rows121', 'Groups121', 'Messages in groupsup to 121, one for each change', 'Callsat least 121'],
    ...[
      expect.stringMatching(/^Time(less than a second|at least [\d.]+ s), /),
      'Servicethe sandbox: nothing real changes',
      expect.stringContaining('Apps'),
    ],
  ]);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Keep them waiting' }).click();
  await page.getByRole('checkbox', { name: /^Select bulk-b.csv/ }).uncheck();
  // What an event says of the import at the same moment does not take the place of the answer.
  const isHeard = Promise.withResolvers<void>();
  await page.route('**/v1/imports?*', async (route) => {
    await isHeard.promise;
    await route.continue();
  });
  await page.clock.setFixedTime(await page.evaluate<number>('Date.now()'));
  // A few rows need no question.
  await resume.click();
  const said = page.locator('#announcements');
  await said.getByText('bulk-a.csv: ').first().waitFor({ state: 'attached' });
  await said.getByText('1 import done.').waitFor({ state: 'attached' });
  isHeard.resolve();
  await page.getByRole('checkbox', { name: /^Select bulk-a/ }).waitFor({ state: 'detached' });
});
