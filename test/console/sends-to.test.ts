import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { checkAccess } from './accessibility.ts';
import { eventually, useBrowser } from './browser.ts';

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

test('every page says above all else where it sends; Back and Forward lead from page to page, the title follows, and the heading has the focus', async () => {
  const wide = { width: 1920, height: 1080 };
  const other = await browser.open(`${sandbox.url}/nowhere/at/all`, { refusals: true, viewport: wide });
  const heading = (name: string) => other.getByRole('heading', { name, level: 1 });
  await heading('There is no such page').waitFor();
  await other.getByRole('link', { name: 'All imports' }).click();
  await heading('Imports').waitFor();
  for (const name of ['Now', 'Syncs', 'Schedules', 'Imports']) {
    await other.getByRole('link', { name, exact: true }).first().click();
    await heading(name).waitFor();
    await eventually(() => band(other).textContent()).toBe('Sandbox: nothing reaches real users');
  }
  await other.emulateMedia({ media: 'print' });
  await eventually(() => band(other).isVisible()).toBe(false);
  await other.emulateMedia({ media: 'screen' });

  await sandbox.run('guid,uid\nteam,ada\n', 'name=walk.csv');
  await other.getByRole('link', { name: 'walk.csv' }).first().click();
  await eventually(() => other.title()).toMatch(/walk\.csv · rollcall$/);
  const widthOf = (selector: string) =>
    other
      .locator(selector)
      .first()
      .evaluate((element) => (element as unknown as { clientWidth: number }).clientWidth);
  await other.getByRole('table', { name: 'Rows of the file' }).waitFor();
  await eventually(() => widthOf('.rows table')).toBeGreaterThan(1600);
  await other.getByText('More', { exact: true }).click();
  await other.getByRole('link', { name: 'Settings' }).click();
  await other.locator('h1:focus', { hasText: 'Settings' }).waitFor();
  await other.getByText('More', { exact: true }).click();
  await eventually(() => other.getByRole('link', { name: 'Settings' }).getAttribute('aria-current')).toBe('page');
  await other.goBack();
  await heading('walk.csv').waitFor();
  await other.goForward();
  await heading('Settings').waitFor();
  await eventually(() => other.title()).toMatch(/Settings · rollcall$/);
  await other.getByRole('link', { name: 'Syncs' }).click();
  await heading('Syncs').waitFor();
  await eventually(() => widthOf('p.lead')).toBeLessThan(900);
  await other.getByRole('link', { name: 'Schedules' }).click();
  await other.getByRole('link', { name: 'New schedule' }).click();
  await other.getByText('ROLLCALL_SOURCES').first().waitFor();
  const theirs = await colours(other);
  // Settings that cannot be asked for say why.
  await other.route('**/v1/settings', (route) => route.fulfill({ status: 500, body: '' }));
  await other.goto(`${sandbox.url}/settings`);
  await other.getByRole('region', { name: 'This server' }).getByText('500').waitFor();

  const page = await browser.open(`${real.url}/settings`);
  await eventually(() => band(page).textContent()).toBe(
    'Real service: profile production, cometchat.io (26c04d1b7e9a in us, 26c05f2a8d1c in eu)',
  );
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await checkAccess(page);
  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  await eventually(() => band(page).evaluate((shown) => shown.getBoundingClientRect().top)).toBe(0);
  for (const [at, colour] of (await colours(page)).entries()) expect(colour).not.toBe(theirs[at]);

  // The review, the import, a sync and an export name the profile, the host and the apps.
  const members = Array.from({ length: 120 }, (_, at) => `team,user-${at}\n`).join('');
  const id = await sandbox.run(`guid,uid\n${members}`, 'name=many.csv&dryRun=true');
  // What a server says that sends to the real service. Its news would say the sandbox again.
  const target = { profile: 'production', host: 'cometchat.io', apps: { us: '26c04d1b7e9a' } };
  const facts = ['Profileproduction', 'Servicecometchat.io, for real', 'Apps26c04d1b7e9a in us'];
  const answer = async (address: string, changed: (said: object) => object) =>
    other.route(address, async (route) => {
      const said = await route.fetch();
      await route.fulfill({ json: changed((await said.json()) as object) });
    });
  await other.route('**/v1/events', () => undefined);
  await answer('**/sending*', (said) => ({ ...said, ...target, sandbox: false }));
  await answer(`**/v1/imports/${id}`, (said) => ({ ...said, target, sandbox: false }));
  await other.goto(`${sandbox.url}/imports/${id}`);
  await other.getByRole('button', { name: 'Details', exact: true }).click();
  const shown = other.getByRole('region', { name: 'Facts' }).locator('dl > div');
  await eventually(() => shown.allTextContents()).toEqual(expect.arrayContaining(facts));
  const state = other.getByRole('region', { name: 'State' }).locator('dl > div');
  await eventually(() => state.allTextContents()).toEqual(expect.arrayContaining(facts.slice(0, 2)));

  const syncId = await sandbox.upload('guid,uid\nteam,user-1\n,nobody\n', 'name=few.csv', 'syncs');
  await answer(`**/v1/syncs/${syncId}`, (said) => ({ ...said, target, sandbox: false }));
  await other.goto(`${sandbox.url}/syncs/${syncId}`);
  const wanted = ['Rows that cannot be used1', ...facts];
  await eventually(() => state.allTextContents()).toEqual(expect.arrayContaining(wanted));

  await sandbox.post('/v1/exports', { groups: ['team'] });
  await answer('**/v1/exports', (said) => ({
    exports: (said as { exports: readonly object[] }).exports.map((view) => ({ ...view, target, sandbox: false })),
  }));
  await other.goto(`${sandbox.url}/exports`);
  const listed = other.getByRole('region', { name: 'All exports' }).locator('dl > div');
  await eventually(() => listed.allTextContents()).toEqual(facts);
});
