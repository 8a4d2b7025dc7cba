import { test } from 'vitest';
import { eventually, useBrowser } from './browser.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

async function imported(name: string, csv: string, dryRun = false): Promise<void> {
  const answer = await fetch(`${server.url}/v1/imports?name=${name}&banCheck=false&dryRun=${dryRun}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: csv,
  });
  const { id } = (await answer.json()) as { id: string };
  const state = async () => ((await (await fetch(`${server.url}/v1/imports/${id}`)).json()) as { state: string }).state;
  await eventually(state).toBe(dryRun ? 'staged' : 'completed');
}

test('a user is found by a part of the UID, and Enter opens what imports did to them; the service says where they are now', async () => {
  await imported('first.csv', 'guid,uid\nkept,anna-s\nleft,anna-s\nteam,joanna\n');
  await imported('second.csv', 'guid,uid\nclub,ANNA-S\n');
  await imported('checked.csv', 'guid,uid\nband,anna-s\n', true);
  const page = await browser.open(server.url);
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('link', { name: 'Members', exact: true }).click();
  const field = page.getByLabel('UID of a user, or a part of it');
  await field.fill('anna');
  await page.keyboard.press('Enter');
  await page.getByText('2 users with anna in the UID.').waitFor();
  const found = page.getByRole('table', { name: 'Users found' }).getByRole('row');
  await eventually(() => found.nth(1).innerText()).toMatch(/anna-s\s+checked\.csv/);
  await eventually(() => found.nth(2).innerText()).toMatch(/joanna\s+first\.csv/);
  await page.getByRole('link', { name: 'anna-s' }).focus();
  await page.keyboard.press('Enter');
  const rows = page.getByRole('table', { name: 'What imports did to anna-s' }).getByRole('row');
  // The row of an import that is not over.
  await rows.filter({ hasText: 'band' }).getByText('pending').waitFor();
  await rows.filter({ hasText: 'club' }).getByText('added').waitFor();
  await page.goBack();
  await page.getByText('2 users with anna in the UID.').waitFor();
  // A text of two characters is taken for a whole UID.
  await field.fill('zz');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('To search for a part of a UID, enter 3 characters or more.').waitFor();

  await server.service.removeMember('left', 'anna-s');
  await server.service.addMembers('outside', { admins: ['anna-s'] });
  await page.goto(`${server.url}/members/anna-s`);
  await page.getByRole('button', { name: 'Ask where the user is now' }).click();
  await page.getByText('In 3 groups, as the service said').waitFor();
  await page.getByText('1 group is not as imports left it.').waitFor();
  const groups = page.getByRole('table', { name: 'Groups of the user now' }).getByRole('row');
  await eventually(() => groups.nth(1).innerText()).toMatch(
    /left\s+us\s+differs in the history as added, not a member now\s+added, row 3, .*\s+first\.csv/,
  );
  await eventually(() => groups.filter({ hasText: 'kept' }).innerText()).toMatch(/kept\s+us\s+participant\s+added/);
  await eventually(() => groups.filter({ hasText: 'outside' }).innerText()).toMatch(/outside\s+us\s+admin\s+no import/);
  await checkScreens(page, 'member-now');

  // Imports that could not be read are said where nothing was found.
  await page.route('**/v1/members**', async (route) => {
    const reply = await route.fetch();
    await route.fulfill({ json: { ...(await reply.json()), unread: ['imp-lost'] } });
  });
  await field.fill('nobody');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('No import has a user with nobody in the UID.').waitFor();
  await page.getByText('1 import could not be read, so what it did is not here: imp-lost.').waitFor();
});
