import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { csvFile, eventually, logIn, useBrowser } from './browser.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const EVIL = '<img src=x onerror=alert(1)>';
const MANY = Array.from({ length: 120 }, (_, at) => `new-${at}`);
const TEAM = ['ann', 'ben', 'cyd', 'dan', 'eve', 'fay', 'gus'];

const exports = mkdtempSync(join(tmpdir(), 'rollcall-test-'));
afterAll(() => rmSync(exports, { recursive: true, force: true }));

const browser = useBrowser();
const server = useServer({
  tokenRequired: true,
  sources: [exports],
  seed: {
    users: ['zoe', ...TEAM, ...MANY],
    regions: {
      us: {
        members: {
          team: { participants: TEAM },
          choir: { participants: TEAM },
          ...Object.fromEntries(
            Array.from({ length: 120 }, (_, at) => [`g${at + 1}`, { participants: TEAM.slice(0, 5) }]),
          ),
        },
      },
    },
  },
});

async function enter(role: 'viewer' | 'operator', path: string): Promise<Page> {
  const page = await browser.open(`${server.url}${path}`, { refusals: true });
  await logIn(page, server.token(role));
  await page.getByRole('heading', { name: 'Log in' }).waitFor({ state: 'detached' });
  return page;
}

async function plan(page: Page, guid: string, uids: readonly string[], name: string): Promise<void> {
  await page.getByRole('heading', { name: 'Syncs', level: 1 }).waitFor();
  const rows = uids.map((uid) => `${guid},${uid}\n`);
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(`guid,uid\n${rows.join('')}`, name));
  await page
    .getByRole('row', { name: new RegExp(` in ${guid}: `) })
    .first()
    .waitFor();
  await page.getByLabel('Mode').selectOption('mirror');
  await page.getByLabel('Members not in the file').selectOption('remove');
  await page.getByRole('button', { name: 'Create plan' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

test('a plan that a guard holds is looked at, approved with a reason, carried out, and taken back; names are text', async () => {
  const page = await enter('operator', '/syncs');
  let askedAt = Date.now();
  page.on('request', () => {
    askedAt = Date.now();
  });
  // The sandbox has no such users; a service may.
  await page.route('**/actions?*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll('"gus"', JSON.stringify(EVIL)) });
  });
  await plan(page, 'team', ['ann', 'ben', 'zoe'], `${EVIL}.csv`);
  await page.getByText('Held: guards object to the plan (6 changes in 1 group).').first().waitFor();
  await page.getByRole('region', { name: 'Why this plan is held' }).getByText('group-removals').waitFor();
  const changes = page.getByRole('table', { name: 'What is done in team' }).locator('tbody tr');
  await eventually(() => changes.locator('th').allTextContents()).toEqual(['cyd', 'dan', 'eve', 'fay', EVIL, 'zoe']);
  expect(await changes.filter({ hasText: 'zoe' }).textContent()).toContain('no member → participant');
  expect(await changes.filter({ hasText: 'cyd' }).textContent()).toContain('participant → no member');

  // Whoever looks at it for a while sees what comes of it all the same: the page asks for nothing until then.
  await eventually(() => Date.now() - askedAt).toBeGreaterThan(2_500);
  await page.getByRole('button', { name: 'Approve…' }).click();
  await page.locator('#new-reason:focus').waitFor();
  await page.getByRole('button', { name: 'Approve and apply 6 changes' }).click();
  expect(await page.getByRole('dialog').count()).toBe(1);
  await page.getByLabel('Reason').fill(`moved ${EVIL}`);
  await page.keyboard.press('Enter');
  await page.getByText('Applied: 6 changes in 1 group.').first().waitFor();
  await page.locator('.state').getByText(`moved ${EVIL}`).waitFor();
  // It is done: nothing is to be decided, and nothing is still to be done.
  const legends = page.locator('.state .legend');
  await eventually(async () => (await legends.locator('li').allTextContents()).map((text) => text.trim())).toEqual([
    ...['1 added', '5 removed', '2 unchanged'],
  ]);
  const why = page.getByRole('region', { name: 'Why this plan was held' });
  expect(await why.textContent()).not.toContain('approve it if it is right');
  expect(await page.getByRole('region', { name: 'State' }).getByRole('button').count()).toBe(0);

  await page.getByRole('link', { name: 'The import that carries it out' }).click();
  await page.getByText('Completed: all 6 rows succeeded.').first().waitFor();
  await page.getByRole('link', { name: 'a sync' }).waitFor();
  await page.getByRole('button', { name: 'Undo import…' }).click();
  await page.getByRole('button', { name: 'Plan the undo' }).click();
  await page.getByText('Reverses import').waitFor();
  await page.getByRole('button', { name: 'Apply 6 changes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply plan' }).click();
  await page.getByText('Applied: 6 changes in 1 group.').first().waitFor();
  await page.getByRole('link', { name: 'Syncs' }).first().click();
  const list = page.getByRole('table', { name: 'Syncs, newest first' }).locator('tbody tr');
  await eventually(() => list.count()).toBe(2);
  expect(await list.first().textContent()).toContain('Undo of ');
  // A list that was asked for a moment before the end hears of it.
  await eventually(() => list.last().textContent()).toContain('undone');
  await list.last().getByRole('link').click();
  await page.getByText('This import was undone: 6 of 6 rows succeeded.').waitFor();
  // Its answer passes the route above, which ends with the page.
  await changes.last().waitFor();
  expect(await page.locator('main img[src="x"]').count()).toBe(0);
});

test('a plan that adds many says what that takes and where it goes before it is applied', async () => {
  const page = await enter('operator', '/syncs');
  await page
    .getByLabel(/^Choose/)
    .setInputFiles(csvFile(`guid,uid\n${MANY.map((uid) => `choir,${uid}\n`).join('')}`, 'many.csv'));
  await page
    .getByRole('row', { name: / in choir: / })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Create plan' }).click();
  await page.getByRole('button', { name: 'Apply 120 changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Apply this plan?' });
  await eventually(() => dialog.locator('dl > div').allTextContents()).toEqual([
    ...['Rows120', 'Groups1', 'Messages in groupsup to 120, one for each change', 'Callsat least 5'],
    ...[
      expect.stringMatching(/^Timeless than a second, /),
      'Servicethe sandbox: nothing real changes',
      expect.stringContaining('Apps'),
    ],
  ]);
  await checkScreens(page, 'sync-apply');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Planned: 120 changes in 1 group. Nothing has been sent.').first().waitFor();
});

test('a plan is rejected by an operator; a viewer sees it and can press nothing that changes anything', async () => {
  const page = await enter('operator', '/syncs');
  await plan(page, 'choir', TEAM.slice(0, 5), 'choir.csv');
  await page.getByText('Planned: 2 changes in 1 group.').first().waitFor();
  const viewer = await enter('viewer', new URL(page.url()).pathname);
  await viewer.getByText('Planned: 2 changes in 1 group.').first().waitFor();
  await viewer.getByRole('link', { name: 'gus' }).waitFor();
  expect(await viewer.getByRole('main').getByRole('button').count()).toBe(0);
  await viewer.setViewportSize({ width: 360, height: 800 });
  const overhang = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  await eventually(() => viewer.evaluate(overhang)).toBe(0);

  await page.getByRole('button', { name: 'Reject…' }).click();
  await page.getByLabel('Reason').fill('two of them stay');
  await page.getByRole('dialog').getByRole('button', { name: 'Reject plan' }).click();
  await page.getByText('Rejected: the plan (2 changes in 1 group) will not be carried out.').first().waitFor();
  await page.locator('.state').getByText('two of them stay').waitFor();
  await page.locator('h1:focus').waitFor();

  await viewer.getByRole('link', { name: 'Syncs' }).first().click();
  await viewer.getByRole('link', { name: 'choir.csv' }).waitFor();
  expect(await viewer.getByLabel('Choose file').count()).toBe(0);
});

test('groups in which nothing changes are not counted with the changes', async () => {
  const page = await enter('operator', '/syncs');
  const rows = [...TEAM.slice(0, 5), 'zoe'].map((uid) => `g119,${uid}\n`).join('');
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(`guid,uid\n${rows}g120,ann\n`, 'reported.csv'));
  await page
    .getByRole('row', { name: / in g119: / })
    .first()
    .waitFor();
  await page.getByLabel('Mode').selectOption('mirror');
  await page.getByLabel('Members not in the file').selectOption('report');
  await page.getByRole('button', { name: 'Create plan' }).click();
  await page.getByText('Planned: 1 change in 1 group. Nothing has been sent.').first().waitFor();
  await page.getByText('4 to look at').first().waitFor();
});

test('a page of a plan follows what is decided in another window; an action that comes too late is refused, and no longer offered', async () => {
  const page = await enter('operator', '/syncs');
  await plan(page, 'choir', TEAM.slice(0, 5), 'twice.csv');
  await page.getByText('Planned: 2 changes in 1 group.').first().waitFor();
  const other = await page.context().newPage();
  await other.goto(page.url());
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Apply 2 changes' }).click();
  await dialog.waitFor();
  await other.getByRole('button', { name: 'Reject…' }).click();
  await other.getByLabel('Reason').fill('not today');
  await other.getByRole('dialog').getByRole('button', { name: 'Reject plan' }).click();
  await other.getByText('Rejected: the plan').first().waitFor();
  // The page has heard of it before it asks: nothing was pressed in it.
  await page.getByText('Rejected: the plan').first().waitFor();
  await dialog.getByRole('button', { name: 'Apply plan' }).click();
  await page.getByRole('alert').getByText('is rejected').waitFor();
  expect(await page.getByRole('region', { name: 'State' }).getByRole('button').count()).toBe(0);
});

test('a wrong limit of a guard is shown beside its field', async () => {
  const page = await enter('operator', '/syncs');
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('guid,uid\nchoir,ann\n', 'limits.csv'));
  await page.getByRole('row', { name: /ann in choir/ }).waitFor();
  await page.getByText('Guard limits (29)').click();
  const limit = page.getByLabel('groupRemovalsPercent', { exact: true });
  expect(await limit.getAttribute('placeholder')).toBe('20');
  await checkScreens(page, 'guard-limits');
  await limit.fill('120');
  await page.getByRole('button', { name: 'Create plan' }).click();
  await page.locator('.field', { has: limit }).getByText('a percentage from 0 to 100').waitFor();
  await limit.fill('30');
  await page.getByRole('button', { name: 'Create plan' }).click();
  await page.getByText('groupRemovalsPercent 30').waitFor();
});

test('a schedule says when it is due in words, is run, paused and resumed, and has its history', async () => {
  const file = join(exports, 'nightly.csv');
  writeFileSync(file, 'guid,uid\nchoir,zoe\nchoir,nobody\n');
  const nightly = { name: 'nightly', cron: '30 2 * * 1-5', tz: 'Europe/Rome', file, apply: true, repair: true };
  await fetch(`${server.url}/v1/schedules`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token('operator')}`, 'content-type': 'application/json' },
    body: JSON.stringify(nightly),
  });
  const page = await enter('operator', '/schedules');
  const row = page.getByRole('table', { name: 'Schedules by name' }).getByRole('row', { name: /nightly/ });
  await row.getByText('At 02:30, Monday through Friday').waitFor();
  expect(await row.textContent()).toMatch(/\d{4}, 02:30/);
  await row.getByLabel('More actions for nightly').click();
  await row.getByRole('button', { name: 'Pause: nightly' }).click();
  await row.getByText('paused').waitFor();
  await row.getByLabel('More actions for nightly').click();
  await row.getByRole('button', { name: 'Resume: nightly' }).click();
  await row.getByText('paused').waitFor({ state: 'detached' });
  await row.getByRole('button', { name: 'Run now: nightly' }).click();
  await row.getByText('ran', { exact: true }).waitFor();
  await row.getByText(/1 row is not in place/).waitFor();
  const boxes = await Promise.all((await row.getByRole('button').all()).map((button) => button.boundingBox()));
  // One line each.
  expect(Math.max(...boxes.map((box) => box?.height ?? 0))).toBeLessThan(45);
  await row.getByRole('link', { name: 'nightly', exact: true }).click();
  const history = page.getByRole('region', { name: 'History of nightly' });
  await history.getByRole('link', { name: '2 to add' }).waitFor();
  await history.getByText(/1 row is not in place/).waitFor();
});

test('a sync that a guard holds for 120 groups is looked at by guard, searched, and approved with the count said', async () => {
  const groups = Array.from({ length: 120 }, (_, at) => `g${at + 1}`);
  const rows = groups.map((guid) => `${guid},ann\n`).join('');
  const page = await enter('operator', '/syncs');
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(`guid,uid\n${rows}`, 'crowd.csv'));
  await page
    .getByRole('row', { name: /g1.*ann/ })
    .first()
    .waitFor();
  await page.getByLabel('Mode').selectOption('mirror');
  await page.getByLabel('Members not in the file').selectOption('remove');
  await page.getByRole('button', { name: 'Create plan' }).click();
  const held = page.getByRole('region', { name: 'Why this plan is held' });
  const guards = held.getByRole('table', { name: 'Guards that object' }).locator('tbody tr');
  await eventually(() => guards.count()).toBe(3);
  expect(await guards.filter({ hasText: 'group-removals' }).textContent()).toMatch(/120\s*480/);

  await held.getByText('120 groups of group-removals').click();
  const list = held.getByRole('table', { name: /group-removals objects to/ }).locator('tbody tr');
  await eventually(() => list.count()).toBe(50);
  await held.getByRole('button', { name: 'Show 50 more of group-removals' }).click();
  await eventually(() => list.count()).toBe(100);
  await held.getByLabel('Find a group').fill('G11');
  await eventually(() => list.count()).toBe(11);
  expect(await list.first().textContent()).toContain('4');
  await checkScreens(page, 'held-open');

  // Back from a member leads to the plan with its filter.
  await page.getByLabel('Groups with').selectOption('to remove');
  await page.getByRole('button', { name: 'Show 50 more groups' }).click();
  const group = page.locator('.groups > li').nth(80);
  await group.locator('summary').click();
  await group.getByRole('link').first().click();
  await page.getByRole('heading', { name: /^History of/ }).waitFor();
  await page.goBack();
  await eventually(() => page.getByLabel('Groups with').inputValue()).toBe('remove');

  await page.getByRole('button', { name: 'Approve…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Approve this plan against 122 objections?').waitFor();
  await dialog.getByText('480 of 600 members (80 %) would leave').waitFor();
  await dialog.getByText('group-removals (120 groups)').waitFor();
  await checkScreens(page, 'held-approve');
  await dialog.getByLabel('Reason').fill('the course is over');
  await dialog.getByRole('button', { name: 'Approve and apply 480 changes' }).click();
  await page.getByText('Applied: 480 changes in 120 groups.').first().waitFor();
});
