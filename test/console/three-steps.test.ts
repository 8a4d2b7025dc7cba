import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { asksBeforeClosing, chooseFile, csvFile, eventually, review, send, sendButton, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

const CONTROLS = 'main :is(a, button, select, summary, label.button, input:not([type=file]))';

const completed = (page: Page, rows: string) =>
  page
    .getByText(new RegExp(`^${rows} succeeded; every row is accounted for`, 'i'))
    .first()
    .waitFor();

test('a known good file is sent in two clicks, few controls stand between, and the same file is known the next time', async () => {
  const page = await browser.open(`${server.url}/imports/new`);
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
  await completed(page, 'all 2 rows');
  const said = page.locator('[aria-live=polite]').first();
  await eventually(() => said.textContent()).toBe('All 2 rows succeeded; every row is accounted for.');
  await seesWhatThereIs(page);

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Imports' }).click();
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(file, 'again.csv'));
  await page
    .getByText(/^The same file was imported on .+ All 2 rows succeeded; every row is accounted for\. See that import$/)
    .waitFor();
});

test('of a strange file each suggestion is taken or refused, a refusal leads back to its columns with everything that was entered, a word that nobody decided is not sent, and the mapping is known the next time', async () => {
  const page = await browser.open(`${server.url}/imports/new`);
  const rows = Array.from(
    { length: 12 },
    (_, at) => `user-${at};room-${at};${['Leiter', 'Mitglied', 'Chef'][at % 3]};sings`,
  );
  await page
    .getByLabel(/^Choose/)
    .setInputFiles(csvFile(`Kennung;Raumkennung;Rolle;Bemerkung\n${rows.join('\n')}\n`, 'strange.csv'));
  await page.getByText('It looks like the scope.').waitFor();
  await page.getByRole('button', { name: 'Use it as the user' }).click();
  await page.getByRole('button', { name: 'Use it as the scope' }).click();
  await page.getByLabel('Use of column “Raumkennung”').selectOption('Group (GUID)');
  const words = page.getByRole('region', { name: 'Words of the scope column' });
  await words.getByText('3 words are not decided: 12 rows with them will not be sent.').waitFor();
  await words.getByRole('button', { name: 'Use these 2 meanings' }).click();
  await words.getByText('1 word is not decided: 4 rows with it will not be sent.').waitFor();
  // It is kept.
  await eventually(() => asksBeforeClosing(page)).toBe(false);
  await page.reload();
  await words.getByText('1 word is not decided').waitFor();
  await page.getByText('How the file is read').click();
  const expected = page.getByLabel('Rows that the file must have');
  await page.getByText('Save this mapping').click();
  await page.getByRole('button', { name: 'Save recipe' }).click();
  await page.getByText('Enter a name with letters or digits').waitFor();
  await page.getByLabel('Name of the recipe').fill('Choir list');
  await page.getByRole('button', { name: 'Save recipe' }).click();
  await page.getByText('Saved: Choir list.').waitFor();
  await expected.fill('40');
  await page.getByLabel(/^Without messages/).check();
  await page.getByRole('button', { name: 'Next: review' }).click();
  await page.getByText('has 12 rows, and 40 were expected').first().waitFor();
  await page.reload();
  await page.getByRole('link', { name: 'Back to its columns' }).click();
  await eventually(() => expected.inputValue()).toBe('40');
  await expected.fill('12');
  await review(page);
  const facts = page.getByRole('region', { name: 'State' });
  await facts.getByText('with 8 messages in groups').waitFor();
  await eventually(() => facts.innerText()).toMatch(/Messages in groups\s+none/);
  await facts.getByText(/^8 of 12 rows can be sent; 4 are invalid/).waitFor();
  await page.getByText('"Chef" is not a valid scope').first().waitFor();
  await page.getByRole('link', { name: 'Columns' }).click();
  await page.getByLabel('“Chef”').selectOption('admin');
  await send(page);
  await completed(page, 'all 12 rows');
  // The first reading is not left in the list.
  await eventually(async () => {
    const { imports } = (await (await fetch(`${server.url}/v1/imports`)).json()) as { imports: { file: string }[] };
    return imports.filter(({ file }) => file === 'strange.csv').length;
  }).toBe(1);

  // The mapping is known when a file with the same header comes.
  await page.goto(server.url);
  const template = (await page.getByRole('link', { name: 'Excel' }).getAttribute('href')) ?? '';
  expect((await page.request.get(new URL(template, server.url).href)).status()).toBe(200);
  const next = 'Kennung;Raumkennung;Rolle;Bemerkung\ncyd;choir;Leiter;hums\ndan;choir;Mitglied;\n';
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(next, 'june.csv'));
  const seen = page.getByRole('region', { name: 'What was seen' });
  await seen.getByText('This looks like: Choir list.').waitFor();
  await seen.getByRole('button', { name: 'Use this recipe' }).click();
  await eventually(() => page.getByLabel('Recipe', { exact: true }).inputValue()).toBe('choir-list');
  await page.getByRole('row', { name: /cyd in choir: moderator, us/ }).waitFor();
  await send(page);
  await completed(page, 'all 2 rows');

  // A recipe that comes with rollcall says what has to be added.
  await page.goto(server.url);
  await page
    .getByLabel(/^Choose/)
    .setInputFiles(csvFile('Email address,Nickname,Group status\nada@x.it,Ada,OWNER\n', 'google.csv'));
  await page.getByText('How the file is read').click();
  await page.getByLabel('Recipe', { exact: true }).selectOption('google-groups');
  await page.getByText('A group is needed: the file is about one group.').waitFor();
  await page.getByRole('button', { name: 'Enter one group for all rows…' }).click();
  await page.keyboard.type('choir');
  await page.getByText('A group is needed').waitFor({ state: 'detached' });
});

test('on a phone a file is chosen, reviewed, tried with its first row, and sent', async () => {
  const page = await browser.open(`${server.url}/imports/new`, { viewport: { width: 390, height: 844 } });
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('', 'empty.csv'));
  await page.getByRole('alert').getByText('empty.csv is empty.', { exact: true }).waitFor();
  await chooseFile(page, 'guid,uid\nteam,cyd\nteam,dan\n', 'phone.csv');
  await review(page);
  await page.getByLabel('Send only the first rows').fill('1');
  await page.getByRole('button', { name: 'Send the first row' }).click();
  await page.getByText('Paused: 1 of 2 rows succeeded; 1 pending.').first().waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await completed(page, 'all 2 rows');
  await page.goto(`${server.url}/imports/new/columns?file=none`);
  await page.getByText('This file is not kept in this browser any more.').waitFor();
});

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
