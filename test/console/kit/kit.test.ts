import type { Server } from 'node:http';
import { afterAll, beforeAll, test } from 'vitest';
import { checkAccess } from '../accessibility.ts';
import { eventually, useBrowser } from '../browser.ts';
import { checkScreens } from '../screens.ts';
import { serveKit } from './serve.ts';

const browser = useBrowser();
let kit: { url: string; server: Server };
beforeAll(async () => {
  kit = await serveKit();
});
afterAll(() => kit.server.close());

test('every part of the kit, in every state, can be used by everyone, light and dark, with colours that the system chooses, on a phone and a desktop', async () => {
  const page = await browser.open(kit.url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  for (const fold of await page.locator('summary').all()) await fold.click();
  await page.getByRole('button', { name: 'Fail' }).click();
  await page.getByText('Wait until it is read.').nth(1).waitFor();
  // The first ones make room.
  await page.getByRole('button', { name: 'Show 3 more users' }).click();
  const back = page.getByRole('button', { name: 'Back to the start' });
  await back.waitFor();
  await checkScreens(page, 'kit');
  // On a phone, where cells are cards, an empty one takes no room.
  await page.setViewportSize({ width: 320, height: 900 });
  const messages = page.locator('td[data-label=Message]');
  await eventually(() => messages.filter({ hasText: 'does not know' }).first().isVisible()).toBe(true);
  await eventually(() => messages.filter({ hasNotText: /\S/ }).filter({ visible: true }).count()).toBe(0);
  await page.setViewportSize({ width: 1440, height: 900 });
  await checkAccess(page);
  await page.emulateMedia({ forcedColors: 'active' });
  await checkAccess(page);
  await page.emulateMedia({ forcedColors: 'none' });
  await back.click();
  await back.waitFor({ state: 'detached' });
  for (const name of ['Question', 'Danger', 'Entry', 'Secret']) {
    await page.getByRole('button', { name, exact: true }).click();
    const dialog = page.getByRole('dialog');
    const yes = dialog.getByRole('button').last();
    if (name === 'Entry') await yes.click();
    await checkAccess(page);
    await (name === 'Secret' ? yes : dialog.getByRole('button').first()).click();
    await dialog.waitFor({ state: 'detached' });
  }
});
