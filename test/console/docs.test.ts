import { expect, test } from 'vitest';
import { violations } from './accessibility.ts';
import { useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

test('the documentation of the API fits a small screen, is narrowed down and tried with the keyboard, and is accessible then', async () => {
  const page = await browser.open(`${server.url}/docs`, {
    viewport: { width: 320, height: 700 },
    permissions: ['clipboard-write'],
    refusals: true,
  });
  const isAccessible = async (state: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor();
      expect(await violations(page), `${state}, ${colorScheme}`).toEqual([]);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth'), state).toBe(320);
  };
  const filter = page.getByPlaceholder('Filter by tag or path');
  await filter.fill('audit');
  await isAccessible('closed');
  await page.getByRole('button', { name: 'get /v1/audit' }).press('Enter');
  await page.getByRole('button', { name: 'Try it out' }).press('Enter');
  await isAccessible('with fields');
  await page.getByRole('button', { name: 'Execute' }).press('Enter');
  await page.getByRole('button', { name: 'Clear' }).waitFor();
  await isAccessible('with an answer');

  await filter.fill('tokens');
  await page.getByRole('button', { name: 'post /v1/tokens' }).press('Enter');
  await page.getByRole('button', { name: 'Try it out' }).press('Enter');
  await isAccessible('with a body');
  await page.getByRole('link', { name: 'Back to the console' }).click();
  await page.getByRole('heading', { name: 'Now' }).waitFor();
});
