import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { chooseFile, csvFile, eventually, send, sendButton, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

const CONTROLS = 'main :is(a, button, select, summary, label.button, input:not([type=file]))';

test('a first visit becomes an import, and a known good file is sent in two clicks; what then needs a person is counted everywhere, and is gone when it is solved', async () => {
  const page = await browser.open(server.url);
  const icon = () => page.locator('link[rel="icon"]').getAttribute('href');
  await page.getByText('rollcall adds members to chat groups in bulk').waitFor();
  await page.getByText('This server sends to a sandbox').waitFor();
  await page.getByRole('button', { name: 'Try a sample' }).click();
  await page.getByRole('table', { name: 'The first rows' }).waitFor();
  await send(page);
  await page.getByRole('heading', { name: 'sample.csv', level: 1 }).waitFor();
  await page
    .getByText(/every row is accounted for\.$/)
    .first()
    .waitFor();
  await sendsAKnownFile(page);
  await page.getByRole('link', { name: 'Now', exact: true }).click();
  await page.getByRole('region', { name: 'Finished last' }).getByRole('link', { name: 'sample.csv' }).waitFor();
  await eventually(() => page.getByText('rollcall adds members to chat groups in bulk').count()).toBe(0);
  await page.getByText('Nothing needs you.').waitFor();
  await eventually(() => icon()).not.toMatch(/^data:image/);

  await server.upload('guid,uid\nteam,ada\nchoir,ada\n', 'name=tried.csv&first=1&banCheck=false');
  await server.upload('guid,uid\nteam,\nteam,ada\n', 'name=attention.csv&banCheck=false');
  await server.upload('guid,uid\nteam,ben\n', 'name=checked.csv&dryRun=true');
  await server.upload('guid,uid\nteam,new-1\n', 'name=looked.csv', 'syncs');
  const held = await server.upload('guid,uid\nteam,user-1\nteam,\n', 'name=mirror.csv&mode=mirror', 'syncs');
  await page.getByRole('link', { name: 'Imports 2 need you' }).waitFor();
  await page.getByRole('link', { name: 'Syncs 1 need you' }).waitFor();
  await eventually(() => page.title()).toBe('(3) Now · rollcall');
  await eventually(icon).toMatch(/^data:image/);
  const needs = page.getByRole('region', { name: 'Needs you' });
  const ready = page.getByRole('region', { name: 'Ready when you are' });
  await needs.getByText('Paused: 1 of 2 rows succeeded; 1 pending.').waitFor();
  await needs.getByText('Held: guards object to the plan').waitFor();
  await ready.getByRole('link', { name: 'Review and send: checked.csv' }).waitFor();
  await ready.getByRole('link', { name: 'looked.csv' }).waitFor();

  await needs.getByRole('button', { name: /: tried\.csv$/ }).click();
  await needs.getByRole('button', { name: 'Dismiss attention.csv' }).click();
  await needs.getByRole('link', { name: 'attention.csv', exact: true }).waitFor({ state: 'detached' });
  // It is decided elsewhere.
  await server.post(`/v1/syncs/${held}/reject`, { reason: 'not today' });
  await page.getByText('Nothing needs you.').waitFor();
  await eventually(() => page.title()).toBe('Now · rollcall');
  await page.getByRole('region', { name: 'Finished last' }).getByRole('link', { name: 'tried.csv' }).waitFor();
});

test('a list is narrowed down, several imports are tagged, dismissed, deleted and resumed, and Back brings the filter back', async () => {
  for (const name of ['one', 'two']) await server.upload(`guid,uid\nteam,${name}\n`, `name=list-${name}.csv`);
  await server.upload('guid,uid\nteam,\n', 'name=list-bad.csv&tags=broken');
  const page = await browser.open(`${server.url}/imports`);
  const table = page.getByRole('table', { name: 'Imports, newest first' });
  const names = () =>
    table
      .getByRole('rowheader')
      .getByRole('link', { name: /\.csv$/ })
      .allTextContents();
  await page.getByLabel('Search').fill('LIST-');
  await eventually(names).toEqual(['list-bad.csv', 'list-two.csv', 'list-one.csv']);

  await table.getByLabel(/Select list-one/).check();
  await table.getByLabel(/Select list-two/).check();
  const dismiss = page.getByRole('button', { name: 'Dismiss' });
  await eventually(() => dismiss.count()).toBe(0);
  await page.getByRole('button', { name: 'Tag…' }).click();
  const dialog = page.getByRole('dialog');
  const add = dialog.getByLabel('Add');
  await add.fill('autumn, te<rm');
  await page.getByRole('button', { name: 'Save tags' }).click();
  await dialog.locator('#new-add:focus').waitFor();
  await dialog.getByText('“te<rm” cannot be a tag').waitFor();
  await eventually(() => add.inputValue()).toBe('autumn, te<rm');
  await add.fill('autumn, term 1');
  await page.getByRole('button', { name: 'Save tags' }).click();
  await table.getByRole('link', { name: 'autumn' }).first().waitFor();
  await page.getByText('More filters').click();
  await page.getByLabel('Tags', { exact: true }).fill('term 1');
  await eventually(names).toEqual(['list-two.csv', 'list-one.csv']);

  await table.getByRole('link', { name: 'list-one.csv' }).click();
  await page.getByRole('heading', { name: 'list-one.csv', level: 1 }).waitFor();
  // Its page changes them too.
  const tags = page.getByRole('group', { name: 'Tags' });
  const tagging = page.getByRole('dialog', { name: 'Tags of this import' });
  await tags.getByRole('button', { name: 'Change tags…' }).click();
  await tagging.getByLabel('Tags').fill('choir, no<good');
  await tagging.getByRole('button', { name: 'Save tags' }).click();
  await tagging.getByText(/^“no<good” cannot be a tag/).waitFor();
  await tagging.locator('input:focus').waitFor();
  await tagging.getByLabel('Tags').fill('term 1, autumn, 2026');
  await page.keyboard.press('Enter');
  await eventually(() => tags.getByRole('link').allTextContents()).toEqual(['autumn', 'term 1', '2026']);
  await tags.locator('button:focus').waitFor();
  await page.goBack();
  await eventually(names).toEqual(['list-two.csv', 'list-one.csv']);
  await eventually(() => page.getByLabel('Search').inputValue()).toBe('LIST-');
  await eventually(() => page.getByLabel('Tags', { exact: true }).inputValue()).toBe('term 1');
  await page.getByRole('button', { name: 'Clear all' }).click();
  await eventually(() => page.getByLabel('Search').inputValue()).toBe('');
  await page.getByLabel('Search').fill('list-');
  await eventually(() => new URL(page.url()).search).toContain('=list-');
  await eventually(names).toHaveLength(3);

  await table.getByLabel(/Select list-one/).check();
  await page.getByRole('button', { name: 'Select all 3 shown' }).click();
  const answers = page.locator('.bulk-answers').getByRole('listitem');
  await dismiss.click();
  await eventually(() => answers.allTextContents()).toEqual(['list-bad.csv: dismissed']);
  await eventually(() => dismiss.count()).toBe(0);
  await table.getByLabel(/Select list-bad/).check();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await dialog.getByRole('button', { name: /^Delete import/ }).click();
  await eventually(() => answers.allTextContents()).toEqual(['list-bad.csv: deleted']);
  await table.getByRole('row', { name: /list-bad/ }).waitFor({ state: 'detached' });

  // Several that wait are resumed after a question about their rows.
  await server.run('uid,guid\nada,choir\n', 'name=bulk-a.csv&dryRun=true');
  const rooms = Array.from({ length: 120 }, (_, at) => `ada,room-${at}\n`);
  await server.run(`uid,guid\n${rooms.join('')}`, 'name=bulk-b.csv&dryRun=true');
  await page.goto(`${server.url}/imports?state=staged`);
  await page.getByRole('checkbox', { name: /^Select bulk-a.csv/ }).check();
  await page.getByRole('checkbox', { name: /^Select bulk-b.csv/ }).check();
  const resume = page.getByRole('group', { name: 'Selected imports' }).getByRole('button', { name: 'Resume' });
  await resume.click();
  const question = page.getByRole('dialog', { name: 'Resume 2 imports?' });
  await eventually(() => question.locator('dl > div').allTextContents()).toEqual([
    ...['Rows121', 'Groups121', 'Messages in groupsup to 121, one for each change', 'Callsat least 121'],
    ...[
      expect.stringMatching(/^Time(less than a second|at least [\d.]+ s), /),
      'Servicethe sandbox: nothing real changes',
      expect.stringContaining('Apps'),
    ],
  ]);
  await question.getByRole('button', { name: 'Keep them waiting' }).click();
  await page.getByRole('checkbox', { name: /^Select bulk-b.csv/ }).uncheck();
  // What an event says of the import at the same moment does not take the place of the answer.
  const isHeard = Promise.withResolvers<void>();
  await page.route('**/v1/imports?*', async (route) => {
    await isHeard.promise;
    await route.continue();
  });
  await page.clock.setFixedTime(await page.evaluate<number>('Date.now()'));
  // A few rows need no question.
  await resume.click();
  const said = page.locator('#announcements');
  await said.getByText('bulk-a.csv: ').first().waitFor({ state: 'attached' });
  await said.getByText('1 import done.').waitFor({ state: 'attached' });
  isHeard.resolve();
  await page.getByRole('checkbox', { name: /^Select bulk-a/ }).waitFor({ state: 'detached' });
});

/** Few controls stand between, and the same file is known the next time. */
async function sendsAKnownFile(page: Page): Promise<void> {
  await page.goto(`${server.url}/imports/new`);
  const file = 'guid,uid\nteam,ada\nteam,ben\n';
  await chooseFile(page, file, 'good.csv');
  const seen = `[...document.querySelectorAll("${CONTROLS}")].filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 2).length`;
  await eventually(() => page.evaluate<number>(seen)).toBeLessThanOrEqual(8);
  await page.getByRole('button', { name: 'Next: review' }).click();
  // In one screen, without scrolling.
  await sendButton(page).waitFor();
  await eventually(async () => {
    const { y = 900, height = 0 } = (await sendButton(page).boundingBox()) ?? {};
    return y + height;
  }).toBeLessThanOrEqual(900);
  // It may be announced, too: the page saw how the file was read.
  const state = page.getByRole('region', { name: 'State' });
  await state.getByText('All 2 rows can be sent. Nothing has been sent.').waitFor();
  await sendButton(page).click();
  await page.getByText('All 2 rows succeeded; every row is accounted for.').first().waitFor();
  const said = page.locator('[aria-live=polite]').first();
  await eventually(() => said.textContent()).toBe('All 2 rows succeeded; every row is accounted for.');
  await seesWhatThereIs(page);

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Imports' }).click();
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(file, 'again.csv'));
  await page
    .getByText(/^The same file was imported on .+ All 2 rows succeeded; every row is accounted for\. See that import$/)
    .waitFor();
}

/** The first window has the rows of a small import without problems, and the keyboard comes soon to its first action. */
async function seesWhatThereIs(page: Page): Promise<void> {
  await page.getByRole('table', { name: 'Rows of the file' }).waitFor();
  const top = 'document.querySelector(".rows tbody tr").getBoundingClientRect().top + scrollY';
  await eventually(() => page.evaluate<number>(top)).toBeLessThan(900);
  await eventually(() => page.getByText(/^(None|No chart)/).count()).toBe(0);
  const headings = page.getByRole('heading', { level: 2 });
  await eventually(() => headings.allTextContents()).toEqual(['Rows']);
  const history = page.getByRole('region', { name: 'History' });
  await eventually(() => history.count()).toBe(0);
  await page.getByRole('button', { name: 'Details', exact: true }).click();
  await history.getByText('completed', { exact: true }).waitFor();
  await page.getByText('Download report', { exact: true }).click();
  // Nothing stands over it.
  await page.getByRole('link', { name: 'All rows: CSV' }).click({ trial: true });

  // In eight stops, in three by the way past the frame.
  for (const keys of [Array<string>(8).fill('Tab'), ['Tab', 'Enter', 'Tab', 'Tab']]) {
    await page.goto(page.url().replace(/#.*/, ''));
    await page.getByLabel('More actions', { exact: true }).waitFor();
    for (const key of keys) await page.keyboard.press(key);
    const isThere = 'document.activeElement.closest(".state .buttons") !== null';
    await eventually(() => page.evaluate(isThere)).toBe(true);
  }
}
