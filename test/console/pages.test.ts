import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { checkAccess } from './accessibility.ts';
import { csvFile, eventually, send, startImport, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

/** Nothing in it can be broken into lines. */
const LONG = 'x'.repeat(90);

/** From the narrowest: what is drawn to fit it must not keep a wider page from being right. */
const SCREENS = [
  { width: 320, colorScheme: 'dark' },
  { width: 768, colorScheme: 'light' },
  { width: 1440, colorScheme: 'light' },
] as const;

test('no page is wider than the screen, and each has one heading, named landmarks and controls that a finger can hit', async () => {
  const page = await browser.open(server.url, { refusals: true, viewport: { width: 320, height: 800 } });
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(`guid,${LONG}\n${LONG},${LONG}\n`, `${LONG}.csv`));
  await page.getByText('No column is recognised as the user.').waitFor();
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
  await check(page);
  await page
    .getByLabel(/^Choose/)
    .setInputFiles(csvFile(`guid,uid\n${LONG},${LONG}\n${LONG}!,${LONG}\n`, `${LONG}.csv`));
  await page.getByText('has "!"').waitFor();
  await check(page);
  await send(page);
  await page.getByText('Completed: 1 of 2 rows succeeded').first().waitFor();
  await page.getByRole('link', { name: LONG, exact: true }).first().waitFor();
  await check(page);
  await page.getByRole('link', { name: 'Repair rows…' }).click();
  await page.getByRole('heading', { name: 'Repair rows' }).waitFor();
  await check(page);
  for (const [path, shown] of [
    ['/', `${LONG}.csv`],
    ['/imports?kind=file', `${LONG}.csv`],
    [`/members/${LONG}`, `${LONG}.csv`],
    ['/members', 'Enter a UID'],
    ['/syncs', 'No syncs yet'],
    ['/ending', 'No membership ends'],
    ['/syncs/no-such-one', 'There is no such sync'],
    ['/schedules', 'No schedules yet'],
    ['/exports', 'No exports yet'],
    ['/schedules/new', 'ROLLCALL_SOURCES'],
    ['/audit', 'import.create'],
    ['/settings', 'Largest upload'],
    ['/imports/no-such-one', 'There is no such import'],
  ] as const) {
    await showPath(page, path);
    await page.getByText(shown).first().waitFor();
    await check(page);
  }
  // The filters of a list are folded here, and say how many are set.
  await page.goto(`${server.url}/imports?kind=file`);
  const more = page.getByText('More filters (1 set)');
  await more.waitFor();
  const kind = page.getByLabel('Kind', { exact: true });
  await eventually(() => kind.isVisible()).toBe(false);
  await more.click();
  await eventually(() => kind.inputValue()).toBe('file');
  await page.getByRole('button', { name: 'Clear all' }).click();
  await page.getByText('More filters', { exact: true }).waitFor();
  await eventually(() => new URL(page.url()).search).toBe('');
});

test('back and forward go from page to page, the title follows, and the heading has the focus; a wide screen is used for tables', async () => {
  const page = await browser.open(`${server.url}/nowhere/at/all`, {
    refusals: true,
    viewport: { width: 1920, height: 1080 },
  });
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await page.getByRole('link', { name: 'All imports' }).click();
  await page.getByRole('heading', { name: 'Imports', level: 1 }).waitFor();
  await startImport(page, 'guid,uid\nteam,ada\n', 'walk.csv');
  await eventually(() => page.title()).toMatch(/walk\.csv · rollcall$/);
  const widthOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => (element as unknown as { clientWidth: number }).clientWidth);
  await page.getByRole('table', { name: 'Rows of the file' }).waitFor();
  await eventually(() => widthOf('.rows table')).toBeGreaterThan(1600);
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.locator('h1:focus', { hasText: 'Settings' }).waitFor();
  await page.getByText('More', { exact: true }).click();
  await eventually(() => page.getByRole('link', { name: 'Settings' }).getAttribute('aria-current')).toBe('page');
  await page.goBack();
  await page.getByRole('heading', { name: 'walk.csv', level: 1 }).waitFor();
  await page.goForward();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await eventually(() => page.title()).toMatch(/Settings · rollcall$/);
  await page.getByRole('link', { name: 'Syncs' }).click();
  await page.getByRole('heading', { name: 'Syncs', level: 1 }).waitFor();
  await eventually(() => widthOf('p.lead')).toBeLessThan(900);
});

test('settings that cannot be asked for say why', async () => {
  const page = await browser.open(server.url, { refusals: true });
  await page.route('**/v1/settings', (route) => route.fulfill({ status: 500, body: '' }));
  await page.goto(`${server.url}/settings`);
  await page.getByRole('region', { name: 'This server' }).getByText('500').waitFor();
});

test('with colours that the system chooses, states are distinguished by borders, and shares keep their colours', async () => {
  const page = await browser.open(server.url, { forcedColors: 'active' });
  await startImport(page, 'guid,uid\nteam,ada\nteam,be!n\n', 'forced.csv');
  await page.getByText('Completed: 1 of 2 rows succeeded').first().waitFor();
  const styles = (selector: string, property: string) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => getComputedStyle(one).getPropertyValue('${property}'))`,
    );
  const [current] = await styles('.top nav a[aria-current]', 'border-bottom-color');
  await eventually(() => styles('.top nav a:not([aria-current])', 'border-bottom-color')).not.toContain(current);
  await eventually(async () => new Set(await styles('.state .bar .part', 'background-color')).size).toBe(2);
  await eventually(() => styles('.badge.attention', 'border-top-width')).toContain('2px');
  await checkAccess(page);
  await page.keyboard.press('Tab');
  await eventually(() => styles(':focus', 'outline-style')).toEqual(['solid']);
});

/** Shows a page as Back and Forward do, in the same document: axe is loaded only once. */
async function showPath(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
}

/** Checks the rules for every page. The page is left as narrow as the next one shall be at first. */
async function check(page: Page): Promise<void> {
  const show = async ({ width, colorScheme }: (typeof SCREENS)[number]) => {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
  };
  const right = { tooWide: 0, headings: 1, mains: 1, navigations: 1, unnamed: [], small: [] };
  for (const screen of SCREENS) {
    await show(screen);
    await eventually(() => page.evaluate(PAGE_CHECK)).toEqual(right);
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
    tooWide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    headings: all('h1').length,
    mains: all('main').length,
    navigations: all('header nav[aria-label]').length,
    unnamed: all('input, select, button, a, table caption').filter((control) => nameOf(control).trim() === '').map((control) => control.outerHTML),
  };
})()`;
