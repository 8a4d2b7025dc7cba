import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { checkAccess } from './accessibility.ts';
import {
  asksBeforeClosing,
  chooseFile,
  csvFile,
  eventually,
  logIn,
  review,
  send,
  sendButton,
  useBrowser,
} from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer({ tokenRequired: true, seed: { users: ['ada', 'ben', 'cyd'], groups: ['choir'] } });

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' });

const ROSTER = `Member No;Room;Remark
ada;choir;sings
ben;choir;hums
cyd;choir;
nobody-1;choir;left
nobody-2;choir;left
`;

test('from the token to the retried rows: log in, upload, map a column, run, filter, download the retry file, import it; a file that was chosen is there again after a reload and an expired session, and logging out asks before it is lost', async () => {
  const page = await browser.open(server.url, { refusals: true });

  await page.locator(':focus').and(page.getByLabel('Token')).waitFor();
  await logIn(page, 'rct_no_such');
  await page.getByRole('alert').getByText('The token or session is unknown, expired or revoked').waitFor();
  // Said once.
  await eventually(async () =>
    (await page.getByRole('main').innerText()).match(/unknown|revoked|rollcall token create/g),
  ).toEqual([...['rollcall token create', 'unknown', 'revoked']]);
  const first = server.token('operator');
  await logIn(page, first);
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
  await page.getByText('rollcall adds members to chat groups in bulk').waitFor();

  await page.getByLabel(/^Choose/).setInputFiles(csvFile(ROSTER, 'roster.csv'));
  await page.getByText('No column is recognised as the user.').waitFor();
  await page.getByRole('button', { name: 'Next: review' }).click();
  await page.locator('select:focus').and(page.getByLabel('Use of column “Member No”')).waitFor();
  await page.getByLabel('Use of column “Member No”').selectOption('User (UID)');
  await page.getByText('No column is recognised as the group.').waitFor();
  await page.getByLabel('Use of column “Room”').selectOption('Group (GUID)');
  await page.getByRole('row', { name: /ada in choir: participant, us/ }).waitFor();
  await review(page);
  await page.getByLabel('Stop after errors').fill('many');
  await sendButton(page).click();
  await page.locator('#new-maxErrors-error', { hasText: 'many' }).waitFor();
  await page.getByLabel('Stop after errors').fill('50%');
  // What was chosen for the sending would be lost, too.
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
  const leaving = page.getByRole('dialog', { name: 'Log out and lose what you entered?' });
  await leaving.getByRole('button', { name: 'Stay' }).click();
  await sendButton(page).click();

  await page.getByRole('heading', { name: 'roster.csv', level: 1 }).waitFor();
  await page
    .getByText(/^3 of 5 rows succeeded; .*every row is accounted for/)
    .first()
    .waitFor();
  await page
    .getByRole('region', { name: 'Problems' })
    .getByRole('link', { name: /ERR_UID_NOT_FOUND: 2 rows$/ })
    .click();
  const rows = page.getByRole('table', { name: 'Rows of the file' }).locator('tbody tr');
  const wrong = page.getByRole('table', { name: 'Rows to correct' }).getByRole('textbox', { name: /^Member No/ });
  await eventually(() =>
    wrong.evaluateAll((cells) => cells.map((cell) => (cell as unknown as { value: string }).value)),
  ).toEqual([...['nobody-1', 'nobody-2']]);
  await eventually(() => page.url()).toContain('status=failed&code=ERR_UID_NOT_FOUND');
  await page.getByRole('button', { name: 'Clear' }).click();
  await eventually(() => rows.count()).toBe(5);
  await page.getByText('More filters').click();
  await page.getByLabel('UID', { exact: true }).fill('BEN');
  await eventually(() => rows.locator('th').allTextContents()).toEqual(['ben']);

  await page.getByText('Download report', { exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Retry file: Download' }).click(),
  ]);
  const retryFile = readFileSync(await download.path(), 'utf8');
  expect(download.suggestedFilename()).toMatch(/^roster-.*\.csv$/);
  expect(retryFile.trim().split(/\r?\n/)).toEqual([
    'Member No;Room;Remark',
    'nobody-1;choir;left',
    'nobody-2;choir;left',
  ]);

  await page.getByRole('link', { name: 'Imports' }).first().click();
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(retryFile.replaceAll(/nobody-\d/g, 'cyd'), 'fixed.csv'));
  await page.getByLabel('Use of column “Member No”').selectOption('User (UID)');
  await page.getByLabel('Use of column “Room”').selectOption('Group (GUID)');
  await page
    .getByRole('row', { name: /cyd in choir: participant, us/ })
    .first()
    .waitFor();
  await send(page);
  await page
    .getByText(/^1 of 2 rows succeeded; .*every row is accounted for/)
    .first()
    .waitFor();

  await page.getByRole('link', { name: 'cyd' }).first().click();
  await page.getByRole('heading', { name: 'History of cyd' }).waitFor();
  const history = page.getByRole('table').locator('tbody tr');
  await eventually(() => history.count()).toBe(3);
  await eventually(() => history.first().textContent()).toContain('fixed.csv');

  // What was chosen for a sync outlives a look at another page, a reload and the session.
  await main(page).getByRole('link', { name: 'Syncs' }).click();
  await page.getByRole('heading', { level: 1, name: 'Syncs' }).waitFor();
  await chooseFile(page, 'uid,Room\nada,choir\n', 'plan.csv');
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
  // The session ends while a file is prepared. The page may notice by itself: then its dialog covers the button before the click.
  server.revoke(first);
  await page.locator('button', { hasText: 'Create plan' }).evaluate((button: { click(): void }) => button.click());
  const again = page.getByRole('dialog', { name: 'Log in again' });
  await again.getByText('Nothing on this page is lost').waitFor();
  await checkAccess(page);
  await logIn(again, server.token('operator'));
  await again.waitFor({ state: 'detached' });
  await eventually(() => page.getByLabel('Mode').inputValue()).toBe('mirror');
  await page.getByRole('button', { name: 'Create plan' }).waitFor();
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
  await leaving.getByRole('button', { name: 'Stay' }).click();
  await page.getByText('plan.csv').waitFor();
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
  await leaving.getByRole('button', { name: 'Log out' }).click();
  await logIn(page, server.token('operator'));
  await page.getByText('Drop a membership file here').waitFor();
});
