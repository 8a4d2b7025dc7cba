import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violations } from './accessibility.ts';
import { csvFile, eventually, memberRows, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();
/** Height of the browser's page, which has 1440 × 900. */
const WINDOW = 900;

/** Runs a file to its end and opens its page. */
async function imported(csv: string): Promise<Page> {
  const init = { method: 'POST', headers: { 'content-type': 'text/csv' }, body: csv };
  const { id } = (await (await fetch(`${server.url}/v1/imports?name=members.csv`, init)).json()) as { id: string };
  const end = async () =>
    ((await (await fetch(`${server.url}/v1/imports/${id}`)).json()) as { finishedAt: unknown }).finishedAt;
  await eventually(end).not.toBeNull();
  const page = await browser.open(`${server.url}/imports/${id}`);
  await page.getByRole('table', { name: 'Rows of the file' }).waitFor();
  return page;
}

const top = (page: Page) =>
  page.evaluate<number>('document.querySelector(".rows tbody tr").getBoundingClientRect().top + scrollY');

test('of a small import without problems, the first window shows the rows, and no heading stands over nothing', async () => {
  const page = await imported('guid,uid\nchoir,ada\nchoir,ben\nchoir,cyd\nband,ada\n');
  await eventually(() => top(page)).toBeLessThan(WINDOW);
  expect(await page.getByText(/^(None|No chart)/).count()).toBe(0);
  expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
    'Facts',
    'Regions',
    'History',
    'Rows',
  ]);
});

test('of a thousand rows with problems, the problems come first, and the rows begin in the second window', async () => {
  const bad = [
    'no such group,user,,',
    'team,user!,,',
    ',user,,',
    'team,,,',
    'team,user,teacher,',
    'team,user,,mars',
    `team,${'u'.repeat(101)},,`,
  ];
  const rows = Array.from({ length: 1000 }, (_, at) => bad[at % 20] ?? `team-${at % 40},user-${at},,us`);
  const page = await imported(`guid,uid,scope,region\n${rows.join('\n')}\n`);
  const problems = page.getByRole('table', { name: 'Problems by code' }).locator('tbody tr');
  await eventually(() => problems.count()).toBe(6);
  expect((await page.getByRole('heading', { name: 'Problems' }).boundingBox())?.y).toBeLessThan(500);
  expect(await top(page)).toBeLessThan(2 * WINDOW);
  await page.getByRole('button', { name: 'Show all 7 problems' }).click();
  await eventually(() => problems.count()).toBe(7);
});

test('the way past the frame is seen when it has the focus', async () => {
  const page = await browser.open(server.url);
  await page.keyboard.press('Tab');
  await page.locator('.skip:focus').waitFor();
  expect(
    await page.evaluate(
      '(({ x, y }) => document.elementFromPoint(x + 5, y + 5).className)(document.activeElement.getBoundingClientRect())',
    ),
  ).toBe('skip');
});

test('the first cell to repair stands in the upper half of the window', async () => {
  const page = await imported('guid,uid\nchoir,ada\nchoir,be n\nchoir,cy d\nchoir,eve!\n');
  await page.getByRole('link', { name: 'Repair rows…' }).click();
  const cell = page.getByRole('textbox', { name: 'guid, row 3' });
  await eventually(async () => (await cell.boundingBox())?.y).toBeLessThan(WINDOW / 2);
});

test('the navigation, the parts of the page and the headings of a table stay in sight, one below the other', async () => {
  const page = await imported(memberRows(150));
  await page.getByRole('rowheader', { name: 'user-90', exact: true }).scrollIntoViewIfNeeded();
  const edges = async (place: Locator) => {
    const { y = Number.NaN, height = Number.NaN } = (await place.boundingBox()) ?? {};
    return { top: Math.round(y), bottom: Math.round(y + height) };
  };
  const main = await edges(page.getByRole('navigation', { name: 'Main' }));
  const parts = await edges(page.getByRole('navigation', { name: 'Parts of this page' }));
  const heading = await edges(page.getByRole('columnheader', { name: 'Outcome' }));
  expect(main.top).toBeGreaterThanOrEqual(0);
  expect(parts.top).toBeGreaterThanOrEqual(main.bottom);
  expect(heading.top).toBeGreaterThanOrEqual(parts.bottom - 1);
  expect(heading.bottom).toBeLessThan(200);
  await page.getByRole('link', { name: 'State and actions' }).click();
  await eventually(
    async () =>
      (
        await page
          .getByText(/^Completed/)
          .first()
          .boundingBox()
      )?.y,
  ).toBeGreaterThan(parts.bottom);
});

test('on a phone the choice above a column that has the focus stays above its column', async () => {
  const page = await browser.open(`${server.url}/imports`, { viewport: { width: 390, height: 844 } });
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('person,team\nada,choir\n', 'half.csv'));
  const rows = page.getByRole('table', { name: 'The first rows' });
  const choice = rows.getByRole('combobox').first();
  await choice.waitFor();
  await page.getByRole('button', { name: 'Next: review' }).click();
  await rows.locator('select:focus-visible').waitFor();
  const cells = [
    rows.locator('th', { hasText: /^person$/ }),
    rows.locator('td:has(select)').first(),
    rows.locator('td', { hasText: /^ada$/ }),
  ];
  await eventually(async () => {
    const lefts = await Promise.all(cells.map(async (cell) => Math.round((await cell.boundingBox())?.x ?? Number.NaN)));
    return new Set(lefts).size;
  }).toBe(1);
});

test('a link to a part that is folded opens it', async () => {
  const page = await imported('guid,uid\nchoir,ada\n');
  const history = page.getByRole('region', { name: 'History' });
  expect(await history.count()).toBe(0);
  await page.getByRole('link', { name: 'History' }).click();
  await history.getByText('completed', { exact: true }).waitFor();
  await page.getByText('Download report', { exact: true }).click();
  await page.getByRole('link', { name: 'All rows: CSV' }).waitFor();
  expect(await violations(page)).toEqual([]);
});
