import { expect, test } from 'vitest';
import { startImport, useBrowser } from './browser.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();
const guarded = useServer({ tokenRequired: true });

test('a user is found by a part of the UID, and Enter opens what imports did to them', async () => {
  const page = await browser.open(server.url);
  await startImport(page, 'guid,uid\nteam,anna-s\nteam,joanna\n', 'first.csv');
  await page.getByText('Completed: all 2 rows succeeded.').first().waitFor();
  await page.goto(server.url);
  await startImport(page, 'guid,uid\nclub,ANNA-S\n', 'second.csv');
  await page.getByText('Completed: ').first().waitFor();
  const init = { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'guid,uid\nband,anna-s\n' };
  await fetch(`${server.url}/v1/imports?name=checked.csv&dryRun=true`, init);
  await page.getByRole('link', { name: 'Members', exact: true }).click();
  await page.getByLabel('UID of a user, or a part of it').fill('anna');
  await page.keyboard.press('Enter');
  await page.getByText('2 users with anna in the UID.').waitFor();
  const found = page.getByRole('table', { name: 'Users found' }).getByRole('row');
  expect(await found.nth(1).innerText()).toMatch(/anna-s\s+checked\.csv/);
  expect(await found.nth(2).innerText()).toMatch(/joanna\s+first\.csv/);
  await checkScreens(page, 'members-found');
  await page.getByRole('link', { name: 'anna-s' }).focus();
  await page.keyboard.press('Enter');
  const rows = page.getByRole('table', { name: 'What imports did to anna-s' }).getByRole('row');
  // Its page says the same of the row of an import that is not over.
  await rows.filter({ hasText: 'band' }).getByText('pending').waitFor();
  await rows.filter({ hasText: 'club' }).getByText('added').waitFor();
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

test('an operator asks the service where a user is now, and sees what is not as imports left it', async () => {
  const page = await browser.open(server.url);
  await startImport(page, 'guid,uid\nkept,otto\nleft,otto\n', 'otto.csv');
  await page.getByText('Completed: all 2 rows succeeded.').first().waitFor();
  await server.service.removeMember('left', 'otto');
  await server.service.addMembers('outside', { admins: ['otto'] });
  await page.goto(`${server.url}/members/otto`);
  await page.getByRole('button', { name: 'Ask where the user is now' }).click();
  await page.getByText('In 2 groups, as the service said').waitFor();
  await page.getByText('1 group is not as imports left it.').waitFor();
  const groups = page.getByRole('table', { name: 'Groups of the user now' }).getByRole('row');
  expect(await groups.nth(1).innerText()).toMatch(
    /left\s+us\s+differs in the history as added, not a member now\s+added, row 3, .*\s+otto\.csv/,
  );
  expect(await groups.nth(2).innerText()).toMatch(/kept\s+us\s+participant\s+added/);
  expect(await groups.nth(3).innerText()).toMatch(/outside\s+us\s+admin\s+no import/);
  await checkScreens(page, 'member-now');
  await page.getByRole('table', { name: 'What imports did to otto' }).waitFor();
});

test('viewers see the history, and cannot ask the service', async () => {
  const page = await browser.open(`${guarded.url}/login`, { refusals: true });
  await page.getByLabel('Token').fill(guarded.token('viewer'));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
  await page.goto(`${guarded.url}/members/otto`);
  await page.getByText('No import has a row for').waitFor();
  expect(await page.getByRole('button', { name: 'Ask where the user is now' }).count()).toBe(0);
});

test('imports that could not be read are said, wherever nothing was found in them', async () => {
  const page = await browser.open(server.url);
  await page.route('**/v1/members**', async (route) => {
    const reply = await route.fetch();
    await route.fulfill({ json: { ...(await reply.json()), unread: ['imp-lost'] } });
  });
  const said = '1 import could not be read, so what it did is not here: imp-lost.';
  await page.goto(`${server.url}/members?text=nobody`);
  await page.getByText(said).waitFor();
  await page.goto(`${server.url}/members/nobody-else`);
  await page.getByText(said).waitFor();
});
