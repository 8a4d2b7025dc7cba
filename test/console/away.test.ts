import { test } from 'vitest';
import { eventually, memberRows, useBrowser } from './browser.ts';
import { standBefore } from './front.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

/** The first question that is not answered is given up at once; those after it have the time that a slow page takes. */
const IMPATIENT = `
  const { timeout } = AbortSignal;
  AbortSignal.timeout = () => {
    AbortSignal.timeout = timeout;
    return AbortSignal.timeout(10);
  };`;

async function send(name: string): Promise<void> {
  const headers = { 'content-type': 'text/csv' };
  await fetch(`${server.url}/v1/imports?name=${name}`, { method: 'POST', headers, body: memberRows(1) });
}

test('a network that goes and comes back is said at once, and what happened meanwhile is shown, also where the stream looks alive', async () => {
  const front = await standBefore(server.url);
  const page = await browser.open('about:blank', { refusals: true });
  // What happens between the first look and the first event is shown too.
  const events = Promise.withResolvers<void>();
  await page.route('**/v1/events', async (route) => {
    await events.promise;
    await route.continue();
  });
  await Promise.all([page.waitForResponse(/imports/), page.goto(`${front.url}/imports`)]);
  await send('before.csv');
  events.resolve();
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

  // A server that takes questions and answers none is away, and back as soon as it answers.
  await page.addInitScript(IMPATIENT);
  await page.reload();
  await files.getByText('after.csv').waitFor();
  let asked = 0;
  await page.route('**/healthz', (route) => {
    asked += 1;
    return asked > 1 ? route.continue() : undefined;
  });
  await page.evaluate('dispatchEvent(new Event("offline"))');
  await banner.waitFor();
  await banner.waitFor({ state: 'detached' });
});
