import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violations } from './accessibility.ts';
import { asksBeforeClosing, chooseFile, csvFile, eventually, review, useBrowser } from './browser.ts';
import { standBefore } from './front.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' });
const uploads = (page: Page) => page.getByRole('region', { name: 'Uploads' });

/** More than a connection takes at once, and less than the server refuses: rows with a long note. */
const withNotes = (rows: number) =>
  `guid,uid,note\n${Array.from({ length: rows }, (_, at) => `team,user-${at},${'x'.repeat(900_000 / rows)}`).join('\n')}\n`;
const long = withNotes(60);

const namesOf = async (url: string): Promise<string[]> => {
  const { imports } = (await (await fetch(`${url}/v1/imports`)).json()) as { imports: { file: string }[] };
  return imports.map(({ file }) => file);
};
const importsCalled = async (name: string) => (await namesOf(server.url)).filter((file) => file === name).length;

/** Starts an upload that stays under way. */
async function startHeld(name: string) {
  const front = await standBefore(server.url);
  front.hold();
  const page = await browser.open(front.url, { refusals: true });
  await chooseFile(page, long, name);
  await page.getByRole('button', { name: 'Next: review' }).click();
  await page
    .locator('#main')
    .getByText(/^Uploading:/)
    .waitFor();
  return { page, front };
}

test('an upload goes on while the person looks at other pages, and leads to its import', async () => {
  const { page, front } = await startHeld('meanwhile.csv');
  await main(page).getByRole('link', { name: 'Syncs' }).click();
  await page.getByRole('heading', { level: 1, name: 'Syncs' }).waitFor();
  await page.getByRole('heading', { name: 'Syncs', level: 1 }).waitFor();
  const bar = uploads(page);
  await bar.getByText('meanwhile.csv').waitFor();
  await bar.getByText(/of \d+ KB/).waitFor();
  expect(await asksBeforeClosing(page)).toBe(true);
  await checkScreens(page, 'upload-elsewhere');
  await bar.getByRole('link', { name: 'Back to its form' }).click();
  await page
    .locator('#main')
    .getByText(/^Uploading:/)
    .waitFor();
  await eventually(() => bar.count()).toBe(0);
  await page.getByText('More', { exact: true }).click();
  await main(page).getByRole('link', { name: 'Exports' }).click();
  front.release();
  await bar.getByText('meanwhile.csv has been uploaded. Nothing is sent until its page is opened.').waitFor();
  expect(await asksBeforeClosing(page)).toBe(false);
  await bar.getByRole('link', { name: 'See the import' }).click();
  await page.getByRole('heading', { name: 'meanwhile.csv', level: 1 }).waitFor();
  await eventually(() => bar.count()).toBe(0);
  expect(await importsCalled('meanwhile.csv')).toBe(1);
  await main(page).getByRole('link', { name: 'Imports' }).click();
  await page.getByText('Drop a membership file here').waitFor();
});

test('nothing goes on before the first rows are read, and the file stays where a column is missing', async () => {
  const page = await browser.open(server.url);
  const asked = Promise.withResolvers<void>();
  await page.route('**/v1/look?*', async (route) => {
    await asked.promise;
    await route.continue();
  });
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('aaa;bbb\nteam;ada\n', 'foreign.csv'));
  await page.getByText('Reading …').waitFor();
  await page.getByRole('button', { name: 'Next: review', disabled: true }).waitFor();
  asked.resolve();
  await page.locator('.missing p').first().waitFor();
  await page.getByRole('button', { name: 'Next: review' }).click();
  await page.locator('select:focus').waitFor();
  expect(await importsCalled('foreign.csv')).toBe(0);
  await checkScreens(page, 'columns-missing');
});

test('while a file is uploaded, the next one is prepared in the same form', async () => {
  const { page, front } = await startHeld('first.csv');
  await chooseFile(page, 'guid,uid\nteam,bo\n', 'second.csv');
  await uploads(page).getByText('first.csv').waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();
  expect(await asksBeforeClosing(page)).toBe(true);
  await chooseFile(page, 'guid,uid\nteam,bo\n', 'second.csv');
  front.release();
  await uploads(page).getByText('first.csv has been uploaded.').waitFor();
  await page.getByText('second.csv').waitFor();
  await review(page);
  await page.getByRole('heading', { name: 'second.csv', level: 1 }).waitFor();
});

test('a file that is chosen in the moment after another was removed is read', async () => {
  const page = await browser.open(server.url);
  await chooseFile(page, 'guid,uid\nteam,ada\n', 'removed.csv');
  // At once: the page of the next step has not been drawn yet.
  await page.evaluate(`{
    const input = document.getElementById('file');
    const chosen = new DataTransfer();
    chosen.items.add(new File(['guid,uid\\nteam,bo\\n'], 'instead.csv'));
    [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Remove').click();
    input.files = chosen.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }`);
  await page.getByRole('cell', { name: 'bo', exact: true }).waitFor();
  await page.getByText('instead.csv').waitFor();
});

test('an upload is cancelled from another page; its form has the file still', async () => {
  const { page } = await startHeld('cancelled.csv');
  await main(page).getByRole('link', { name: 'Syncs' }).click();
  await page.getByRole('heading', { level: 1, name: 'Syncs' }).waitFor();
  await uploads(page).getByRole('button', { name: 'Cancel' }).click();
  await uploads(page).waitFor({ state: 'detached' });
  await page.goBack();
  await page.getByRole('button', { name: 'Next: review' }).waitFor();
  await page.getByText('cancelled.csv').first().waitFor();
  expect(await importsCalled('cancelled.csv')).toBe(0);
});

test('an upload whose connection breaks is sent again when the server is back, and makes one import', async () => {
  const { page, front } = await startHeld('broken.csv');
  await front.goAway();
  await page.locator('#main').getByText('The connection was lost.').waitFor();
  await main(page).getByRole('link', { name: 'Syncs' }).click();
  await page.getByRole('heading', { level: 1, name: 'Syncs' }).waitFor();
  await uploads(page).getByText('The connection was lost.').waitFor();
  expect(await violations(page)).toEqual([]);
  front.release();
  await front.comeBack();
  await uploads(page).getByText('broken.csv has been uploaded.').waitFor();
  expect(await importsCalled('broken.csv')).toBe(1);
});

test('an upload whose answer was lost makes one import', async () => {
  const front = await standBefore(server.url);
  const page = await browser.open(front.url, { refusals: true });
  await chooseFile(page, 'guid,uid\nteam,ada\n', 'unanswered.csv');
  let answers = 0;
  await page.route('**/v1/imports?*', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const response = await route.fetch();
    answers += 1;
    return answers === 1 ? route.abort('connectionreset') : route.fulfill({ response });
  });
  await review(page);
  await page.getByRole('heading', { name: 'unanswered.csv', level: 1 }).waitFor();
  expect(answers).toBe(2);
  expect(await importsCalled('unanswered.csv')).toBe(1);
});

test('what the server refuses of an upload that nobody watches is said on every page, and beside its field', async () => {
  const page = await browser.open(server.url, { refusals: true });
  const seen = Promise.withResolvers<void>();
  await page.route('**/v1/imports?*', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await seen.promise;
    const detail = 'expectRows is "many"; a number is allowed.';
    return route.fulfill({ status: 400, json: { code: 'BAD_OPTION', status: 400, field: 'expectRows', detail } });
  });
  await chooseFile(page, 'guid,uid\nteam,ada\n', 'refused.csv');
  await page.getByRole('button', { name: 'Next: review' }).click();
  await main(page).getByRole('link', { name: 'Syncs' }).click();
  await page.getByRole('heading', { level: 1, name: 'Syncs' }).waitFor();
  await uploads(page).getByText('refused.csv').waitFor();
  seen.resolve();
  await uploads(page)
    .getByText(/^The upload of refused\.csv failed: /)
    .waitFor();
  await checkScreens(page, 'upload-refused');
  await uploads(page).getByRole('link', { name: 'Back to its form' }).click();
  await page.locator('input:focus').and(page.getByLabel('Rows that the file must have')).waitFor();
  await eventually(() => uploads(page).count()).toBe(0);
});
