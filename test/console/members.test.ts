import { expect, test } from 'vitest';
import { startImport, useBrowser } from './browser.ts';
import { useServerHere } from './serve-here.ts';
import { checkSights } from './sights.ts';

const browser = useBrowser();
const server = useServerHere();

test('a user is found by a part of the UID, and Enter opens what imports did to them', async () => {
  const page = await browser.open(server.url);
  await startImport(page, 'guid,uid\nteam,anna-s\nteam,joanna\n', 'first.csv');
  await page.getByText('Completed: all 2 rows succeeded.').first().waitFor();
  await page.goto(server.url);
  await startImport(page, 'guid,uid\nclub,ANNA-S\n', 'second.csv');
  await page.getByText('Completed: ').first().waitFor();
  await page.getByRole('link', { name: 'Members', exact: true }).click();
  await page.getByLabel('UID of a user, or a part of it').fill('anna');
  await page.keyboard.press('Enter');
  await page.getByText('2 users with anna in the UID.').waitFor();
  const found = page.getByRole('table', { name: 'Users found' }).getByRole('row');
  expect(await found.nth(1).innerText()).toMatch(/ANNA-S\s+2\s+2\s+second\.csv/);
  expect(await found.nth(2).innerText()).toMatch(/joanna\s+1\s+1\s+first\.csv/);
  await checkSights(page, 'members-found');
  await page.getByRole('link', { name: 'ANNA-S' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'What imports did to ANNA-S' }).getByText('club').waitFor();
  await page.goBack();
  await page.getByText('2 users with anna in the UID.').waitFor();
});

test('a text that no UID has says so, and one of two characters is taken for a whole UID', async () => {
  const page = await browser.open(`${server.url}/members?text=zzz`);
  await page.getByText('No import has a user with zzz in the UID.').waitFor();
  await page.getByLabel('UID of a user, or a part of it').fill('zz');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('To search for a part of a UID, enter 3 characters or more.').waitFor();
});
