import { test } from 'vitest';
import { eventually, useBrowser } from './browser.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer({ seed: { users: ['ada', 'ben', 'cyd'], groups: ['choir'] } });
/** The reply to the first call is lost. */
const lost = useServer({ seed: { users: ['ada', 'ben'], groups: ['choir', 'band'] }, faults: 'reset-after=1' });
/** Region eu refuses the key: its rows wait for a person. The others go on slowly enough to be looked at. */
const refused = useServer({ callsPerMinute: 120, faults: 'eu:refuse-key' });

/** Hands a file in over the API; gives the address of its page, when the import has begun or has ended. */
async function imported(url: string, name: string, csv: string, isOver = true): Promise<string> {
  const answer = await fetch(`${url}/v1/imports?name=${name}&banCheck=false`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: csv,
  });
  const { id } = (await answer.json()) as { id: string };
  const end = async () =>
    ((await (await fetch(`${url}/v1/imports/${id}`)).json()) as { finishedAt: unknown }).finishedAt;
  if (isOver) await eventually(end).not.toBeNull();
  return `${url}/imports/${id}`;
}

test('each row says what was so; an import names what retried and undid it, and offers only what is left', async () => {
  await imported(server.url, 'ban.csv', 'guid,uid,scope,region\nchoir,ada,ban,us\n');
  const rows = ['choir,ada,ban,us', 'choir,cyd,owner,us', 'choir,ben,,mars', 'choir,cyd,,us', 'choir,nobody,,us'];
  const wrong = ['choir,ann!,,us', 'choir,bob!,,us', 'choir,cyd,,us'];
  const address = await imported(server.url, 'truth.csv', `guid,uid,scope,region\n${[...rows, ...wrong].join('\n')}\n`);
  const page = await browser.open(address);
  const table = page.getByRole('table', { name: 'Rows of the file' }).getByRole('row');
  await table.filter({ hasText: 'ada' }).getByText('banned', { exact: true }).waitFor();
  // Not the default that would stand in for what is wrong.
  await eventually(() => table.filter({ hasText: 'cyd' }).first().textContent()).toContain('choirusowner');
  await page.getByRole('link', { name: 'Regions' }).click();
  const regions = page.getByRole('region', { name: 'Regions' }).getByRole('listitem');
  await regions.filter({ hasText: 'No region' }).getByText('1 row').waitFor();
  await page
    .getByRole('row', { name: /BAD_CHARACTER in uid For example row 7 “ann!”: .* Also row 8 “bob!”/ })
    .waitFor();
  // What is no one's work comes last.
  const problems = page.getByRole('table', { name: 'Problems by code' }).locator('tbody tr');
  await eventually(() => problems.last().textContent()).toContain('DUPLICATE');
  await checkScreens(page, 'truth');

  const buttons = page.getByRole('region', { name: 'State' }).getByRole('button');
  const more = page.getByLabel('More actions', { exact: true });
  await eventually(() => buttons.allTextContents()).toEqual(['Retry 1 row']);
  await page.getByRole('button', { name: 'Retry 1 row' }).click();
  await page.getByText('Retries rows of').waitFor();
  const retry = page.url().split('/').at(-1) ?? '';
  await page.goBack();
  await page.getByText('Rows that could be sent again were retried (completed): 0 of 1 rows succeeded.').waitFor();
  await eventually(() => buttons.allTextContents()).toEqual([]);
  const retried = problems.filter({ hasText: `They went out in retry ${retry}.` });
  await retried.waitFor();
  // They are repaired in the retry.
  await eventually(() => retried.getByRole('link', { name: /^(Repair|Send) / }).count()).toBe(0);

  await more.click();
  await eventually(() => buttons.allTextContents()).toEqual(['Undo import…', 'Delete…']);
  await buttons.first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Plan the undo' }).click();
  await page.getByRole('button', { name: 'Apply 1 change' }).waitFor();
  const undo = page.url();
  await page.goBack();
  await page.getByText('waits for a decision').waitFor();
  await more.click();
  await eventually(() => buttons.allTextContents()).toEqual(['Delete…']);
  // The list hears of what is done elsewhere.
  await page.getByRole('link', { name: 'Imports' }).first().click();
  const row = page.getByRole('row', { name: /truth\.csv/ });
  await row.waitFor();
  await eventually(() => row.textContent()).not.toContain('undone');
  await fetch(`${server.url}/v1/syncs/${undo.split('/').at(-1)}/apply`, { method: 'POST' });
  await row.getByText('undone').waitFor();
});

test('an undo says whom it left and why, and takes them back when asked to', async () => {
  const page = await browser.open(await imported(lost.url, 'lost.csv', 'guid,uid\nchoir,ada\nchoir,ben\nband,ada\n'));
  await page.getByLabel('More actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Undo import…' }).click();
  await page.getByRole('button', { name: 'Plan the undo' }).click();
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply plan' }).click();
  await page.getByText(/^The undo left 2 users in place\. Was there already .* may have done it: 2\.$/).waitFor();
  await page.getByRole('button', { name: 'Take back the 2 uncertain too…' }).click();
  await page.getByRole('checkbox', { checked: true }).waitFor();
  await page.getByRole('button', { name: 'Plan the undo' }).click();
  await page.getByRole('button', { name: 'Approve…' }).waitFor();
});

test('a region that is stopped is said in the head at once, while others go on and rows get their outcomes by themselves', async () => {
  const rows = Array.from({ length: 200 }, (_, at) => `crew-${at},ada,us\n`).join('');
  const address = await imported(refused.url, 'stopped.csv', `guid,uid,region\nteam,ada,eu\n${rows}`, false);
  const page = await browser.open(address);
  await page.getByRole('alert').getByText('Region eu is stopped: the service refused its key or plan.').waitFor();
  await page.getByRole('alert').getByText('1 row waits for it, and no attempts were used.').waitFor();
  await eventually(() => page.locator('.state .badge').textContent()).toBe('running');
  const pending = page.getByRole('table', { name: 'Rows of the file' }).getByText('pending', { exact: true });
  let before = 0;
  await eventually(async () => {
    before = await pending.count();
    return before;
  }).toBeGreaterThan(0);
  await eventually(() => pending.count()).toBeLessThan(before);
  await fetch(address.replace('/imports/', '/v1/imports/').concat('/cancel'), { method: 'POST' });
});
