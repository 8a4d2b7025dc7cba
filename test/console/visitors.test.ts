import type { Page } from 'playwright-core';
import { test } from 'vitest';
import type { Overview } from '../../src/api/overview.ts';
import { eventually, logIn, memberRows, send, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();
const guarded = useServer({ tokenRequired: true });

const EVIL = '<img src=x onerror=alert(1)>';

test('a file is dropped on the page; names that look like markup are text wherever they are shown', async () => {
  const page = await browser.open(server.url);
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
});

test('a viewer sees everything and can press nothing that changes anything', async () => {
  const headers = { authorization: `Bearer ${guarded.token('operator')}`, 'content-type': 'text/csv' };
  const made = async (query: string, body: string) => {
    const answer = await fetch(`${guarded.url}/v1/imports?${query}`, { method: 'POST', headers, body });
    return ((await answer.json()) as { id: string }).id;
  };
  const seen = await made('name=seen.csv&banCheck=false', memberRows(3));
  const wrong = await made('name=wrong.csv&dryRun=true', 'guid,uid\nteam,\nteam,ada\n');

  // Only who can act is told which folders the list of imports does not know.
  const known = (await (await fetch(`${guarded.url}/v1/overview`, { headers })).json()) as Overview;
  const unknownFolders = { count: 4, names: ['lost-1', 'lost-2', 'lost-3', 'lost-4'] };
  const told = async (page: Page, role: 'operator' | 'viewer') => {
    await page.route('**/v1/overview', (route) => route.fulfill({ json: { ...known, unknownFolders } }));
    await logIn(page, guarded.token(role));
    await page.getByText(role === 'operator' ? '1 thing needs you.' : 'Nothing needs you.').waitFor();
    const folders = page.getByText(
      'does not know 4 folders with data of imports (lost-1, lost-2, lost-3 and 1 more): they',
    );
    await eventually(() => folders.count()).toBe(role === 'operator' ? 1 : 0);
  };
  const viewer = await browser.open(guarded.url, { refusals: true });
  const logOut = async () => {
    await viewer.getByText('More', { exact: true }).click();
    await viewer.getByRole('button', { name: 'Log out' }).click();
    await viewer.getByRole('heading', { name: 'Log in' }).waitFor();
  };
  await told(viewer, 'operator');
  await logOut();
  await told(viewer, 'viewer');

  await viewer.getByRole('link', { name: 'Imports', exact: true }).click();
  await viewer.getByRole('link', { name: 'seen.csv' }).waitFor();
  await eventually(() => viewer.getByLabel('Choose file').count()).toBe(0);
  await viewer.getByRole('link', { name: 'seen.csv' }).click();
  await viewer.getByText('All 3 rows succeeded; every row is accounted for.').first().waitFor();
  await viewer.getByRole('group', { name: 'Actions for all 3 rows' }).getByText('Download').click();
  await viewer.getByRole('link', { name: 'Download all 3 rows as CSV' }).waitFor();
  await eventually(() => viewer.getByRole('region', { name: 'State' }).getByRole('button').count()).toBe(0);
  await eventually(() => viewer.getByRole('button', { name: /retry|correct|undo|delete/i }).count()).toBe(0);
  await viewer.getByRole('link', { name: 'user-2' }).click();
  await viewer.getByRole('table', { name: 'What imports did to user-2' }).waitFor();
  await eventually(() => viewer.getByRole('button', { name: 'Ask where the user is now' }).count()).toBe(0);
  await viewer.getByText('More', { exact: true }).click();
  await viewer.getByRole('link', { name: 'Settings' }).click();
  await viewer.getByText('Keys are never shown.').waitFor();
  await viewer.getByText('More', { exact: true }).click();
  await eventually(() => viewer.getByRole('link', { name: 'Audit' }).count()).toBe(0);
  await eventually(() => viewer.getByRole('region', { name: 'Tokens' }).count()).toBe(0);

  await viewer.goto(`${guarded.url}/imports/${wrong}`);
  await viewer.getByText('An operator can ask the service which groups and users exist').waitFor();
  await viewer.getByText('correct their values, and send only these rows').waitFor();
  await eventually(() => viewer.getByRole('link', { name: /^Correct/ }).count()).toBe(0);
  await viewer
    .getByRole('region', { name: 'Problems' })
    .getByRole('link', { name: /EMPTY in uid/ })
    .click();
  await viewer.getByText('Operators can edit these rows, and send them.').waitFor();
  await eventually(() => viewer.getByLabel('uid, row 2', { exact: true }).isEditable()).toBe(false);
  await eventually(() => viewer.getByRole('button', { name: 'Find and replace…' }).count()).toBe(0);

  await logOut();
  await viewer.goto(`${guarded.url}/imports/${seen}`);
  await viewer.getByRole('heading', { name: 'Log in' }).waitFor();
});
