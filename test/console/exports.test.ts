import { expect, test } from 'vitest';
import { checkAccess } from './accessibility.ts';
import { useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const seed = { regions: { us: { members: { team: { participants: ['user-0', 'user-1', 'user-2'] } } } } };
const server = useServer({ seed });

test('who is in which group is exported, downloaded, and deleted again', async () => {
  const page = await browser.open(`${server.url}/exports`);
  await page.getByText('No exports yet.').waitFor();
  await page.getByLabel('Groups', { exact: true }).fill('team');
  await page.getByRole('button', { name: 'Start export' }).click();
  const link = page.getByRole('link', { name: 'Members: CSV' });
  await link.waitFor();
  await page.getByText(/3 members/).waitFor();
  await checkAccess(page);
  const file = await page.request.get(new URL((await link.getAttribute('href')) ?? '', server.url).href);
  expect(await file.text()).toContain('user-2');
  await page.getByRole('button', { name: /^Delete export/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete export' }).click();
  await page.getByText('No exports yet.').waitFor();
});
