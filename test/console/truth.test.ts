import { test } from 'vitest';
import { eventually, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer({ seed: { users: ['ada', 'ben', 'cyd'], groups: ['choir'] } });
/** The reply to the first call is lost. */
const lost = useServer({ seed: { users: ['ada', 'ben'], groups: ['choir', 'band'] }, faults: 'reset-after=1' });

test('each row says what was so; an import names what retried and undid it, offers only what is left, and whom an undo left in place is said', async () => {
  await server.run('guid,uid,scope,region\nchoir,ada,ban,us\n', 'name=ban.csv&banCheck=false');
  const rows = ['choir,ada,ban,us', 'choir,cyd,owner,us', 'choir,ben,,mars', 'choir,cyd,,us', 'choir,nobody,,us'];
  const wrong = ['choir,ann!,,us', 'choir,bob!,,us', 'choir,cyd,,us'];
  const csv = `guid,uid,scope,region\n${[...rows, ...wrong].join('\n')}\n`;
  const id = await server.run(csv, 'name=truth.csv&banCheck=false');
  const page = await browser.open(`${server.url}/imports/${id}`);
  const table = page.getByRole('table', { name: 'Rows of the file' }).getByRole('row');
  await table.filter({ hasText: 'ada' }).getByText('banned', { exact: true }).waitFor();
  // Not the default that would stand in for what is wrong.
  await eventually(() => table.filter({ hasText: 'cyd' }).first().textContent()).toContain('usowner');
  await page.getByRole('button', { name: 'Details', exact: true }).click();
  const regions = page.getByRole('region', { name: 'Regions' }).getByRole('listitem');
  await regions.filter({ hasText: 'No region' }).getByText('1 row').waitFor();
  await page.getByRole('button', { name: 'Rows (8)' }).click();
  const problems = page.getByRole('region', { name: 'Problems' });
  // What is no one's work comes last.
  await eventually(() => problems.getByRole('link').last().textContent()).toContain('DUPLICATE');
  await problems.getByRole('link', { name: /BAD_CHARACTER in uid/ }).click();
  await problems.getByText(/For example row 7 “ann!”: .* Also row 8 “bob!”/).waitFor();

  const buttons = page.locator('.state .actions').getByRole('button');
  const more = page.getByLabel('More actions', { exact: true });
  await eventually(() => buttons.allTextContents()).toEqual(['Retry 1 row']);
  await page.getByRole('button', { name: 'Retry 1 row' }).click();
  await page.getByText('Retries rows of').waitFor();
  const retry = page.url().split('/').at(-1) ?? '';
  await page.goBack();
  await page.getByText(/^Retry .*: completed, 0 of 1 rows succeeded\.$/).waitFor();
  await eventually(() => buttons.allTextContents()).toEqual([]);
  await problems.getByRole('link', { name: /ERR_UID_NOT_FOUND/ }).click();
  await problems.getByText(`They went out in retry ${retry}.`).waitFor();
  // They are corrected in the retry.
  await table.filter({ hasText: 'nobody' }).waitFor();

  await more.click();
  await eventually(() => buttons.allTextContents()).toEqual(['Undo import…', 'Delete…']);
  await buttons.first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Plan the undo' }).click();
  await page.getByRole('button', { name: 'Apply 1 change' }).waitFor();
  const undo = page.url();
  await page.goBack();
  await page.getByText('waits for a decision').waitFor();
  await more.click();
  await eventually(() => buttons.allTextContents()).toEqual(['Delete…']);
  // The list hears of what is done elsewhere.
  await page.getByRole('link', { name: 'Imports' }).first().click();
  const row = page.getByRole('row', { name: /truth\.csv/ });
  await row.waitFor();
  await eventually(() => row.textContent()).not.toContain('undone');
  await server.post(`/v1/syncs/${undo.split('/').at(-1)}/apply`);
  await row.getByText('undone').waitFor();

  // An undo says whom it left and why, and takes them back when asked to.
  const halved = await lost.run('guid,uid\nchoir,ada\nchoir,ben\nband,ada\n', 'name=lost.csv&banCheck=false');
  await page.goto(`${lost.url}/imports/${halved}`);
  await page.getByLabel('More actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Undo import…' }).click();
  await page.getByRole('button', { name: 'Plan the undo' }).click();
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply plan' }).click();
  await page.getByText(/^The undo left 2 users in place\. Was there already .* may have done it: 2\.$/).waitFor();
  await page.getByRole('button', { name: 'Take back the 2 uncertain too…' }).click();
  await page.getByRole('checkbox', { checked: true }).waitFor();
  await page.getByRole('button', { name: 'Plan the undo' }).click();
  await page.getByRole('button', { name: 'Approve…' }).waitFor();
});
