import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { checkAccess } from './accessibility.ts';
import { asksBeforeClosing, chooseFile, eventually, logIn, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer({ tokenRequired: true });

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' });

test('a file that was chosen and its columns are there again after a look at another page, a reload, and an expired session; logging out asks before they are lost', async () => {
  const page = await browser.open(`${server.url}/syncs`, { refusals: true });
  const first = server.token('operator');
  await logIn(page, first);
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
  const dialog = page.getByRole('dialog', { name: 'Log out and lose what you entered?' });
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await page.getByText('plan.csv').waitFor();
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
  await dialog.getByRole('button', { name: 'Log out' }).click();
  await logIn(page, server.token('operator'));
  await page.getByText('Drop a membership file here').waitFor();
});
