import { expect, test } from 'vitest';
import { csvFile, eventually, send, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

const FILE = 'Person;Raum;Rolle\nada;choir;OWNER\nben;choir;MEMBER\n';

test('a mapping is saved as a recipe, and suggested for the next file with the same header', async () => {
  const page = await browser.open(server.url);
  const template = page.getByRole('link', { name: 'Excel' });
  expect((await page.request.get(new URL((await template.getAttribute('href')) ?? '', server.url).href)).status()).toBe(
    200,
  );
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(FILE, 'may.csv'));
  const seen = page.getByRole('region', { name: 'What was seen' });
  await seen.waitFor();
  await page.getByLabel('Use of column “Person”').selectOption('User (UID)');
  await page.getByLabel('Use of column “Raum”').selectOption('Group (GUID)');
  await page.getByLabel('Use of column “Rolle”').selectOption('Scope');
  const words = page.getByRole('region', { name: 'Words of the scope column' });
  await words.getByText('2 words are not decided: 2 rows with them will not be sent.').waitFor();
  await page.getByLabel('“OWNER”').selectOption('admin');
  await words.getByText('1 word is not decided: 1 row with it will not be sent.').waitFor();
  await page.getByLabel('“MEMBER”').selectOption('participant');
  await page.getByRole('row', { name: /ada in choir: admin, us/ }).waitFor();
  await page.getByText('How the file is read').click();
  await page.getByText('Save this mapping').click();
  await page.getByRole('button', { name: 'Save recipe' }).click();
  await page.getByText('Enter a name with letters or digits').waitFor();
  await page.getByLabel('Name of the recipe').fill('Choir list');
  await page.getByRole('button', { name: 'Save recipe' }).click();
  await page.getByText('Saved: Choir list.').waitFor();

  await page.goto(server.url);
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(FILE.replace('ben', 'cyd'), 'june.csv'));
  await seen.getByText('This looks like: Choir list.').waitFor();
  await seen.getByRole('button', { name: 'Use this recipe' }).click();
  await eventually(() => page.getByLabel('Recipe', { exact: true }).inputValue()).toBe('choir-list');
  await page.getByRole('row', { name: /cyd in choir: participant, us/ }).waitFor();
  await send(page);
  await page.getByText('All 2 rows succeeded; every row is accounted for.').first().waitFor();

  // One that comes with rollcall says what has to be added.
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
