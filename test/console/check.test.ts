import { expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { csvFile, review, useBrowser } from './browser.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer({ seed: { users: ['ada', 'ben'], groups: ['choir'] } });

test('before anything is sent, the service is asked which rows would fail; they are left out, or what is missing is created', async () => {
  const page = await browser.open(server.url);
  const content = 'uid,guid,name\nada,choir,Ada\nghost,choir,Ghost\nben,nowhere,Ben\nben,choir,Ben\n';
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(content, 'checked.csv'));
  await review(page);
  const check = page.getByRole('region', { name: 'Check with the service' });
  await check.getByRole('button', { name: 'Check with the service' }).click();
  await check.getByText('1 row: the user does not exist').waitFor();
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
  await checkScreens(page, 'review-checked');
  // The choices of a review are there after a reload.
  await page.reload();
  await eventually(() => chosen.textContent()).toBe('Create 1 group and 1 user');
  await ways.selectOption('Leave them out');
  await page.getByRole('button', { name: 'Send 2 rows' }).click();
  await page.getByText('Completed: 2 of 4 rows succeeded; the others are left out.').first().waitFor();
  const rows = page.getByRole('region', { name: 'Rows' });
  await rows.getByText('the check found that the user does not exist (ERR_UID_NOT_FOUND)').waitFor();
  // Now their outcomes count.
  await eventually(() => verdicts.count()).toBe(0);
  await page.getByRole('region', { name: 'State' }).getByRole('link', { name: 'Repair rows…' }).click();
  await page.getByRole('heading', { level: 1, name: /Repair/ }).waitFor();
});

test('rows that would fail are repaired before anything is sent, and are not sent as the file has them', async () => {
  const page = await browser.open(server.url);
  const content = 'uid,guid\nada,choir\nghost,choir\nbem,choir\n';
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(content, 'before.csv'));
  await review(page);
  const check = page.getByRole('region', { name: 'Check with the service' });
  await check.getByRole('button', { name: 'Check with the service' }).click();
  await check.getByRole('link', { name: 'Repair ERR_UID_NOT_FOUND' }).waitFor();
  await page.getByRole('region', { name: 'Send' }).getByRole('link', { name: 'Repair rows…' }).click();
  await page.getByText('2 rows to repair: 0 ready to send').waitFor();
  await page.getByText('the user does not exist, as the check says').first().waitFor();
  await page.getByRole('textbox', { name: 'uid, row 4', exact: true }).fill('ben');
  await page.keyboard.press('Enter');
  await page.getByText('1 ready to send').waitFor();
  await page.getByText('Until then, a row with edits is not sent at all.').waitFor();
  await page.getByRole('link', { name: 'before.csv' }).click();
  await page.getByText('1 not sent now: repaired, they can be sent when this import is over').waitFor();
  await page.getByLabel('2 rows would fail').selectOption('Send them as well');
  await page.getByRole('button', { name: 'Send 2 rows' }).click();
  const over = 'Completed: 1 of 3 rows succeeded; 1 row was edited and not sent yet; 1 row needs attention.';
  await page.getByText(over).first().waitFor();
  const held = Promise.withResolvers<void>();
  await page.route('**/repair/rows?*', (route) => held.promise.then(() => route.continue()));
  await page.getByRole('region', { name: 'State' }).getByRole('link', { name: 'Repair rows…' }).click();
  const sending = page.getByRole('button', { name: 'Send 1 repaired row…' });
  await sending.waitFor();
  // What is sent is what was seen.
  await eventually(() => sending.isEnabled()).toBe(false);
  held.resolve();
  await sending.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send 1 row' }).click();
  await page.getByText('Completed: the only row succeeded.').first().waitFor();
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
