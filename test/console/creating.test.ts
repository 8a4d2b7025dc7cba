import { expect, test } from 'vitest';
import { violations } from './accessibility.ts';
import { csvFile, useBrowser } from './browser.ts';
import { useServer } from './served.ts';

const browser = useBrowser();
const server = useServer({ seed: { users: ['ada'], groups: ['choir'] } });

test('missing users are created after a confirmation with their number, and what was created is said', async () => {
  const page = await browser.open(server.url, { refusals: true });
  await page
    .getByLabel(/^Choose/)
    .setInputFiles(csvFile('uid,guid\nada,choir\nben,choir\ncyd,choir\n', 'new-people.csv'));
  await page.getByRole('row', { name: /cyd choir participant/ }).waitFor();
  await page.getByLabel('Create users the service does not know').check();
  await page.getByLabel('Use the UID as the name where there is none').check();
  await page.getByLabel('Most users to create or reactivate').fill('many');
  await page.getByRole('button', { name: 'Start import' }).click();
  await page.locator('#new-maxUsers-error', { hasText: 'many' }).waitFor();
  await page.getByLabel('Most users to create or reactivate').fill('1');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Start import' }).click();

  await page.getByText('The service does not know 2 users, and 1 may be created').first().waitFor();
  await page.getByText('more is missing on the service than may be created').first().waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await page.getByRole('region', { name: 'State' }).getByRole('button').allTextContents()).toEqual([
    'Create 2 users…',
    'Cancel…',
  ]);
  await page.getByRole('button', { name: 'Create 2 users…' }).click();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Create 2 users' }).click();
  await page.getByText('Completed: all 3 rows succeeded.').first().waitFor();
  const state = page.getByRole('region', { name: 'State' });
  await state.getByText('2 users', { exact: true }).waitFor();
  await state.getByText('3 in 1 group', { exact: true }).waitFor();
});
