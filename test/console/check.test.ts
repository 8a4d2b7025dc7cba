import { test } from 'vitest';
import { csvFile, eventually, review, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer({ seed: { users: ['ada', 'ben'], groups: ['choir'] } });

test('before anything is sent, the service is asked which rows would fail; they are left out, corrected, or what is missing is created', async () => {
  const page = await browser.open(server.url);
  const content = 'uid,guid,name\nada,choir,Ada\nghost,choir,Ghost\nben,nowhere,Ben\nben,choir,Ben\n';
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(content, 'checked.csv'));
  await review(page);
  const check = page.getByRole('region', { name: 'Check with the service' });
  await check.getByRole('button', { name: 'Check with the service' }).click();
  await check.getByText('1 row: the user does not exist').waitFor();
  // The rows take fewer calls: what stands above counts only these.
  await check.getByText('at least 4, with those that prepare groups and users').waitFor();
  const verdicts = page.getByRole('table', { name: 'Rows of the file' }).locator('td[data-label=Check]');
  await eventually(() => verdicts.allTextContents()).toEqual([
    ...['will be added', 'would fail ERR_UID_NOT_FOUND', 'would fail ERR_GUID_NOT_FOUND', 'will be added'],
  ]);
  const ways = page.getByLabel('2 rows would fail');
  const chosen = ways.locator('option:checked');
  await eventually(() => chosen.textContent()).toBe('Leave them out');
  await page.getByRole('button', { name: 'Send 2 rows' }).waitFor();
  await check.getByRole('link', { name: 'Show 1 row: the user does not exist' }).click();
  await page.getByRole('region', { name: 'Rows' }).getByText('fail:ERR_UID_NOT_FOUND').waitFor();
  await page.getByRole('button', { name: 'Clear all' }).click();
  await ways.selectOption('Send them as well');
  await page.getByRole('button', { name: 'Send 4 rows' }).waitFor();
  await ways.selectOption('Create 1 group and 1 user');
  await page.getByText('They get the names that the file has for them').waitFor();
  // The choices of a review are there after a reload.
  await page.reload();
  await eventually(() => chosen.textContent()).toBe('Create 1 group and 1 user');
  await ways.selectOption('Leave them out');
  await page.getByRole('button', { name: 'Send 2 rows' }).click();
  await page.getByText('All 2 rows succeeded; 2 rows were left out; every row is accounted for.').first().waitFor();
  const rows = page.getByRole('table', { name: 'Rows of the file' });
  await rows.getByText('the check found that the user does not exist (ERR_UID_NOT_FOUND)').waitFor();
  // Now their outcomes count.
  await eventually(() => verdicts.count()).toBe(0);
  await page.getByRole('region', { name: 'State' }).getByRole('link', { name: 'Correct rows…' }).click();
  await page.getByRole('textbox', { name: 'uid, row 3', exact: true }).waitFor();

  // Rows that would fail are corrected before anything is sent, and are not sent as the file has them.
  await page.goto(server.url);
  const second = 'uid,guid\nada,choir\nghost,choir\nbem,choir\n';
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(second, 'before.csv'));
  await review(page);
  await check.getByRole('button', { name: 'Check with the service' }).click();
  await check.getByRole('link', { name: 'Show 2 rows: the user does not exist' }).click();
  await page.getByText('2 rows to correct: 2 not edited.').waitFor();
  await page.getByText('the user does not exist, as the check says').first().waitFor();
  await page.getByRole('textbox', { name: 'uid, row 4', exact: true }).fill('ben');
  await page.keyboard.press('Enter');
  await page.getByText('1 ready to send').waitFor();
  await page.getByText('Until then, a row with edits is not sent at all.').waitFor();
  await page.getByText('1 not sent now: corrected, they can be sent when this import is over').waitFor();
  await page.getByLabel('2 rows would fail').selectOption('Send them as well');
  await page.getByRole('button', { name: 'Send 2 rows' }).click();
  const over = /^1 of 2 rows succeeded; .*every row is accounted for/;
  await page.getByText(over).first().waitFor();
  const held = Promise.withResolvers<void>();
  await page.route('**/corrections/rows?*', (route) => held.promise.then(() => route.continue()));
  await page.reload();
  const sending = page.getByRole('button', { name: 'Send 1 corrected row…' });
  await sending.waitFor();
  // What is sent is what was seen.
  await eventually(() => sending.isEnabled()).toBe(false);
  held.resolve();
  await sending.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send 1 row' }).click();
  await page.getByText('The only row succeeded; every row is accounted for.').first().waitFor();
});

test('a check whose end is known before its beginning is answered is shown as over', async () => {
  const page = await browser.open(server.url);
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('uid,guid\nada,choir\n', 'quick.csv'));
  await review(page);
  const check = page.getByRole('region', { name: 'Check with the service' });
  await check.getByRole('button', { name: 'Check with the service' }).click();
  const again = check.getByRole('button', { name: 'Check again' });
  await again.waitFor();
  const looks: string[] = [];
  page.on('response', (seen) => {
    if (seen.url().endsWith('/check') && seen.request().method() === 'GET') looks.push(seen.url());
  });
  let before = Number.POSITIVE_INFINITY;
  await page.route(/\/check$/, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const response = await route.fetch();
    await eventually(() => looks.length).toBeGreaterThan(0);
    before = looks.length;
    await route.fulfill({ response });
  });
  await again.click();
  await eventually(() => looks.length > before).toBe(true);
  await again.waitFor();
});
