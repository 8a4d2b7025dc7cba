import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, test } from 'vitest';
import { checkAccess } from './accessibility.ts';
import { csvFile, eventually, logIn, review, sendButton, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-pages-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const browser = useBrowser();
const server = useServer({ tokenRequired: true, sources: [folder] });

/** Nothing in it can be broken into lines. */
const LONG = 'x'.repeat(90);

/** From the narrowest: what is drawn to fit it must not keep a wider page from being right. */
const SCREENS = [
  { width: 320, colorScheme: 'dark' },
  { width: 768, colorScheme: 'light' },
  { width: 1440, colorScheme: 'light' },
] as const;

test('no page is wider than the screen, axe finds nothing, and each has one heading, named landmarks and controls that a finger can hit', async () => {
  const held = await inUse();
  const page = await browser.open(server.url, {
    refusals: true,
    viewport: { width: 320, height: 800 },
    permissions: ['clipboard-write'],
  });
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await check(page, 'login');
  await logIn(page, server.token('admin'));
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(`guid,${LONG},scope\n${LONG},${LONG},chief\n`, `${LONG}.csv`));
  await page.getByText('No column is recognised as the user.').waitFor();
  await page.getByRole('region', { name: 'Words of the scope column' }).waitFor();
  // The choice above a column that has the focus stays above its column.
  const first = page.getByRole('table', { name: 'The first rows' });
  await page.getByRole('button', { name: 'Next: review' }).click();
  await first.locator('select:focus-visible').waitFor();
  const chosen = [first.locator('td:has(select)').nth(1), first.locator('td', { hasText: LONG }).nth(1)];
  await eventually(async () => {
    const lefts = await Promise.all(
      chosen.map(async (cell) => Math.round((await cell.boundingBox())?.x ?? Number.NaN)),
    );
    return new Set(lefts).size;
  }).toBe(1);
  await check(page, 'columns');
  await page
    .getByLabel(/^Choose/)
    .setInputFiles(csvFile(`guid,uid\n${LONG},${LONG}\n${LONG}!,${LONG}\n`, `${LONG}.csv`));
  await page.getByText('has "!"').waitFor();
  await check(page, 'columns-wrong');
  await review(page);
  await check(page, 'review');
  await sendButton(page).click();
  await page
    .getByText(/^1 of 2 rows succeeded; .*every row is accounted for/)
    .first()
    .waitFor();
  await page.getByRole('link', { name: LONG, exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Details of row' }).first().click();
  await page.getByText('What happened').waitFor();
  await check(page, 'import');
  await page.getByRole('link', { name: 'Correct rows…' }).click();
  await page.getByText('1 row to correct').waitFor();
  await check(page, 'to-correct');
  for (const [path, sight] of [
    ['/', 'Held: guards object'],
    ['/imports?kind=file', `${LONG}.csv`],
    [`/members/${LONG}`, `${LONG}.csv`],
    ['/members', 'Enter a UID'],
    ['/syncs', `${LONG}.csv`],
    [`/syncs/${held}`, 'Why this plan is held'],
    ['/ending', 'No membership ends'],
    ['/syncs/no-such-one', 'There is no such sync'],
    ['/schedules', 'nightly'],
    ['/exports', '1 group'],
    ['/schedules/new', 'This schedule only plans'],
    ['/schedules/nightly/edit', 'Edit nightly'],
    ['/audit', 'import.create'],
    ['/settings', 'Largest upload'],
    ['/imports/no-such-one', 'There is no such import'],
  ] as const) {
    await showPath(page, path);
    await page.getByText(sight).first().waitFor();
    if (path.endsWith('/edit')) {
      await page.getByRole('button', { name: 'Show the file' }).click();
      await page.getByRole('row', { name: /ada in team/ }).waitFor();
    }
    if (path === `/members/${LONG}`) {
      await page.getByRole('button', { name: 'Ask where the user is now' }).click();
      await page.getByRole('table', { name: 'Groups of the user now' }).waitFor();
    }
    await check(page, path.replaceAll('/', '_').slice(0, 20));
  }
  // The filters of a list are folded here, and say how many are set.
  await showPath(page, '/imports?kind=file');
  const more = page.getByText('More filters (1 set)');
  await more.waitFor();
  const kind = page.getByLabel('Kind', { exact: true });
  await eventually(() => kind.isVisible()).toBe(false);
  await more.click();
  await eventually(() => kind.inputValue()).toBe('file');
  await page.getByRole('button', { name: 'Clear all' }).click();
  await page.getByText('More filters', { exact: true }).waitFor();
  await eventually(() => new URL(page.url()).search).toBe('');
  await documentsItsApi(page);
});

/** The documentation of the API is narrowed down and tried with the keyboard. */
async function documentsItsApi(page: Page): Promise<void> {
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
}

/** Makes what the pages of a server in use have: what needs a person, a schedule, an export; gives a sync that is held. */
async function inUse(): Promise<string> {
  writeFileSync(join(folder, 'members.csv'), 'guid,uid\nteam,ada\n');
  const named = { name: 'nightly', cron: '30 2 * * *', tz: 'UTC', file: join(folder, 'members.csv') };
  await server.post('/v1/schedules', named);
  await server.post('/v1/exports', { groups: ['team'] });
  await server.run(`guid,uid\nteam,ada\n${LONG},ada\n`, `name=${LONG}.csv&first=1&banCheck=false`);
  await server.run(`guid,uid\nteam,ben\n`, 'name=checked.csv&dryRun=true');
  return server.upload(`guid,uid\n${LONG},user-1\n${LONG},\n`, `name=${LONG}.csv&mode=mirror`, 'syncs');
}

/** Shows a page as Back and Forward do, in the same document: axe is loaded only once. */
async function showPath(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
}

/** Checks the rules for every page; CONSOLE_SHOTS names a folder for pictures of them. The page is left as narrow as the next one shall be at first. */
async function check(page: Page, name: string): Promise<void> {
  const shots = process.env['CONSOLE_SHOTS'];
  const show = async ({ width, colorScheme }: (typeof SCREENS)[number]) => {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
  };
  // Who is not logged in has nowhere to go.
  const navigations = name === 'login' ? 0 : 1;
  const right = { tooWide: 0, headings: 1, mains: 1, navigations, unnamed: [], small: [], framed: [] };
  for (const screen of SCREENS) {
    await show(screen);
    await eventually(() => page.evaluate(PAGE_CHECK)).toEqual(right);
    if (shots !== undefined)
      await page.screenshot({ path: join(shots, `${name}-${screen.width}.png`), fullPage: true });
  }
  await show(SCREENS[0]);
  await checkAccess(page);
}

/** The checks as text, because the tests are compiled without the names of a browser. */
const PAGE_CHECK = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
  const nameOf = (control) =>
    control.getAttribute('aria-label') ?? ([...(control.labels ?? [])].map((label) => label.textContent).join('') || control.textContent);
  const targets = innerWidth > 400 ? [] : all('a, button, input, select, summary').filter((one) => one.closest('thead, .unseen') === null);
  return {
    small: targets.filter((one) => one.getBoundingClientRect().height < 24).map((one) => one.outerHTML),
    framed: all('fieldset').map((one) => getComputedStyle(one).borderTopWidth).filter((width) => width !== '0px'),
    tooWide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    headings: all('h1').length,
    mains: all('main').length,
    navigations: all('header nav[aria-label]').length,
    unnamed: all('input, select, button, a, table caption').filter((control) => nameOf(control).trim() === '').map((control) => control.outerHTML),
  };
})()`;
