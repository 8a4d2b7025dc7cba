import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Overview } from '../../src/api/overview.ts';
import { violations } from './accessibility.ts';
import { chooseFile, eventually, logIn, memberRows, send, sendButton, startImport, useBrowser } from './browser.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer({ callsPerMinute: 600 });
const guarded = useServer({ tokenRequired: true });

/** Hands a file in over the API, to be sent without asking who is banned; gives its id. */
async function upload(text: string, query: string): Promise<string> {
  const reply = await fetch(`${server.url}/v1/imports?banCheck=false&${query}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: text,
  });
  return ((await reply.json()) as { id: string }).id;
}

/** So many rows, each in a group of its own: at ten calls a second they take minutes. */
const LONG = '6,000';
const long = (group: string, uid: string) =>
  `guid,uid\n${Array.from({ length: 6_000 }, (_, at) => `${group}${at},${uid}`).join('\n')}\n`;

test('the first visit says what this is and that nothing is sent to real users; the sample becomes an import', async () => {
  const page = await browser.open(server.url);
  await page.getByText('rollcall adds members to chat groups in bulk').waitFor();
  await page.getByText('This server sends to a sandbox').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Try a sample' }).click();
  await page.getByRole('table', { name: 'The first rows' }).waitFor();
  await send(page);
  await page.getByRole('heading', { name: 'sample.csv', level: 1 }).waitFor();
  await page
    .getByText(/^Completed/)
    .first()
    .waitFor();
  await page.getByRole('link', { name: 'Now' }).click();
  await page.getByRole('region', { name: 'Finished last' }).getByRole('link', { name: 'sample.csv' }).waitFor();
  expect(await page.getByText('rollcall adds members to chat groups in bulk').count()).toBe(0);
});

test('what cannot continue without a person is on the start page, in the navigation and in the title, until it is solved there', async () => {
  await upload('guid,uid\nteam,ada\nchoir,ada\n', 'name=tried.csv&first=1');
  const page = await browser.open(`${server.url}/settings`);
  await page.getByRole('link', { name: 'Imports 1 need you' }).waitFor();
  await eventually(() => page.title()).toBe('(1) Settings · rollcall');
  await eventually(() => page.locator('link[rel="icon"]').getAttribute('href')).toMatch(/^data:image/);
  await page.getByRole('link', { name: 'Now' }).click();
  const needs = page.getByRole('region', { name: 'Needs you' });
  await needs.getByText('The first rows have been sent. 1 row waits until you resume.').waitFor();
  expect(await violations(page)).toEqual([]);
  await needs.getByRole('button', { name: /: tried\.csv$/ }).click();
  await page.getByText('Nothing needs you.').waitFor();
  await eventually(() => page.title()).toBe('Now · rollcall');
  await page.getByRole('region', { name: 'Finished last' }).getByRole('link', { name: 'tried.csv' }).waitFor();
});

test('a file that was only checked and a plan made to be looked at need nobody, and can be continued from the start page', async () => {
  await upload('guid,uid\nteam,ben\n', 'name=checked.csv&dryRun=true');
  await fetch(`${server.url}/v1/syncs?name=looked.csv`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: 'guid,uid\nteam,new-1\n',
  });
  const page = await browser.open(server.url);
  const ready = page.getByRole('region', { name: 'Ready when you are' });
  await ready.getByText('The file has been checked: 1 row can be sent').waitFor();
  await ready.getByRole('link', { name: 'looked.csv' }).waitFor();
  await page.getByText('Nothing needs you.').waitFor();
  expect(await page.getByRole('link', { name: /need you/ }).count()).toBe(0);
  await checkScreens(page, 'now-ready');
  await ready.getByRole('link', { name: 'Review checked.csv' }).click();
  await sendButton(page).click();
  await page.getByText('Completed: the only row succeeded.').first().waitFor();
  await page.getByRole('link', { name: 'Now', exact: true }).click();
  await page.getByRole('region', { name: 'Finished last' }).getByRole('link', { name: 'checked.csv' }).waitFor();
  await ready.getByRole('link', { name: 'Review the plan' }).click();
  await page.getByRole('button', { name: 'Reject…' }).waitFor();
});

test('a sync that a guard holds leads to its plan; one that is decided is gone from the page', async () => {
  await startImport(await browser.open(server.url), memberRows(40), 'before.csv');
  const page = await browser.open(server.url);
  await page.getByRole('region', { name: 'Finished last' }).getByRole('link', { name: 'before.csv' }).waitFor();
  await fetch(`${server.url}/v1/syncs?name=mirror.csv&mode=mirror&missing=remove&apply=true`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: 'guid,uid\nteam,user-1\n',
  });
  const needs = page.getByRole('region', { name: 'Needs you' });
  await needs.getByText('Guards hold this plan back').waitFor();
  await page.getByRole('link', { name: 'Syncs 1 need you' }).waitFor();
  await needs.getByRole('link', { name: 'Review the plan' }).click();
  await page.getByRole('button', { name: 'Reject…' }).click();
  await page.getByLabel('Reason').fill('not today');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Reject/ })
    .click();
  await page.getByRole('link', { name: 'Now' }).click();
  await page.getByText('Nothing needs you.').waitFor();
});

test('an import that runs shows how far it is and how long it will take', async () => {
  const page = await browser.open(server.url);
  const id = await upload(long('g', 'ada'), 'name=long.csv');
  const running = page.getByRole('region', { name: 'Running' });
  await running.getByText(new RegExp(`^\\d+ %: [\\d,]+ of ${LONG} rows, .* left$`)).waitFor();
  expect(await violations(page)).toEqual([]);
  // Its events say how far it is: the page needs no answer for that.
  const held: Route[] = [];
  await page.route('**/v1/overview', (route) => void held.push(route));
  const rows = running.getByText(` of ${LONG} rows`);
  for (let change = 0; change < 3; change += 1) {
    const before = await rows.textContent();
    await eventually(() => rows.textContent()).not.toBe(before);
  }
  await page.unroute('**/v1/overview');
  // The page gives a question up that is not answered for long, and asks again.
  for (const route of held) await route.continue().catch(() => {});
  await fetch(`${server.url}/v1/imports/${id}/cancel`, { method: 'POST' });
  await running.waitFor({ state: 'detached' });
});

test('an import with rows that need attention is dismissed on the start page', async () => {
  await upload('guid,uid\nteam,\nteam,ada\n', 'name=attention.csv');
  const page = await browser.open(server.url);
  const needs = page.getByRole('region', { name: 'Needs you' });
  await needs.getByText('Completed: 1 of 2 rows succeeded; 1 row needs attention.').waitFor();
  await checkScreens(page, 'now-attention');
  await needs.getByRole('button', { name: 'Dismiss attention.csv' }).click();
  await needs.getByRole('link', { name: 'attention.csv', exact: true }).waitFor({ state: 'detached' });
});

test.each([
  ['an operator is', 'operator', 1],
  ['a viewer is not', 'viewer', 0],
] as const)('%s told which folders the list of imports does not know', async (_, role, count) => {
  const page = await browser.open(guarded.url, { refusals: true });
  const headers = { authorization: `Bearer ${guarded.token('viewer')}` };
  const known = (await (await fetch(`${guarded.url}/v1/overview`, { headers })).json()) as Overview;
  const unknownFolders = { count: 4, names: ['lost-1', 'lost-2', 'lost-3', 'lost-4'] };
  await page.route('**/v1/overview', (route) => route.fulfill({ json: { ...known, imports: 1, unknownFolders } }));
  await logIn(page, guarded.token(role));
  await page.getByText('Nothing is running.').waitFor();
  const said = page.getByText(
    'does not know 4 folders with data of imports (lost-1, lost-2, lost-3 and 1 more): they do not go on, so import again what is missing of them, and then delete the folders',
  );
  expect(await said.count()).toBe(count);
  expect(await page.getByText(count === 1 ? '1 thing needs you.' : 'Nothing needs you.').count()).toBe(1);
  if (count === 1) await checkScreens(page, 'now-unknown-folders');
});

test('what happens between the first look and the first event is shown too', async () => {
  const page = await browser.open(server.url);
  const release = Promise.withResolvers<void>();
  await page.route('**/v1/events', async (route) => {
    await release.promise;
    await route.continue();
  });
  await Promise.all([page.waitForResponse(/overview/), page.reload()]);
  const id = await upload('guid,uid\nteam,\n', 'name=meanwhile.csv');
  await eventually(async () => {
    const answer = await fetch(`${server.url}/v1/imports/${id}`);
    return ((await answer.json()) as { finishedAt: string | null }).finishedAt;
  }).not.toBeNull();
  release.resolve();
  await page.getByRole('region', { name: 'Needs you' }).getByRole('link', { name: 'meanwhile.csv' }).first().waitFor();
});

test('a list is narrowed down, several imports get a tag, and Back brings the filter back', async () => {
  for (const name of ['one', 'two', 'three']) await upload(`guid,uid\nteam,${name}\n`, `name=list-${name}.csv`);
  await upload('guid,uid\nteam,\n', 'name=list-bad.csv&tags=broken');
  const page = await browser.open(`${server.url}/imports`);
  const table = page.getByRole('table', { name: 'Imports, newest first' });
  const names = () =>
    table
      .getByRole('rowheader')
      .getByRole('link', { name: /\.csv$/ })
      .allTextContents();
  await page.getByLabel('Search').fill('LIST-');
  await eventually(names).toEqual(['list-bad.csv', 'list-three.csv', 'list-two.csv', 'list-one.csv']);

  await table.getByLabel(/Select list-one/).check();
  await table.getByLabel(/Select list-two/).check();
  await page.getByRole('button', { name: 'Tag…' }).click();
  expect(await violations(page)).toEqual([]);
  const dialog = page.getByRole('dialog');
  const add = dialog.getByLabel('Add');
  await add.fill('autumn, te<rm');
  await page.getByRole('button', { name: 'Save tags' }).click();
  await dialog.locator('#new-add:focus').waitFor();
  await dialog.getByText('“te<rm” cannot be a tag').waitFor();
  expect(await add.inputValue()).toBe('autumn, te<rm');
  await add.fill('autumn, term 1');
  await page.getByRole('button', { name: 'Save tags' }).click();
  await table.getByRole('link', { name: 'autumn' }).first().waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByText('More filters').click();
  await page.getByLabel('Tags', { exact: true }).fill('term 1');
  await eventually(names).toEqual(['list-two.csv', 'list-one.csv']);

  await table.getByRole('link', { name: 'list-one.csv' }).click();
  await page.getByRole('heading', { name: 'list-one.csv', level: 1 }).waitFor();
  await page.goBack();
  await eventually(names).toEqual(['list-two.csv', 'list-one.csv']);
  expect(await page.getByLabel('Search').inputValue()).toBe('LIST-');
  expect(await page.getByLabel('Tags', { exact: true }).inputValue()).toBe('term 1');
  await page.getByRole('button', { name: 'Clear all' }).click();
  await page.getByText('More filters').click();
  await page.getByLabel('Problems', { exact: true }).selectOption('true');
  await eventually(names).toContain('list-bad.csv');
  await eventually(names).not.toContain('list-one.csv');
});

test('of several imports, those with something to dismiss are dismissed, and no others', async () => {
  await upload('guid,uid\nteam,ann\n', 'name=aside-right.csv');
  await upload('guid,uid\nteam,\n', 'name=aside-wrong.csv');
  const page = await browser.open(`${server.url}/imports?search=aside-`);
  const table = page.getByRole('table', { name: 'Imports, newest first' });
  for (const name of ['right', 'wrong']) {
    const row = table.getByRole('row', { name: new RegExp(`aside-${name}`) });
    await row.getByText('completed').waitFor();
  }
  const dismiss = page.getByRole('button', { name: 'Dismiss' });
  await table.getByLabel(/Select aside-right/).check();
  await page.getByText('1 selected').waitFor();
  expect(await dismiss.count()).toBe(0);
  await table.getByLabel(/Select aside-wrong/).check();
  await dismiss.click();
  const answers = page.locator('.bulk-answers').getByRole('listitem');
  await eventually(() => answers.allTextContents()).toEqual(['aside-wrong.csv: dismissed']);
});

test('one action for several imports asks once, and each import answers for itself', async () => {
  const running = await upload(long('g', 'ben'), 'name=bulk-runs.csv');
  await upload('guid,uid\nteam,ben\n', 'name=bulk-done.csv');
  const page = await browser.open(`${server.url}/imports?search=bulk-`);
  const table = page.getByRole('table', { name: 'Imports, newest first' });
  await table
    .getByRole('row', { name: /bulk-done/ })
    .getByText('completed')
    .waitFor();
  await table.getByLabel(/Select bulk-runs/).check();
  await page.getByRole('button', { name: 'Select all 2 shown' }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete imports' }).click();
  const answers = page.locator('.bulk-answers').getByRole('listitem');
  await eventually(() => answers.filter({ hasText: 'bulk-done' }).textContent()).toBe('bulk-done.csv: deleted');
  await eventually(() => answers.filter({ hasText: 'bulk-runs' }).textContent()).toMatch(/cannot be deleted/);
  await table.getByRole('row', { name: /bulk-done/ }).waitFor({ state: 'detached' });
  expect(await violations(page)).toEqual([]);
  await fetch(`${server.url}/v1/imports/${running}/cancel`, { method: 'POST' });
});

test('a token that is revoked while a file is prepared asks for another one over the page, and the work is still there', async () => {
  const first = guarded.token('operator');
  const page = await browser.open(guarded.url, { refusals: true });
  await logIn(page, first);
  await chooseFile(page, 'guid,uid\nteam,ada\n', 'kept.csv');
  guarded.revoke(first);
  // The page may notice by itself that the token is gone: then its dialog covers the button before the click.
  await page.locator('button', { hasText: 'Next: review' }).evaluate((button: { click(): void }) => button.click());
  const dialog = page.getByRole('dialog', { name: 'Log in again' });
  await dialog.getByText('Nothing on this page is lost').waitFor();
  expect(await violations(page)).toEqual([]);
  await logIn(dialog, guarded.token('operator'));
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Next: review' }).click();
  await page.getByRole('heading', { name: 'kept.csv', level: 1 }).waitFor();
});

test('a session that ended by itself is noticed when a file is sent, and asks for a token over the page', async () => {
  const page = await browser.open(guarded.url, { refusals: true });
  await logIn(page, guarded.token('operator'));
  await chooseFile(page, 'guid,uid\nteam,ada\n', 'ended.csv');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Next: review' }).click();
  const dialog = page.getByRole('dialog', { name: 'Log in again' });
  await logIn(dialog, guarded.token('operator'));
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Next: review' }).click();
  await page.getByRole('heading', { name: 'ended.csv', level: 1 }).waitFor();
});

test('times are shown by the clock that the person chooses, also after a reload', async () => {
  const page = await browser.open(`${server.url}/settings`, { timezoneId: 'Asia/Tokyo' });
  await page.getByText('Times in Asia/Tokyo').waitFor();
  await page.getByLabel('Times are shown in').selectOption('utc');
  await page.reload();
  await page.getByText('Times in UTC').waitFor();
  await page.goto(`${server.url}/audit`);
  const when = page.getByRole('table').locator('tbody time').first();
  const iso = (await when.getAttribute('datetime')) ?? '';
  expect(await when.textContent()).toContain(iso.slice(11, 19));
});

test('the audit log is found by what was done and leads to it', async () => {
  const id = await upload('guid,uid\nteam,ada\n', 'name=audited.csv');
  const page = await browser.open(`${server.url}/audit`);
  await page.getByLabel('Search').fill('audited');
  const rows = page.getByRole('table', { name: 'What was done, newest first' }).locator('tbody tr');
  await eventually(() => rows.count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await rows.getByRole('link', { name: id }).click();
  await page.getByRole('heading', { name: 'audited.csv', level: 1 }).waitFor();
  await page.goBack();
  await eventually(() => rows.count()).toBe(1);
});
