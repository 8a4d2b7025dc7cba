import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { csvFile, eventually, logIn, memberRows, send, sendButton, startImport, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();
const guarded = useServer({ tokenRequired: true });

const EVIL = '<img src=x onerror=alert(1)>';

test('a UID, group, scope, column or file name that looks like markup is text wherever it is shown', async () => {
  const page = await browser.open(server.url);
  const file = `guid,Member ${EVIL},scope\nteam,${EVIL},participant\n${EVIL},ada,participant\nteam,ben,${EVIL}\nteam,cyd,admin\n`;
  await page.getByLabel('Choose file').setInputFiles(csvFile(file, `${EVIL}.csv`));
  await page.getByText(`${EVIL}.csv`).waitFor();
  await page.getByLabel(`Use of column “Member ${EVIL}”`).selectOption('User (UID)');
  const preview = page.getByRole('table', { name: 'The first rows' }).locator('tbody tr');
  await page.getByText(`Not a scope: “${EVIL}”`).waitFor();
  for (const row of [0, 1, 2]) expect(await preview.nth(row).textContent()).toContain(EVIL);
  await send(page);
  await page.getByRole('heading', { name: `${EVIL}.csv`, level: 1 }).waitFor();
  await page.getByText('Completed: 1 of 4 rows succeeded').first().waitFor();
  await eventually(() => page.getByRole('region', { name: 'Problems' }).textContent()).toContain(EVIL);
  await eventually(() => page.getByRole('region', { name: 'Rows' }).textContent()).toContain(EVIL);
  await page.getByRole('button', { name: 'Details of row' }).first().click();
  await page.getByRole('dialog').getByText(`Member ${EVIL}`).first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByLabel('UID of a user').fill(EVIL);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: EVIL, exact: true }).click();
  await page.getByRole('heading', { name: `History of ${EVIL}` }).waitFor();
  await page
    .getByRole('table', { name: `What imports did to ${EVIL}` })
    .getByRole('link', { name: `${EVIL}.csv` })
    .waitFor();
  await page.getByRole('link', { name: 'Audit' }).click();
  await eventually(() => page.getByRole('region', { name: 'Entries' }).textContent()).toContain(`${EVIL}.csv`);
  await page.getByRole('region', { name: 'Entries' }).getByRole('cell', { name: '127.0.0.1' }).first().waitFor();
  await page.getByRole('link', { name: 'Imports' }).click();
  await page.getByRole('link', { name: `${EVIL}.csv` }).waitFor();
  expect(await page.locator('main img[src="x"]').count()).toBe(0);
});

test('with the keyboard alone a file is chosen, mapped and started, and the focus is never lost', async () => {
  const page = await browser.open(server.url);
  // From the start: the browser has to know in time that someone will choose.
  const chooser = page.waitForEvent('filechooser');
  const press = async (key: string) => page.keyboard.press(key);
  const focused = () => page.locator(':focus');
  const tabTo = async (label: string, key = 'Tab') => {
    for (let presses = 0; presses < 40; presses += 1) {
      await press(key);
      const text = await focused().evaluate((element) => {
        const { ariaLabel, labels, textContent } = element as unknown as {
          ariaLabel: string | null;
          labels?: ArrayLike<{ textContent: string }>;
          textContent: string;
        };
        return ariaLabel ?? labels?.[0]?.textContent ?? textContent;
      });
      if (text === label) return;
    }
    throw new Error(`no Tab leads to ${label}`);
  };
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
  await press('Tab');
  expect(await focused().textContent()).toBe('Skip to content');
  await press('Enter');
  await page.locator('h1:focus').waitFor();
  await tabTo('Choose file');
  await press('Enter');
  await (await chooser).setFiles(csvFile('Room,Number\nchoir,ada\n', 'keys.csv'));
  await page.getByText('No column is recognised as the user.').waitFor();
  await tabTo('Use of column “Number”');
  // One key: letters that come slowly are each the beginning of a word.
  await press('u');
  await page.getByText('No column is recognised as the user.').waitFor({ state: 'detached' });
  await tabTo('Use of column “Room”', 'Shift+Tab');
  await press('g');
  await page.getByText('No column is recognised as the group.').waitFor({ state: 'detached' });
  await tabTo('Next: review');
  await press('Enter');
  await sendButton(page).waitFor();
  await tabTo('Send 1 row');
  await press('Enter');
  await page.getByText('Completed: the only row succeeded.').first().waitFor();
  await page.locator('h1:focus', { hasText: 'keys.csv' }).waitFor();
  await tabTo('More actions');
  await press('Enter');
  await tabTo('Delete…');
  await press('Enter');
  await eventually(() => focused().textContent()).toBe('Keep it');
  await press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await focused().getAttribute('aria-label')).toBe('More actions');
});

test('a viewer sees everything and can press nothing that changes anything', async () => {
  const operator = await browser.open(guarded.url, { refusals: true });
  await enter(operator, guarded.token('operator'));
  await startImport(operator, memberRows(3), 'seen.csv');
  await operator.getByText('Completed: all 3 rows succeeded.').first().waitFor();

  const viewer = await browser.open(operator.url(), { refusals: true });
  await enter(viewer, guarded.token('viewer'));
  await viewer.getByText('Completed: all 3 rows succeeded.').first().waitFor();
  await viewer.getByRole('link', { name: 'user-2' }).waitFor();
  expect(await viewer.getByRole('region', { name: 'State' }).getByRole('button').count()).toBe(0);
  await viewer.getByRole('link', { name: 'Download all 3 rows as CSV' }).waitFor();
  expect(await viewer.getByRole('button', { name: /retry|repair|undo|delete/i }).count()).toBe(0);
  await viewer.getByRole('link', { name: 'Settings' }).click();
  await viewer.getByText('Keys are never shown.').waitFor();
  expect(await viewer.getByRole('link', { name: 'Audit' }).count()).toBe(0);
  await viewer.getByRole('link', { name: 'Imports' }).click();
  await viewer.getByRole('link', { name: 'seen.csv' }).waitFor();
  expect(await viewer.getByLabel('Choose file').count()).toBe(0);

  const headers = { authorization: `Bearer ${guarded.token('operator')}`, 'content-type': 'text/csv' };
  const wrong = { method: 'POST', headers, body: 'guid,uid\nteam,\nteam,ada\n' };
  const made = await fetch(`${guarded.url}/v1/imports?name=wrong.csv&dryRun=true`, wrong);
  const { id } = (await made.json()) as { id: string };
  await viewer.goto(`${guarded.url}/imports/${id}`);
  await viewer.getByText('An operator can ask the service which groups and users exist').waitFor();
  await viewer.getByText('correct their values, and send only these rows').waitFor();
  expect(await viewer.getByRole('link', { name: /^Repair/ }).count()).toBe(0);
  await viewer.goto(`${guarded.url}/imports/${id}/repair`);
  await viewer.getByText('Operators can edit these rows, and send them.').waitFor();
  expect(await viewer.getByText('All changes are saved').count()).toBe(0);

  await viewer.getByRole('button', { name: 'Log out' }).click();
  await viewer.getByRole('heading', { name: 'Log in' }).waitFor();
  await viewer.goto(`${guarded.url}/settings`);
  await viewer.getByRole('heading', { name: 'Log in' }).waitFor();
});

test('a file that is dropped on the page is taken as one that is chosen', async () => {
  const page = await browser.open(server.url);
  const dropped = await page.evaluateHandle(`(() => {
    const carried = new DataTransfer();
    carried.items.add(new File(['guid,uid\\nteam,dropped-user\\n'], 'dropped.csv'));
    return carried;
  })()`);
  await page.locator('.drop').dispatchEvent('dragover', { dataTransfer: dropped });
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped });
  await page.getByText('dropped.csv').waitFor();
  await page.getByRole('row', { name: /dropped-user in team/ }).waitFor();
});

test('the first rows show every membership, also those that say the same', async () => {
  const page = await browser.open(server.url);
  const lists = JSON.stringify({ guid: 'team', admins: ['ada'], participants: ['ada', 'ada'] });
  await page.getByLabel('Choose file').setInputFiles(csvFile(lists, 'lists.json'));
  const memberships = page.getByRole('table', { name: 'The first rows' }).locator('tbody .read-as > div');
  await eventually(() => memberships.allTextContents()).toEqual([
    'ada in team: admin, us',
    'ada in team: participant, us',
    'ada in team: participant, us',
  ]);
});

async function enter(page: Page, token: string): Promise<void> {
  await logIn(page, token);
  await page.getByRole('heading', { name: 'Log in' }).waitFor({ state: 'detached' });
}
