import { test } from 'vitest';
import { checkAccess } from './accessibility.ts';
import { eventually, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

test('the documentation of the API fits a small screen, is narrowed down and tried with the keyboard, and is accessible then', async () => {
  const page = await browser.open('about:blank', {
    viewport: { width: 320, height: 700 },
    permissions: ['clipboard-write'],
    refusals: true,
  });
  // A few operations: each is drawn in the same way, and all of them take seconds.
  await page.route('**/openapi.json', async (route) => {
    const response = await route.fetch();
    const { paths, ...rest } = (await response.json()) as { paths: object };
    const few = Object.entries(paths).filter(([path]) => ['/v1/recipes/{name}', '/v1/regions'].includes(path));
    await route.fulfill({ response, json: { ...rest, webhooks: {}, paths: Object.fromEntries(few) } });
  });
  await page.goto(`${server.url}/docs`);
  await page.getByRole('button', { name: 'get /v1/regions' }).waitFor();
  await page.getByPlaceholder('Filter by tag or path').fill('recipes');
  await page.getByRole('button', { name: 'get /v1/regions' }).waitFor({ state: 'detached' });
  // It has a parameter and a body.
  await page.getByRole('button', { name: 'put /v1/recipes/{name}' }).press('Enter');
  await page.getByRole('button', { name: 'Try it out' }).press('Enter');
  await page.getByRole('textbox', { name: 'name' }).fill('mine');
  await page.getByRole('button', { name: 'Execute' }).press('Enter');
  await page.getByRole('button', { name: 'Clear' }).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor();
    await checkAccess(page);
  }
  await eventually(() => page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  await page.getByRole('link', { name: 'Back to the console' }).click();
  await page.getByRole('heading', { name: 'Now' }).waitFor();
});
