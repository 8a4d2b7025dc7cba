import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { checkAccess } from './accessibility.ts';
import { csvFile, eventually, logIn, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const EVIL = '<img src=x onerror=alert(1)>';
const TEAM = ['ann', 'ben', 'cyd', 'dan', 'eve', 'fay', 'gus'];
/** One more than are shown at a time. */
const CROWD = Array.from({ length: 51 }, (_, at) => `g${at + 1}`);

const browser = useBrowser();
const server = useServer({
  tokenRequired: true,
  seed: {
    users: ['zoe', ...TEAM],
    regions: {
      us: {
        members: {
          team: { participants: TEAM },
          ...Object.fromEntries(CROWD.map((guid) => [guid, { participants: TEAM.slice(0, 5) }])),
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

/** Chooses a file that its groups shall match. */
async function choose(page: Page, rows: readonly string[], name: string): Promise<void> {
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(`guid,uid\n${rows.join('\n')}\n`, name));
  await page.getByRole('table', { name: 'The first rows' }).waitFor();
  await page.getByLabel('Mode').selectOption('mirror');
  await page.getByLabel('Members not in the file').selectOption('remove');
}

test('a plan that a guard holds is looked at, approved with a reason, carried out, and taken back; names are text', async () => {
  const page = await enter('operator', '/syncs');
  // The sandbox has no such users; a service may.
  await page.route('**/actions?*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll('"gus"', JSON.stringify(EVIL)) });
  });
  await choose(page, ['team,ann', 'team,ben', 'team,zoe'], `${EVIL}.csv`);
  await page.getByRole('button', { name: 'Create plan' }).click();
  await page.getByText('Held: guards object to the plan (6 changes in 1 group).').first().waitFor();
  const changes = page.getByRole('table', { name: 'What is done in team' }).locator('tbody tr');
  await eventually(() => changes.locator('th').allTextContents()).toEqual(['cyd', 'dan', 'eve', 'fay', EVIL, 'zoe']);
  await eventually(() => changes.filter({ hasText: 'zoe' }).textContent()).toContain('no member → participant');

  await page.getByRole('button', { name: 'Approve…' }).click();
  await page.locator('#new-reason:focus').waitFor();
  await page.getByRole('button', { name: 'Approve and apply 6 changes' }).click();
  await page.getByRole('dialog').getByText('Enter a reason.').waitFor();
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
  await eventually(() => why.textContent()).not.toContain('approve it if it is right');
  await eventually(() => page.getByRole('region', { name: 'State' }).getByRole('button').count()).toBe(0);

  await page.getByRole('link', { name: 'The import that carries it out' }).click();
  await page.getByRole('link', { name: 'a sync' }).waitFor();
  await page.getByLabel('More actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Undo import…' }).click();
  await page.getByRole('button', { name: 'Plan the undo' }).click();
  await page.getByText('Reverses import').waitFor();
  await page.getByRole('button', { name: 'Apply 6 changes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply plan' }).click();
  await page.getByText('Applied: 6 changes in 1 group.').first().waitFor();
  await page.getByRole('link', { name: 'Syncs' }).first().click();
  const list = page.getByRole('table', { name: 'Syncs, newest first' }).locator('tbody tr');
  await eventually(() => list.first().textContent()).toContain('Undo of ');
  // A list that was asked for a moment before the end hears of it.
  await eventually(() => list.last().textContent()).toContain('undone');
  await list.last().getByRole('link').click();
  await page.getByText(/^Undo undo-.*: applied, 6 of 6 rows succeeded\.$/).waitFor();
  // Its answer passes the route above, which ends with the page.
  await changes.last().waitFor();
  await eventually(() => page.locator('main img[src="x"]').count()).toBe(0);
});

test('a plan held in many groups is looked at by an operator and a viewer, and rejected in another window while it is approved', async () => {
  const page = await enter('operator', '/syncs');
  await choose(
    page,
    CROWD.map((guid) => `${guid},ann`),
    'crowd.csv',
  );
  await page.getByText('Guard limits (29)').click();
  const limit = page.getByLabel('groupRemovalsPercent', { exact: true });
  await eventually(() => limit.getAttribute('placeholder')).toBe('20');
  await checkAccess(page);
  await limit.fill('120');
  await page.getByRole('button', { name: 'Create plan' }).click();
  await page.locator('.field', { has: limit }).getByText('a percentage from 0 to 100').waitFor();
  await limit.fill('30');
  await page.getByRole('button', { name: 'Create plan' }).click();
  await page.getByText('groupRemovalsPercent 30').waitFor();
  const held = page.getByRole('region', { name: 'Why this plan is held' });
  await held.getByRole('button', { name: '51 groups of group-removals' }).click();
  const list = held.getByRole('table', { name: /group-removals objects to/ }).locator('tbody tr');
  await eventually(() => list.count()).toBe(50);
  await checkAccess(page);
  await held.getByLabel('Find a group').fill('G5');
  await eventually(() => list.count()).toBe(3);

  // Back from a member leads to the plan with its filter.
  await page.getByLabel('Groups with').selectOption('to remove');
  await page.getByRole('button', { name: 'Members of g1', exact: true }).click();
  await page.getByRole('table', { name: 'What is done in g1' }).getByRole('link').first().click();
  await page.getByRole('heading', { name: /^History of/ }).waitFor();
  await page.goBack();
  await eventually(() => page.getByLabel('Groups with').inputValue()).toBe('remove');

  const viewer = await enter('viewer', new URL(page.url()).pathname);
  await viewer.getByText('Held: guards object to the plan (204 changes in 51 groups).').first().waitFor();
  await eventually(() =>
    viewer
      .getByRole('main')
      .getByRole('button', { name: /Approve|Reject/ })
      .count(),
  ).toBe(0);

  await page.getByRole('button', { name: 'Approve…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('204 of 255 members (80 %) would leave').waitFor();
  await dialog.getByText('group-removals (51 groups)').waitFor();
  await dialog.getByText('the sandbox: nothing real changes').waitFor();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole('button', { name: 'Reject…' }).click();
  await other.getByLabel('Reason').fill('not today');
  await other.getByRole('dialog').getByRole('button', { name: 'Reject plan' }).click();
  await other.getByText('Rejected: the plan (204 changes in 51 groups) will not be carried out.').first().waitFor();
  await other
    .locator('.state')
    .getByText(/^Rejected by .+: not today$/)
    .waitFor();
  await other.locator('h1:focus').waitFor();
  // The others have heard of it before they ask: nothing was pressed there.
  await viewer.getByText('Rejected: the plan').first().waitFor();
  await page.getByText('Rejected: the plan').first().waitFor();
  await dialog.getByLabel('Reason').fill('the course is over');
  await dialog.getByRole('button', { name: 'Approve and apply 204 changes' }).click();
  await page.getByRole('alert').getByText('is rejected').waitFor();
  await eventually(() => page.getByRole('region', { name: 'State' }).getByRole('button').count()).toBe(0);

  await viewer.getByRole('link', { name: 'Syncs' }).first().click();
  await viewer.getByRole('link', { name: 'crowd.csv' }).waitFor();
  await eventually(() => viewer.getByLabel('Choose file').count()).toBe(0);
});
