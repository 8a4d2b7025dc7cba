import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { asksBeforeClosing, csvFile, eventually, review, send, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

const completed = (page: Page, rows: string) =>
  page
    .getByText(new RegExp(`^${rows} succeeded; every row is accounted for`, 'i'))
    .first()
    .waitFor();

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
