import { expect, test } from 'vitest';
import { violations } from './accessibility.ts';
import { memberRows, startImport, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

test('who is in which group is exported, downloaded, and deleted again', async () => {
  const page = await browser.open(server.url);
  await startImport(page, memberRows(3), 'three.csv');
  await page.getByText('Completed: all 3 rows succeeded.').first().waitFor();
  await page.getByRole('link', { name: 'Exports' }).click();
  await page.getByText('No exports yet.').waitFor();
  await page.getByLabel('Groups', { exact: true }).fill('team');
  await page.getByRole('button', { name: 'Start export' }).click();
  const link = page.getByRole('link', { name: 'Members: CSV' });
  await link.waitFor();
  await page.getByText(/3 members/).waitFor();
  expect(await violations(page)).toEqual([]);
  const file = await page.request.get(new URL((await link.getAttribute('href')) ?? '', server.url).href);
  expect(await file.text()).toContain('user-2');
  await page.getByRole('button', { name: /^Delete export/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete export' }).click();
  await page.getByText('No exports yet.').waitFor();
});
