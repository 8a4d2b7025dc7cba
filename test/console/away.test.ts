import { test } from 'vitest';
import { eventually, memberRows, useBrowser } from './browser.ts';
import { standBefore } from './front.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

async function send(name: string): Promise<void> {
  const headers = { 'content-type': 'text/csv' };
  await fetch(`${server.url}/v1/imports?name=${name}`, { method: 'POST', headers, body: memberRows(1) });
}

test('a network that goes and comes back is said at once, and what happened meanwhile is shown, also where the stream looks alive', async () => {
  const front = await standBefore(server.url);
  const page = await browser.open(`${front.url}/imports`, { refusals: true });
  await send('before.csv');
  const files = page.getByRole('table', { name: 'Imports, newest first' }).locator('tbody th');
  await files.getByText('before.csv').waitFor();
  await page.context().setOffline(true);
  const banner = page.getByText('The server does not answer.');
  await banner.waitFor();
  front.loseStreams();
  await send('meanwhile.csv');
  await page.context().setOffline(false);
  await banner.waitFor({ state: 'detached' });
  await files.getByText('meanwhile.csv').waitFor();
  await send('after.csv');
  await eventually(() => files.allTextContents()).toEqual(['after.csv', 'meanwhile.csv', 'before.csv']);
});

test('a server that takes questions and answers none is away, and back as soon as it answers', async () => {
  const page = await browser.open(server.url, { refusals: true });
  await page.getByRole('heading', { name: 'Now' }).waitFor();
  let asked = 0;
  let answered = 0;
  page.on('requestfinished', (request) => {
    if (request.url().endsWith('/healthz')) answered += 1;
  });
  // The first ones have no answer ever.
  await page.route('**/healthz', (route) => {
    asked += 1;
    return asked > 2 ? route.continue() : undefined;
  });
  await page.evaluate('dispatchEvent(new Event("offline"))');
  const banner = page.getByText('The server does not answer.');
  await banner.waitFor();
  await banner.waitFor({ state: 'detached' });
  await eventually(() => answered).toBe(1);
});
