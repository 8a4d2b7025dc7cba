import { test } from 'vitest';
import { eventually, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer({ callsPerMinute: 120 });

test('Settings show the queue of each region while it is at work, and explain stalled calls and jobs that were set aside', async () => {
  const rows = Array.from({ length: 300 }, (_, at) => `group-${at},ada`).join('\n');
  const id = await server.upload(`guid,uid\n${rows}\n`, 'name=queued.csv&banCheck=false');
  const page = await browser.open('about:blank', { refusals: true });
  const busy = { type: 'about:blank', title: 'Busy', status: 503, code: 'BUSY', detail: 'The queue does not answer.' };
  // It is asked again, although nothing happens meanwhile that has an event.
  let answers = 0;
  await page.route('**/v1/regions', async (route) => {
    answers += 1;
    if (answers === 1) return route.fulfill({ status: 503, json: busy });
    const reply = await route.fetch();
    const { regions } = (await reply.json()) as { regions: object[] };
    await route.fulfill({ json: { regions: regions.map((one) => ({ ...one, stalled: 2, setAside: 1 })) } });
  });
  await page.goto(`${server.url}/settings`);
  const region = page.getByRole('table', { name: 'What each region is doing' }).getByRole('row', { name: /^us/ });
  await region.getByText(/^(just now|\d+ (s|min) ago)$/).waitFor();
  const cells = page.getByRole('columnheader');
  await eventually(() => cells.allTextContents()).toEqual([
    'Region',
    'Now',
    'In flight',
    'Waiting',
    'Next one waits since',
    'To retry',
    'Stalled',
    'Set aside',
    'Workers',
  ]);
  await eventually(async () => Number(await region.getByRole('cell').nth(2).textContent())).toBeGreaterThan(0);
  await page.getByText('A worker began 2 calls and then ended or stood still.').first().waitFor();
  await page.getByText('1 job could not be read').first().waitFor();
  // Its own page says how long it will take.
  await page.goto(`${server.url}/imports/${id}`);
  await page.getByText(/left$/).waitFor();
  await server.post(`/v1/imports/${id}/cancel`);
});
