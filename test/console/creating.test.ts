import { expect, test } from 'vitest';
import { askerOf } from '../sandbox/open-sandbox.ts';
import { csvFile, eventually, review, sendButton, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer({ seed: { users: ['ada'], groups: ['choir'] } });

test('missing users and groups are created by an import and by a sync, each after a question with their number; a file that removes more than it may waits for one, too', async () => {
  const page = await browser.open(server.url, { refusals: true });
  await page
    .getByLabel(/^Choose/)
    .setInputFiles(csvFile('uid,guid\nada,choir\nben,choir\ncyd,choir\n', 'new-people.csv'));
  await page.getByRole('row', { name: /cyd in choir: participant/ }).waitFor();
  await review(page);
  await page.getByLabel('Create users the service does not know').check();
  await page.getByLabel('Use the UID as the name where there is none').check();
  await page.getByLabel('Most users to create or reactivate').fill('many');
  await sendButton(page).click();
  await page.locator('[id="new-maxCreate.users-error"]', { hasText: 'many' }).waitFor();
  await page.getByLabel('Most users to create or reactivate').fill('1');
  await sendButton(page).click();

  await page.getByText('The service does not know 2 users, and 1 may be created').first().waitFor();
  const buttons = page.locator('.state .actions').getByRole('button');
  await eventually(() => buttons.allTextContents()).toEqual(['Create 2 users…']);
  await page.getByRole('button', { name: 'Create 2 users…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create 2 users' }).click();
  await page.getByText('All 3 rows succeeded; every row is accounted for.').first().waitFor();
  await page.getByRole('button', { name: 'Details', exact: true }).click();
  await page.getByRole('definition').getByText('2 users created', { exact: true }).waitFor();
  await page.getByText('3 in 1 group', { exact: true }).waitFor();

  await page.getByText('Download report', { exact: true }).click();
  const link = page.getByRole('link', { name: 'Created users and groups: CSV' });
  const things = await page.evaluate(
    async (path) => (await fetch(path)).text(),
    (await link.getAttribute('href')) ?? '',
  );
  expect(things).toMatch(/\nuser,us,ben,created,.*\nuser,us,cyd,created,/);
  const id = new URL(page.url()).pathname.split('/').at(-1);
  const undoId = await page.evaluate(async (path) => {
    const answer = (await (await fetch(path, { method: 'POST' })).json()) as { id: string };
    return answer.id;
  }, `/v1/imports/${id}/undo?apply=true`);
  await page.goto(`${server.url}/syncs/${undoId}`);
  await page
    .getByText(/^Applied: 3 changes/)
    .first()
    .waitFor();
  // A plan that counts on ben, who is deleted at the service before it is carried out.
  const syncId = await page.evaluate(async (path) => {
    const init = { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'uid,guid\nben,choir\n' };
    const answer = (await (await fetch(path, init)).json()) as { id: string };
    return answer.id;
  }, '/v1/syncs?name=late.csv&createUsers=true&userNameFrom=uid&maxCreate=0');
  await page.goto(`${server.url}/syncs/${syncId}`);
  await page.getByRole('button', { name: 'Apply 1 change' }).waitFor();
  const service = askerOf(server.sandbox);
  expect((await service.ask('DELETE', '/v3/users/ben', { body: { permanent: true } })).status).toBe(200);
  await service.end();

  // The page of the sync says that its import waits, and leads to it.
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await page
    .getByText(/^Its import waits for you\. .* The service does not know 1 user, and 0 may be created/)
    .waitFor();
  await page.getByRole('link', { name: 'Decide in the import' }).click();
  await page.getByRole('button', { name: 'Create 1 user…' }).waitFor();

  // A sync says what it would create before anything is sent, and creates it when its plan is approved.
  await page.goto(`${server.url}/syncs`);
  const rows = 'uid,guid,group_name\nada,band,The Band\nmia,band,The Band\n';
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(rows, 'band.csv'));
  await page.getByRole('row', { name: /mia in band: participant/ }).waitFor();
  await page.getByLabel('Create users the service does not know').check();
  await page.getByLabel('Use the UID as the name where there is none').check();
  await page.getByLabel('Create groups the service does not know').check();
  await page.getByLabel('Most groups to create').fill('0');
  await page.getByRole('button', { name: 'Create plan' }).click();

  await page.getByText('1 group would be created, band (us); 0 may be').first().waitFor();
  await page.getByText('new, public').first().waitFor();
  const state = page.getByRole('region', { name: 'State' });
  await state.getByText(/^1 group, 1 user; \d calls$/).waitFor();
  await state.getByText('users, groups; at most 100 users, 0 groups').waitFor();
  await state.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('dialog').getByText('created first: 1 group, 1 user').waitFor();
  await page.getByRole('dialog').getByRole('textbox').fill('a new band');
  await page.getByRole('dialog').getByRole('button', { name: 'Approve and apply' }).click();
  await page.getByText('Applied: 2 changes in 1 group.').first().waitFor();

  // A file that removes more than it may waits, and a person sends it.
  const shape = JSON.stringify({ actions: { column: 'what', words: { out: 'remove' } } });
  const query = new URLSearchParams({ name: 'leavers.csv', shape, maxRemovals: '1' });
  const leavers = await server.run('uid,guid,what\nada,choir,out\nmia,choir,out\n', String(query));
  await page.goto(server.url);
  const needs = page.getByRole('region', { name: 'Needs you' });
  await needs.getByRole('link', { name: /^Send 2 rows that remove or ban…: leavers/ }).waitFor();
  await eventually(() => needs.getByRole('button', { name: /leavers/ }).count()).toBe(0);
  await page.goto(`${server.url}/imports/${leavers}`);
  await state.getByText('2 rows remove or ban members, and 1 may.').waitFor();
  await eventually(() => state.textContent()).not.toMatch(/maxRemovals/);
  await page.getByRole('button', { name: 'Send 2 rows that remove or ban…' }).click();
  await page.getByRole('dialog').getByText('at least 2', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Send 2 rows that remove or ban', exact: true }).click();
  await eventually(() => state.textContent()).toContain('All 2 rows succeeded');
});
