import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, send, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

const EVIL = '<img src=x onerror=alert(1)>';

test('who is where and who did it: a user is found by a part of the UID, with what imports did to them and where they are now; so is an import in the audit log; a group is exported; names that look like markup are text wherever they are shown', async () => {
  const page = await browser.open(server.url, { timezoneId: 'Asia/Tokyo' });
  await showsNamesAsText(page);
  await server.run('guid,uid\nkept,anna-s\nleft,anna-s\nteam,joanna\n', 'name=first.csv');
  const second = await server.run('guid,uid\nclub,ANNA-S\n', 'name=second.csv');
  await server.run('guid,uid\nband,anna-s\n', 'name=checked.csv&dryRun=true');
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

  // Imports that could not be read are said where nothing was found.
  await page.route('**/v1/members**', async (route) => {
    const reply = await route.fetch();
    await route.fulfill({ json: { ...(await reply.json()), unread: ['imp-lost'] } });
  });
  await field.fill('nobody');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('No import has a user with nobody in the UID.').waitFor();
  await page.getByText('1 import could not be read, so what it did is not here: imp-lost.').waitFor();

  // The audit log is found by what was done and leads to it; times are by the clock that the person chooses.
  await page.goto(`${server.url}/settings`);
  await page.getByText('Times in Asia/Tokyo').waitFor();
  await page.getByLabel('Times are shown in').selectOption('utc');
  await page.reload();
  await page.getByText('Times in UTC').waitFor();
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByLabel('Search').fill('second');
  const entries = page.getByRole('table', { name: 'What was done, newest first' }).locator('tbody tr');
  await eventually(() => entries.count()).toBe(1);
  const when = entries.locator('time');
  await eventually(async () => {
    const iso = (await when.getAttribute('datetime')) ?? 'none';
    return (await when.textContent())?.includes(iso.slice(11, 19));
  }).toBe(true);
  await entries.getByRole('link', { name: second }).click();
  await page.getByRole('heading', { name: 'second.csv', level: 1 }).waitFor();
  await page.goBack();
  await eventually(() => entries.count()).toBe(1);

  // Who is in which group is exported, downloaded, and deleted again.
  await page.goto(`${server.url}/exports`);
  await page.getByText('No exports yet.').waitFor();
  await page.getByLabel('Groups', { exact: true }).fill('outside');
  await page.getByRole('button', { name: 'Start export' }).click();
  const link = page.getByRole('link', { name: 'Members: CSV' });
  await link.waitFor();
  await page.getByText(/1 member/).waitFor();
  const file = await page.request.get(new URL((await link.getAttribute('href')) ?? '', server.url).href);
  expect(await file.text()).toContain('anna-s');
  await page.getByRole('button', { name: /^Delete export/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete export' }).click();
  await page.getByText('No exports yet.').waitFor();
});

/** A file is dropped on the page; its names are shown by the import, the history of a user, and the audit log. */
async function showsNamesAsText(page: Page): Promise<void> {
  const csv = `guid,Member ${EVIL},scope\nteam,${EVIL},participant\n${EVIL},ada,participant\nteam,ben,${EVIL}\nteam,cyd,admin\n`;
  const dropped = await page.evaluateHandle(`(() => {
    const carried = new DataTransfer();
    carried.items.add(new File([${JSON.stringify(csv)}], ${JSON.stringify(`${EVIL}.csv`)}));
    return carried;
  })()`);
  await page.locator('.drop').dispatchEvent('dragover', { dataTransfer: dropped });
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped });
  await page.getByText(`${EVIL}.csv`).waitFor();
  await page.getByLabel(`Use of column “Member ${EVIL}”`).selectOption('User (UID)');
  const preview = page.getByRole('table', { name: 'The first rows' }).locator('tbody tr');
  await page.getByText(`Not a scope: “${EVIL}”`).waitFor();
  for (const row of [0, 1, 2]) await eventually(() => preview.nth(row).textContent()).toContain(EVIL);
  await send(page);
  await page.getByRole('heading', { name: `${EVIL}.csv`, level: 1 }).waitFor();
  await page
    .getByText(/^1 of 4 rows succeeded; .*every row is accounted for/)
    .first()
    .waitFor();
  await eventually(() => page.getByRole('region', { name: 'Problems' }).textContent()).toContain(EVIL);
  await page.getByRole('button', { name: 'Details of row' }).first().click();
  await page.locator('.row-detail').getByText(`Member ${EVIL}`).first().waitFor();
  await page
    .getByRole('region', { name: 'Rows', exact: true })
    .getByRole('link', { name: EVIL, exact: true })
    .first()
    .click();
  await page.getByRole('heading', { name: `History of ${EVIL}` }).waitFor();
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('link', { name: 'Audit' }).click();
  await eventually(() => page.getByRole('region', { name: 'Entries' }).textContent()).toContain(`${EVIL}.csv`);
  await page.getByRole('region', { name: 'Entries' }).getByRole('cell', { name: '127.0.0.1' }).first().waitFor();
  await eventually(() => page.locator('main img[src="x"]').count()).toBe(0);
}
