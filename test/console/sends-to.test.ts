import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, useBrowser } from './browser.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const sandbox = useServer();
const real = useServer({
  settings: {
    profile: 'production',
    host: 'cometchat.io',
    sandbox: false,
    apps: { us: { appId: '26c04d1b7e9a', keySet: true }, eu: { appId: '26c05f2a8d1c', keySet: true } },
  },
});

const band = (page: Page) => page.getByRole('note', { name: 'Where this server sends' });

/** Its colours, light and dark. */
async function colours(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(await page.evaluate<string>('getComputedStyle(document.querySelector(".sends-to")).backgroundColor'));
  }
  return found;
}

test('every page says above all else whether this is a sandbox, or the profile, host and apps of the real service, in another colour', async () => {
  const other = await browser.open(sandbox.url);
  for (const name of ['Now', 'Imports', 'Syncs', 'Schedules']) {
    await other.getByRole('link', { name, exact: true }).first().click();
    await other.getByRole('heading', { name, level: 1 }).waitFor();
    await eventually(() => band(other).textContent()).toBe('Sandbox: nothing reaches real users');
  }
  await other.emulateMedia({ media: 'print' });
  await eventually(() => band(other).isVisible()).toBe(false);
  await other.emulateMedia({ media: 'screen' });

  const page = await browser.open(real.url);
  await band(page).waitFor();
  await eventually(() => band(page).textContent()).toBe(
    'Real service: profile production, cometchat.io (26c04d1b7e9a in us, 26c05f2a8d1c in eu)',
  );
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await checkScreens(page, 'sends-to-real');
  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  await eventually(() => band(page).evaluate((shown) => shown.getBoundingClientRect().top)).toBe(0);
  const [mine, theirs] = [await colours(page), await colours(other)];
  for (const [at, colour] of mine.entries()) expect(colour).not.toBe(theirs[at]);
});

test('the review before something is sent names the profile and the host, and so does the import', async () => {
  const page = await browser.open(sandbox.url);
  const headers = { 'content-type': 'text/csv' };
  const body = `guid,uid\n${Array.from({ length: 120 }, (_, at) => `team,user-${at}\n`).join('')}`;
  const made = await fetch(`${sandbox.url}/v1/imports?name=many.csv&dryRun=true`, { method: 'POST', headers, body });
  const { id } = (await made.json()) as { id: string };
  const state = async () =>
    ((await (await fetch(`${sandbox.url}/v1/imports/${id}`)).json()) as { state: string }).state;
  await eventually(state).toBe('staged');
  // What a server says that sends to the real service.
  const target = { profile: 'production', host: 'cometchat.io', apps: { us: '26c04d1b7e9a' } };
  await page.route('**/sending*', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...((await answer.json()) as object), ...target, sandbox: false } });
  });
  // Its news would say the sandbox again.
  await page.route('**/v1/events', () => undefined);
  await page.route(`**/v1/imports/${id}`, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...((await answer.json()) as object), sandbox: false, target } });
  });
  await page.goto(`${sandbox.url}/imports/${id}`);
  await page.getByText('Facts', { exact: true }).click();
  await eventually(() => page.locator('#facts dl > div').allTextContents()).toEqual(
    expect.arrayContaining(['Profileproduction', 'Servicecometchat.io, for real', 'Apps26c04d1b7e9a in us']),
  );
  const sending = page.getByRole('region', { name: 'State' }).locator('dl > div');
  await eventually(() => sending.allTextContents()).toEqual(
    expect.arrayContaining(['Profileproduction', 'Servicecometchat.io, for real']),
  );
});

test('a sync and an export say where they go, too', async () => {
  const page = await browser.open(real.url);
  const target = { profile: 'production', host: 'cometchat.io', apps: { us: '26c04d1b7e9a' } };
  const facts = ['Profileproduction', 'Servicecometchat.io, for real', 'Apps26c04d1b7e9a in us'];
  const headers = { 'content-type': 'text/csv' };
  const body = 'guid,uid\nteam,user-1\n,nobody\n';
  const planned = await fetch(`${real.url}/v1/syncs?name=few.csv`, { method: 'POST', headers, body });
  const { id } = (await planned.json()) as { id: string };
  await page.route(`**/v1/syncs/${id}`, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...((await answer.json()) as object), target } });
  });
  await page.goto(`${real.url}/syncs/${id}`);
  await eventually(() => page.getByRole('region', { name: 'State' }).locator('dl > div').allTextContents()).toEqual(
    expect.arrayContaining(['Rows that cannot be used1', ...facts]),
  );

  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"groups":["team"]}' };
  expect((await fetch(`${real.url}/v1/exports`, post)).status).toBe(202);
  await page.route('**/v1/exports', async (route) => {
    const answer = await route.fetch();
    const { exports } = (await answer.json()) as { exports: readonly object[] };
    await route.fulfill({ json: { exports: exports.map((view) => ({ ...view, sandbox: false, target })) } });
  });
  await page.goto(`${real.url}/exports`);
  await eventually(() =>
    page.getByRole('region', { name: 'All exports' }).locator('dl > div').allTextContents(),
  ).toEqual(facts);
});
