import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();
/** Height of the browser's page, which has 1440 × 900. */
const WINDOW = 900;

/** Runs a file to its end and opens its page. */
async function imported(csv: string): Promise<Page> {
  const init = { method: 'POST', headers: { 'content-type': 'text/csv' }, body: csv };
  const answer = await fetch(`${server.url}/v1/imports?name=members.csv&banCheck=false`, init);
  const { id } = (await answer.json()) as { id: string };
  const end = async () =>
    ((await (await fetch(`${server.url}/v1/imports/${id}`)).json()) as { finishedAt: unknown }).finishedAt;
  await eventually(end).not.toBeNull();
  const page = await browser.open(`${server.url}/imports/${id}`);
  await page.getByRole('table', { name: 'Rows of the file' }).waitFor();
  return page;
}

const top = (page: Page) =>
  page.evaluate<number>('document.querySelector(".rows tbody tr").getBoundingClientRect().top + scrollY');

test('of a small import without problems, the first window shows the rows, no heading stands over nothing, and a link opens what is folded', async () => {
  const page = await imported('guid,uid\nchoir,ada\nchoir,ben\nchoir,cyd\nband,ada\n');
  await eventually(() => top(page)).toBeLessThan(WINDOW);
  await eventually(() => page.getByText(/^(None|No chart)/).count()).toBe(0);
  await eventually(() => page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
    'Facts',
    'Regions',
    'History',
    'Rows',
  ]);
  const history = page.getByRole('region', { name: 'History' });
  await eventually(() => history.count()).toBe(0);
  await page.getByRole('link', { name: 'History' }).click();
  await history.getByText('completed', { exact: true }).waitFor();
  await page.getByText('Download report', { exact: true }).click();
  await page.getByRole('link', { name: 'All rows: CSV' }).waitFor();
});

test('the keyboard comes to the first action of an import in eight stops, in three by the way past the frame', async () => {
  // No one who is a member already: then there would be nothing to undo.
  const page = await imported('guid,uid\nchoir,kay\n');
  const more = page.getByLabel('More actions', { exact: true });
  await more.waitFor();
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
    return page.evaluate<boolean>('document.activeElement.closest(".state .buttons") !== null');
  };
  expect(await press(...Array<string>(8).fill('Tab'))).toBe(true);
  await page.reload();
  await more.waitFor();
  expect(await press('Tab', 'Enter', 'Tab', 'Tab')).toBe(true);
});

test('of many rows with problems, the problems come first, the rows begin in the second window, and headings stay in sight', async () => {
  const bad = [
    'no such group,user,,',
    'team,user!,,',
    ',user,,',
    'team,,,',
    'team,user,teacher,',
    'team,user,,mars',
    `team,${'u'.repeat(101)},,`,
  ];
  const rows = Array.from({ length: 120 }, (_, at) => bad[at] ?? `team,user-${at},,us`);
  const page = await imported(`guid,uid,scope,region\n${rows.join('\n')}\n`);
  const problems = page.getByRole('table', { name: 'Problems by code' }).locator('tbody tr');
  await eventually(() => problems.count()).toBe(6);
  await eventually(async () => (await page.getByRole('heading', { name: 'Problems' }).boundingBox())?.y).toBeLessThan(
    500,
  );
  await eventually(() => top(page)).toBeLessThan(2 * WINDOW);
  await page.getByRole('button', { name: 'Show all 7 problems' }).click();
  await eventually(() => problems.count()).toBe(7);

  await page.getByRole('rowheader', { name: 'user-90', exact: true }).scrollIntoViewIfNeeded();
  const edges = async (place: Locator) => {
    const { y = Number.NaN, height = Number.NaN } = (await place.boundingBox()) ?? {};
    return { top: Math.round(y), bottom: Math.round(y + height) };
  };
  let bottom = 0;
  await eventually(async () => {
    const main = await edges(page.getByRole('navigation', { name: 'Main' }));
    const parts = await edges(page.getByRole('navigation', { name: 'Parts of this page' }));
    const heading = await edges(page.getByRole('columnheader', { name: 'Outcome' }));
    bottom = parts.bottom;
    return main.top >= 0 && parts.top >= main.bottom && heading.top >= bottom - 1 && heading.bottom < 200;
  }).toBe(true);
  await page.getByRole('link', { name: 'State and actions' }).click();
  const state = page.getByText(/^Completed/).first();
  await eventually(async () => (await state.boundingBox())?.y).toBeGreaterThan(bottom);

  // The first cell to repair is in the upper half of the window.
  await page.getByRole('link', { name: 'Repair rows…' }).click();
  const cell = page.getByRole('textbox', { name: 'guid, row 2' });
  await eventually(async () => (await cell.boundingBox())?.y).toBeLessThan(WINDOW / 2);
});
