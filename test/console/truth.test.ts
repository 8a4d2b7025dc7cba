import { expect, test } from 'vitest';
import { violations } from './accessibility.ts';
import { csvFile, eventually, send, startImport, useBrowser } from './browser.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer({ seed: { users: ['ada', 'ben', 'cyd'], groups: ['choir'] } });
/** The reply to the first call is lost. */
const lost = useServer({ seed: { users: ['ada', 'ben'], groups: ['choir', 'band'] }, faults: 'reset-after=1' });
/** Region eu refuses the key: its rows wait for a person. The others go on slowly enough to be looked at. */
const refused = useServer({ callsPerMinute: 120, faults: 'eu:refuse-key' });

test('each row says what was so, also invalid ones and bans; the sum of the regions is that of the file', async () => {
  const page = await browser.open(server.url);
  await startImport(page, 'guid,uid,scope,region\nchoir,ada,ban,us\n', 'ban.csv');
  await page.getByText('Completed: the only row succeeded.').first().waitFor();
  await page.getByRole('link', { name: 'Imports' }).first().click();
  const file = 'guid,uid,scope,region\nchoir,ada,ban,us\nchoir,cyd,owner,us\nchoir,ben,,mars\n';
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(file, 'truth.csv'));
  // Not the defaults that would stand in for what is wrong.
  await page.getByText('Not a scope: “owner”').waitFor();
  await page.getByRole('row', { name: /choir cyd owner us.*cannot be sent/ }).waitFor();
  await page.getByRole('row', { name: /choir ben .*mars.*cannot be sent/ }).waitFor();
  await send(page);
  await page.getByText('completed with problems').first().waitFor();
  const rows = page.getByRole('table', { name: 'Rows of the file' }).getByRole('row');
  await rows.filter({ hasText: 'ada' }).getByText('banned', { exact: true }).waitFor();
  await eventually(() => rows.filter({ hasText: 'cyd' }).textContent()).toContain('choirusowner');
  await page.getByRole('link', { name: 'Regions' }).click();
  const regions = page.getByRole('region', { name: 'Regions' }).getByRole('listitem');
  await regions.filter({ hasText: 'No region' }).getByText('1 row').waitFor();
  expect(await page.getByText(/so far|to come/).count()).toBe(0);

  await page.getByText('More filters').click();
  await page.getByLabel('UID', { exact: true }).fill('cyd');
  await eventually(() => rows.locator('th[scope=row]').allTextContents()).toEqual(['cyd']);
  await page.getByRole('link', { name: 'cyd' }).click();
  await page.getByRole('row', { name: /truth\.csv.*choir.*owner.*invalid.*UNKNOWN_SCOPE/ }).waitFor();
});

test('an import names what retried and undid it, and offers only what is left', async () => {
  const page = await browser.open(server.url);
  await startImport(page, 'guid,uid\nchoir,cyd\nchoir,nobody\n', 'parent.csv');
  const parent = page.url();
  const buttons = page.getByRole('region', { name: 'State' }).getByRole('button');
  await eventually(() => buttons.allTextContents()).toEqual(['Retry 1 row', 'Undo import…']);
  await page.getByRole('button', { name: 'Retry 1 row' }).click();
  await page.getByText('Retries rows of').waitFor();
  await page.goto(parent);
  await page.getByText('Rows that could be sent again were retried (completed): 0 of 1 rows succeeded.').waitFor();
  await eventually(() => buttons.allTextContents()).toEqual(['Undo import…']);

  await page.getByRole('button', { name: 'Undo import…' }).click();
  await page.getByRole('checkbox', { name: /^Also take back what calls without an answer/ }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Plan the undo' }).click();
  await page.getByRole('button', { name: 'Apply 1 change' }).waitFor();
  await page.goto(parent);
  await page.getByText('waits for a decision').waitFor();
  await eventually(() => buttons.allTextContents()).toEqual([]);

  const undo = await page.getByRole('link', { name: 'A plan to undo it' }).getAttribute('href');
  await page.goto(`${server.url}/imports`);
  const row = page.getByRole('row', { name: /parent\.csv/ });
  await row.getByText('completed', { exact: true }).waitFor();
  expect(await row.textContent()).not.toContain('undone');
  await fetch(`${server.url}/v1${undo}/apply`, { method: 'POST' });
  await row.getByText('undone').waitFor();
});

test('rows of a cancelled import that a retry has sent need attention no more, and the import says where they went', async () => {
  const answer = await fetch(`${server.url}/v1/imports?name=stopped.csv&first=1`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: 'guid,uid\nchoir,ben\nchoir,cyd\n',
  });
  const { id } = (await answer.json()) as { id: string };
  const state = async () => ((await (await fetch(`${server.url}/v1/imports/${id}`)).json()) as { state: string }).state;
  await eventually(state).toBe('paused');
  await fetch(`${server.url}/v1/imports/${id}/cancel`, { method: 'POST' });
  await eventually(state).toBe('cancelled');
  const page = await browser.open(`${server.url}/imports/${id}`);
  const problems = page.getByRole('region', { name: 'Problems' });
  await problems.getByText('import the retry file to send them').waitFor();
  await page.getByRole('button', { name: 'Retry 1 row' }).click();
  await page.getByText('Retries rows of').waitFor();
  const retry = page.url().split('/').at(-1) ?? '';
  await page.goto(`${server.url}/imports/${id}`);
  await problems.getByText(`They went out in retry ${retry}.`).waitFor();
  await page.getByText('Download report', { exact: true }).click();
  await page.getByText(`1 row in the columns of your file: they went out in retry ${retry}`).waitFor();
  expect(await page.getByText(/import the retry file|fix them and upload it/).count()).toBe(0);
  await page.goto(`${server.url}/imports`);
  await eventually(() =>
    page
      .getByRole('row', { name: /stopped\.csv/ })
      .getByRole('cell')
      .allTextContents(),
  ).toContain('0');
});

test('an undo says whom it left and why, takes them back when asked to, and is listed as an undo', async () => {
  const { url } = lost;
  const answer = await fetch(`${url}/v1/imports?name=lost.csv&banCheck=false`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: 'guid,uid\nchoir,ada\nchoir,ben\nband,ada\n',
  });
  const { id } = (await answer.json()) as { id: string };
  const settled = async () => ((await (await fetch(`${url}/v1/imports/${id}`)).json()) as { state: string }).state;
  await eventually(settled).toBe('completed');
  const page = await browser.open(`${url}/imports/${id}`);
  await page.getByRole('button', { name: 'Undo import…' }).click();
  await page.getByRole('button', { name: 'Plan the undo' }).click();
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply plan' }).click();
  await page.getByText(/^The undo left 2 users in place\. Was there already .* may have done it: 2\.$/).waitFor();
  await page.getByRole('button', { name: 'Take back the 2 uncertain too…' }).click();
  await page.getByRole('checkbox', { checked: true }).waitFor();
  await page.getByRole('button', { name: 'Plan the undo' }).click();
  await page.getByRole('button', { name: 'Approve…' }).click();
  await page.getByLabel('Reason').fill('no one was there before');
  await page.keyboard.press('Enter');
  await page.getByText('Applied: 2 changes in 1 group.').first().waitFor();
  await page.getByRole('heading', { name: 'Why this plan was held' }).waitFor();
  await page.goto(`${url}/imports`);
  await eventually(() => page.getByRole('link', { name: 'Undo of lost.csv' }).count()).toBe(2);
});

test('a region that is stopped is said in the head at once, while others go on', async () => {
  const page = await browser.open(refused.url);
  const rows = Array.from({ length: 600 }, (_, at) => `group-${at},ada,us\n`).join('');
  await startImport(page, `guid,uid,region\nteam,ada,eu\n${rows}`, 'stopped.csv');
  await page.getByRole('alert').getByText('Region eu is stopped: the service refused its key or plan.').waitFor();
  await page.getByRole('alert').getByText('1 row waits for it, and no attempts were used.').waitFor();
  expect(await page.locator('.state .badge').textContent()).toBe('running');
  expect(await violations(page)).toEqual([]);
  // The next import has the budget for itself.
  await fetch(new URL(`/v1${new URL(page.url()).pathname}/cancel`, refused.url), { method: 'POST' });
});

test('while an import runs, its rows get their outcomes by themselves, and there is an estimate from the first second', async () => {
  const rows = Array.from({ length: 600 }, (_, at) => `crew-${at},ada,us\n`).join('');
  // Asking who is banned in so many groups would take half of the time.
  const upload = await fetch(`${refused.url}/v1/imports?name=follow.csv&banCheck=false`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: `guid,uid,region\n${rows}`,
  });
  const { id } = (await upload.json()) as { id: string };
  const page = await browser.open(`${refused.url}/imports/${id}`);
  await page.getByText(/left$/).waitFor();
  const pending = page.getByRole('table', { name: 'Rows of the file' }).getByText('pending', { exact: true });
  await eventually(() => pending.count()).toBeGreaterThan(0);
  const before = await pending.count();
  await eventually(() => pending.count()).toBeLessThan(before);
  expect(await page.locator('.state .badge').textContent()).toBe('running');
});

test('a problem shows up to three of its rows with their values', async () => {
  const page = await browser.open(server.url);
  await startImport(page, 'guid,uid\nteam,ann!\nteam,ben!\nteam,cyd!\nte!am,dan\n', 'examples.csv');
  await page.getByText('Completed: 0 of 4 rows succeeded').first().waitFor();
  await page
    .getByRole('row', { name: /BAD_CHARACTER in uid For example row 2 “ann!”: .* Also row 3 “ben!”, row 4 “cyd!”/ })
    .waitFor();
  await checkScreens(page, 'problem-examples');
});
