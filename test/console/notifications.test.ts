import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, useBrowser } from './browser.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

/** Admins say in the console who is notified, and try it. */

const browser = useBrowser();
const server = useServer({ notifyPrivate: true });

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

test('an admin sets a receiver, tries it, and stops it', async () => {
  const { host, types } = await receiver();
  const page = await browser.open(`${server.url}/settings`, { refusals: true });
  const card = page.getByRole('region', { name: 'Notifications' });
  await card.getByText('No one is notified').waitFor();
  await card.getByLabel('Address').fill('https://me:pass@hooks.example/x');
  await card.getByRole('button', { name: 'Save receiver' }).click();
  await card.getByText('holds a user name or password').waitFor();

  await card.getByLabel('Address').fill(`http://${host}/hook?key=open-sesame`);
  await page.keyboard.press('Enter');
  const shown = page.getByRole('dialog', { name: 'The signing secret' });
  const secret = (await shown.locator('code').textContent()) ?? '';
  expect(secret).toMatch(/^whsec_/);
  await page.keyboard.press('Enter');
  await card.getByText(`${host} is notified`).waitFor();
  await page.getByRole('region', { name: 'This server' }).getByText(host).waitFor();
  await eventually(() => page.content()).not.toContain(secret);
  await eventually(() => page.content()).not.toContain('open-sesame');

  const test = card.getByRole('button', { name: 'Send a test' });
  await test.click();
  await card.getByText(`It arrived at ${host}.`).waitFor();
  await test.click();
  await card.getByText(`It did not arrive at ${host}: the receiver says 500.`).waitFor();
  expect(types).toEqual(['import.test', 'import.test']);
  await checkScreens(page, 'notifications');

  await card.getByRole('button', { name: 'Stop notifying' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop notifying' }).click();
  await card.getByText('No one is notified').waitFor();
  await eventually(() => page.locator(':focus').count()).toBe(1);
});
