import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { asksBeforeClosing, chooseFile, csvFile, eventually, review, useBrowser } from './browser.ts';
import { standBefore } from './front.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

const goTo = async (page: Page, name: string) => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
};
const uploads = (page: Page) => page.getByRole('region', { name: 'Uploads' });

/** More than a connection takes at once, and less than the server refuses: rows with a long note. */
const LONG = `guid,uid,note\n${Array.from({ length: 9 }, (_, at) => `team,user-${at},${'x'.repeat(100_000)}`).join('\n')}\n`;

async function importsCalled(name: string): Promise<number> {
  const { imports } = (await (await fetch(`${server.url}/v1/imports`)).json()) as { imports: { file: string }[] };
  return imports.filter(({ file }) => file === name).length;
}

/** Names of the files in the storage of the browser that were uploaded. */
const storedUploads = (page: Page) =>
  page.evaluate<string[]>(`new Promise((resolve) => {
    indexedDB.open('rollcall-files').onsuccess = ({ target: { result: database } }) => {
      database.transaction('files').objectStore('files').getAll().onsuccess = ({ target: { result: files } }) => {
        database.close();
        resolve(files.filter(({ asked }) => asked !== '').map(({ file }) => file.name));
      };
    };
  })`);

const underWay = (page: Page) => page.locator('#main').getByText(/^Uploading:/);

/** Starts an upload that stays under way, as the front holds it. */
async function upload(page: Page, name: string): Promise<void> {
  await chooseFile(page, LONG, name);
  await page.getByRole('button', { name: 'Next: review' }).click();
  await underWay(page).waitFor();
}

test('an upload goes on while the person looks at other pages, and leads to its import; what breaks comes once, and what is cancelled or refused leaves its file in the form', async () => {
  const front = await standBefore(server.url);
  front.hold();
  const page = await browser.open(front.url, { refusals: true });
  await upload(page, 'first.csv');
  await goTo(page, 'Syncs');
  const bar = uploads(page);
  await bar.getByText('first.csv').waitFor();
  await bar.getByText(/of \d+ KB/).waitFor();
  await eventually(() => asksBeforeClosing(page)).toBe(true);
  // The bar is above every page.
  await checkScreens(page, 'upload-elsewhere');
  await bar.getByRole('link', { name: 'Back to its form' }).click();
  await underWay(page).waitFor();
  await eventually(() => bar.count()).toBe(0);
  await chooseFile(page, 'guid,uid\nteam,bo\n', 'second.csv');
  await bar.getByText('first.csv').waitFor();
  // At once: the page of the next step has not been drawn yet.
  await page.evaluate(`{
    const input = document.getElementById('file');
    const chosen = new DataTransfer();
    chosen.items.add(new File(['guid,uid\\nteam,cy\\n'], 'instead.csv'));
    [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Remove').click();
    input.files = chosen.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }`);
  await page.getByRole('cell', { name: 'cy', exact: true }).waitFor();
  await eventually(() => asksBeforeClosing(page)).toBe(true);
  front.release();
  await bar.getByText('first.csv has been uploaded. Nothing is sent until its page is opened.').waitFor();
  await page.getByText('instead.csv').waitFor();
  await review(page);
  await page.getByRole('heading', { name: 'instead.csv', level: 1 }).waitFor();
  await eventually(() => asksBeforeClosing(page)).toBe(false);
  await bar.getByRole('link', { name: 'See the import' }).click();
  await page.getByRole('heading', { name: 'first.csv', level: 1 }).waitFor();
  await eventually(() => bar.count()).toBe(0);
  await eventually(() => importsCalled('first.csv')).toBe(1);
  await goTo(page, 'Imports');
  await page.getByText('Drop a membership file here').waitFor();

  // The page of the columns is there before the server goes away.
  await chooseFile(page, 'uid,guid\nben,choir\n', 'early.csv');
  await front.goAway();
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('uid,guid\nann,choir\n', 'late.csv'));
  await page.getByRole('alert').getByText('The server does not answer.').first().waitFor();
  await front.comeBack();
  await page.getByRole('row', { name: /ann in choir: / }).waitFor();
  await eventually(() => page.getByRole('alert').getByText('The server does not answer.').count()).toBe(0);

  front.hold();
  await upload(page, 'broken.csv');
  await front.goAway();
  await page.locator('#main').getByText('The connection was lost.').waitFor();
  await goTo(page, 'Syncs');
  await uploads(page).getByText('The connection was lost.').waitFor();
  front.release();
  await front.comeBack();
  await uploads(page).getByText('broken.csv has been uploaded.').waitFor();
  await uploads(page).getByRole('button', { name: 'Dismiss' }).click();
  await eventually(() => importsCalled('broken.csv')).toBe(1);

  await goTo(page, 'Imports');
  front.hold();
  await upload(page, 'cancelled.csv');
  await goTo(page, 'Syncs');
  await uploads(page).getByRole('button', { name: 'Cancel' }).click();
  await uploads(page).waitFor({ state: 'detached' });
  await page.goBack();
  await page.getByRole('button', { name: 'Next: review' }).waitFor();
  await page.getByText('cancelled.csv').first().waitFor();
  await eventually(() => importsCalled('cancelled.csv')).toBe(0);

  await page.getByRole('button', { name: 'Remove' }).click();
  front.release();
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
  await eventually(async () => [answers, await importsCalled('unanswered.csv')]).toEqual([2, 1]);

  // The same file, fixed, is another upload.
  await page.getByRole('link', { name: 'Columns' }).click();
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('guid,uid\nteam,ben\nteam,cyd\n', 'unanswered.csv'));
  await page.getByRole('cell', { name: 'cyd', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Next: review' }).click();
  await page.getByRole('button', { name: 'Send 2 rows' }).waitFor();

  await goTo(page, 'Imports');
  const seen = Promise.withResolvers<void>();
  await page.route('**/v1/imports?*', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await seen.promise;
    const detail = 'expectRows is "many"; a number is allowed.';
    return route.fulfill({ status: 400, json: { code: 'BAD_OPTION', status: 400, field: 'expectRows', detail } });
  });
  await chooseFile(page, 'guid,uid\nteam,ada\n', 'refused.csv');
  await page.getByRole('button', { name: 'Next: review' }).click();
  await goTo(page, 'Syncs');
  await uploads(page).getByText('refused.csv').waitFor();
  seen.resolve();
  await uploads(page)
    .getByText(/^The upload of refused\.csv failed: /)
    .waitFor();
  await uploads(page).getByRole('link', { name: 'Back to its form' }).click();
  await page.locator('input:focus').and(page.getByLabel('Rows that the file must have')).waitFor();
  await eventually(() => uploads(page).count()).toBe(0);
});

test('a file whose upload was answered to a page that is reloaded makes one import, however often it is sent', async () => {
  const page = await browser.open(`${server.url}/imports`, { refusals: true });
  await chooseFile(page, 'guid,uid\nteam,dot\n', 'reloaded.csv');
  const answered = Promise.withResolvers<void>();
  await page.route('**/v1/imports?*', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch();
    answered.resolve();
  });
  await page.getByRole('button', { name: 'Next: review' }).click();
  await answered.promise;
  await eventually(() => storedUploads(page)).toContain('reloaded.csv');
  await page.unroute('**/v1/imports?*');
  await page.reload();
  await page.getByRole('cell', { name: 'dot', exact: true }).waitFor();
  await review(page);
  await page.getByRole('heading', { name: 'reloaded.csv', level: 1 }).waitFor();
  await eventually(() => importsCalled('reloaded.csv')).toBe(1);
});
