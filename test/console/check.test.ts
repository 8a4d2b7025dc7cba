import { expect, test } from 'vitest';
import { violations } from './accessibility.ts';
import { csvFile, useBrowser } from './browser.ts';
import { useServerHere } from './serve-here.ts';

const browser = useBrowser();
const server = useServerHere({ seed: { users: ['ada', 'ben'], groups: ['choir'] } });

test('before anything is sent, the service is asked which rows would fail; then it starts', async () => {
  const page = await browser.open(server.url);
  await page
    .getByLabel(/^Choose/)
    .setInputFiles(csvFile('uid,guid\nada,choir\nghost,choir\nben,nowhere\n', 'checked.csv'));
  await page.getByLabel('Only check the file').check();
  await page.getByRole('button', { name: 'Check the file' }).click();
  const check = page.getByRole('region', { name: 'Check before sending' });
  await check.getByRole('button', { name: 'Check with the service' }).click();
  await check.getByText('2 rows of 3 would fail or are invalid.').waitFor();
  await check.getByText('the user does not exist').waitFor();
  expect(await violations(page)).toEqual([]);
  const href = await check.getByRole('link', { name: 'Every row: CSV' }).getAttribute('href');
  expect(await (await page.request.get(new URL(href ?? '', server.url).href)).text()).toContain('ERR_UID_NOT_FOUND');
  await page.getByRole('button', { name: 'Start sending' }).click();
  await page.getByText('Completed: 1 of 3 rows succeeded; 2 rows need attention.').first().waitFor();
});
