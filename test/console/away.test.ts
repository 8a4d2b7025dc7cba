import { test } from 'vitest';
import { checkAccess } from './accessibility.ts';
import { eventually, memberRows, startImport, useBrowser } from './browser.ts';
import { standBefore } from './front.ts';
import { callGate, useServer } from './server-in-process.ts';

const browser = useBrowser();
const { chat, letPass } = callGate();
const server = useServer({ chat });

/** The first question that is not answered is given up at once; those after it have the time that a slow page takes. */
const IMPATIENT = `
  const { timeout } = AbortSignal;
  AbortSignal.timeout = () => {
    AbortSignal.timeout = timeout;
    return AbortSignal.timeout(10);
  };`;

const send = (name: string) => server.upload(memberRows(1), `name=${name}`);

test('when the server goes away the page says so at once, and goes on by itself when it is back; what happened meanwhile is shown, also where the stream looks alive', async () => {
  const front = await standBefore(server.url);
  const page = await browser.open(front.url, { refusals: true });
  letPass(1);
  await startImport(page, memberRows(500), 'interrupted.csv');
  const toCome = page.locator('.state .legend li', { hasText: 'pending' });
  await toCome.waitFor();
  const state = page.getByRole('region', { name: 'State' });
  await state.getByText(/ left$/).waitFor();
  await front.goAway();
  const banner = page.getByRole('status').filter({ hasText: 'The server does not answer.' });
  await banner.getByText(/^This page shows how things were at \d\d:\d\d:\d\d\./).waitFor();
  // This server has its queue in itself: nobody else makes its calls.
  await banner.getByText('If it has stopped, its imports stand still until it is started again.').waitFor();
  await state.getByText(/^As of \d\d:\d\d:\d\d\.$/).waitFor();
  await checkAccess(page);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('alert').getByText('The server does not answer.').waitFor();
  await front.comeBack();
  await eventually(() => page.getByText('The server does not answer.').count()).toBe(0);
  await eventually(async () => (await page.getByRole('alert').allTextContents()).join('')).toBe('');
  const before = numberIn(await toCome.textContent());
  letPass(1);
  await eventually(async () => numberIn(await toCome.textContent())).toBeLessThan(before);
  letPass(Number.POSITIVE_INFINITY);
  await page.getByText('All 500 rows succeeded; every row is accounted for.').first().waitFor();

  // A network that goes and comes back.
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
  await banner.waitFor();
  front.loseStreams();
  await send('meanwhile.csv');
  await page.context().setOffline(false);
  await banner.waitFor({ state: 'detached' });
  await files.getByText('meanwhile.csv').waitFor();
  await send('after.csv');
  await eventually(() => files.allTextContents()).toEqual([
    'after.csv',
    'meanwhile.csv',
    'before.csv',
    'interrupted.csv',
  ]);

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

function numberIn(text: string | null): number {
  return Number((text ?? '').replace(/\D/g, ''));
}
