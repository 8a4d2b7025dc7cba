import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, logIn, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

/** Admins decide in the console who may use the server, and who is notified. */

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
