import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { Overview } from '../../src/api/overview.ts';
import { asksBeforeClosing, chooseFile, eventually, logIn, memberRows, review, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

/** Admins decide in the console who may use the server, and who is notified; viewers look. */

const browser = useBrowser();
const server = useServer({ tokenRequired: true, notifyPrivate: true });

async function receiver(): Promise<{ host: string; types: string[] }> {
  const types: string[] = [];
  const http = createServer(async (request, reply) => {
    types.push(JSON.parse(Buffer.concat(await request.toArray()).toString()).type);
    reply.writeHead(types.length > 1 ? 500 : 204).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  await once(http, 'listening');
  return { host: `127.0.0.1:${(http.address() as AddressInfo).port}`, types };
}

async function enter(token: string): Promise<Page> {
  const page = await browser.open(`${server.url}/settings`, { refusals: true });
  await logIn(page, token);
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  return page;
}

test('an admin makes a token, gives it away, and revokes it; the only admin keeps the own one; a receiver of notifications is set, tried and stopped', async () => {
  const page = await enter(server.token('admin'));
  const card = page.getByRole('region', { name: 'Tokens' });
  await card.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('For').fill('nightly-job');
  await page.getByLabel('Role').selectOption('operator');
  await page.getByLabel('Expires').selectOption('never');
  await page.getByRole('button', { name: 'Make token' }).click();
  const shown = page.getByRole('dialog', { name: 'The token of nightly-job' });
  const token = (await shown.locator('code').textContent()) ?? '';
  expect(token).toMatch(/^rct_/);
  await shown.getByRole('button', { name: 'Copy the secret' }).waitFor();
  // It is not shown again: only its button closes it.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await shown.locator('button:focus').getByText('I have copied it').waitFor();
  await eventually(() => shown.locator('code').textContent()).toBe(token);
  await page.keyboard.press('Enter');
  await shown.waitFor({ state: 'detached' });
  const row = card.getByRole('row', { name: 'nightly-job' });
  await eventually(() => row.textContent()).toMatch(/nightly-job.*operator.*never.*never/);
  await eventually(() => page.content()).not.toContain(token);

  const used = await enter(token);
  await used.getByText('Keys are never shown.').waitFor();
  await eventually(() => used.getByRole('region', { name: 'Tokens' }).count()).toBe(0);
  await page.reload();
  await eventually(() => row.textContent()).toMatch(/just now|\d+ (s|min) ago/);

  await row.getByRole('button', { name: 'Revoke the token of nightly-job' }).click();
  await page.getByRole('button', { name: 'Revoke token' }).click();
  await row.waitFor({ state: 'detached' });
  await used.reload();
  await used.getByRole('heading', { name: 'Log in' }).waitFor();

  // The only admin is told what to do first.
  const own = page.getByRole('row', { name: 'yours' });
  await own.getByRole('button').click();
  await page.getByText('You are logged in with it').waitFor();
  await page.getByRole('button', { name: 'Revoke token' }).click();
  await page.getByText('Make a token for another admin first.').waitFor();
  await own.waitFor();

  const { host, types } = await receiver();
  const notified = page.getByRole('region', { name: 'Notifications' });
  await notified.getByText('No one is notified').waitFor();
  await notified.getByLabel('Address').fill('https://me:pass@hooks.example/x');
  await notified.getByRole('button', { name: 'Save receiver' }).click();
  await notified.getByText('holds a user name or password').waitFor();

  await notified.getByLabel('Address').fill(`http://${host}/hook?key=open-sesame`);
  await page.keyboard.press('Enter');
  const signing = page.getByRole('dialog', { name: 'The signing secret' });
  const secret = (await signing.locator('code').textContent()) ?? '';
  expect(secret).toMatch(/^whsec_/);
  await page.keyboard.press('Enter');
  await notified.getByText(`${host} is notified`).waitFor();
  await page.getByRole('region', { name: 'This server' }).getByText(host).waitFor();
  await eventually(() => page.content()).not.toContain(secret);
  await eventually(() => page.content()).not.toContain('open-sesame');

  const trial = notified.getByRole('button', { name: 'Send a test' });
  await trial.click();
  await notified.getByText(`It arrived at ${host}.`).waitFor();
  await trial.click();
  await notified.getByText(`It did not arrive at ${host}: the receiver says 500.`).waitFor();
  expect(types).toEqual(['import.test', 'import.test']);

  await notified.getByRole('button', { name: 'Stop notifying' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop notifying' }).click();
  await notified.getByText('No one is notified').waitFor();
  await eventually(() => page.locator(':focus').count()).toBe(1);
});

test('a viewer sees everything and can press nothing that changes anything', async () => {
  const seen = await server.upload(memberRows(3), 'name=seen.csv&banCheck=false');
  const wrong = await server.upload('guid,uid\nteam,\nteam,ada\n', 'name=wrong.csv&dryRun=true');

  // Only who can act is told which folders the list of imports does not know.
  const headers = { authorization: `Bearer ${server.token('operator')}` };
  const known = (await (await fetch(`${server.url}/v1/overview`, { headers })).json()) as Overview;
  const unknownFolders = { count: 4, names: ['lost-1', 'lost-2', 'lost-3', 'lost-4'] };
  const told = async (page: Page, role: 'operator' | 'viewer') => {
    await page.route('**/v1/overview', (route) => route.fulfill({ json: { ...known, unknownFolders } }));
    await logIn(page, server.token(role));
    await page.getByText(role === 'operator' ? '1 thing needs you.' : 'Nothing needs you.').waitFor();
    const folders = page.getByText(
      'does not know 4 folders with data of imports (lost-1, lost-2, lost-3 and 1 more): they',
    );
    await eventually(() => folders.count()).toBe(role === 'operator' ? 1 : 0);
  };
  const viewer = await browser.open(server.url, { refusals: true });
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

  await viewer.goto(`${server.url}/imports/${wrong}`);
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
  await viewer.goto(`${server.url}/imports/${seen}`);
  await viewer.getByRole('heading', { name: 'Log in' }).waitFor();
});

test('in a browser that keeps nothing a person can still log in, and review and send a file', async () => {
  const page = await browser.open('about:blank', { refusals: true });
  await page.addInitScript(`for (const storage of ['sessionStorage', 'localStorage'])
    Object.defineProperty(window, storage, { get: () => { throw new DOMException('denied', 'SecurityError'); } });`);
  await page.goto(`${server.url}/settings`);
  await logIn(page, server.token('admin'));
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Imports' }).click();
  await chooseFile(page, memberRows(2), 'kept-nowhere.csv');
  await review(page);
  await page.getByLabel('Send only the first rows').fill('1');
  // A reload would lose it.
  await eventually(() => asksBeforeClosing(page)).toBe(true);
  // Events say that it was sent before its answer does.
  const answer = Promise.withResolvers<void>();
  await page.route(/\/resume\b/, async (route) => {
    const response = await route.fetch();
    await answer.promise;
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Send the first row' }).click();
  await page.getByRole('heading', { name: 'Send', level: 2 }).waitFor({ state: 'detached' });
  answer.resolve();
  await eventually(() => asksBeforeClosing(page)).toBe(false);
});
