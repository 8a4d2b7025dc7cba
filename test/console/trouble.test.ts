import { test } from 'vitest';
import { eventually, memberRows, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
/** One region refuses the key, one answers no call; the third goes on slowly enough to be looked at. */
const server = useServer({ callsPerMinute: 60, faults: 'eu:refuse-key,us:unavailable' });

test('a region that is stopped and one that does not answer are said wherever an import or a sync waits for them, while another goes on; settings show the queue of each', async () => {
  const rows = Array.from({ length: 190 }, (_, at) => `crew-${at},ada,in\n`).join('');
  const id = await server.upload(
    `guid,uid,region\nteam,ada,eu\nteam,ada,us\n${rows}`,
    'name=trouble.csv&banCheck=false',
  );
  const page = await browser.open(`${server.url}/imports/${id}`);
  await page.getByRole('alert').getByText('Region eu is stopped: the service refused its key or plan.').waitFor();
  await page.getByRole('alert').getByText('1 row waits for it, and no attempts were used.').waitFor();
  const state = page.getByRole('region', { name: 'State' });
  await state.getByText('No call gets a usable answer in us').waitFor();
  await eventually(() => state.textContent()).toContain('Its rows wait and use no attempts.');
  await eventually(() => state.textContent()).not.toContain(' left');
  await eventually(() => page.locator('.state .badge').textContent()).toBe('running');
  // Rows get their outcomes by themselves.
  const pending = page.getByRole('table', { name: 'Rows of the file' }).getByText('pending', { exact: true });
  let before = 0;
  await eventually(async () => {
    before = await pending.count();
    return before;
  }).toBeGreaterThan(0);
  await eventually(() => pending.count()).toBeLessThan(before);
  await page.getByRole('button', { name: 'Details', exact: true }).click();
  await page
    .getByText(/Every call since .* was answered with HTTP_503; (next try at .*\d\d:\d\d|trying now)/)
    .waitFor();

  await page.getByRole('link', { name: 'Now' }).click();
  await page.getByRole('region', { name: 'Running' }).getByText('no answer in us').waitFor();
  await page.getByRole('region', { name: 'Needs you' }).getByRole('link', { name: 'See what to do' }).waitFor();
  await page.route('**/v1/regions', async (route) => {
    const reply = await route.fetch();
    const { regions } = (await reply.json()) as { regions: { region: string }[] };
    const troubled = regions.map((one) => (one.region === 'in' ? { ...one, stalled: 2, setAside: 1 } : one));
    await route.fulfill({ json: { regions: troubled } });
  });
  await page.goto(`${server.url}/settings`);
  const region = page.getByRole('table', { name: 'What each region is doing' }).getByRole('row', { name: /^in/ });
  await region.getByText(/^(just now|\d+ (s|min) ago)$/).waitFor();
  await eventually(() => page.getByRole('columnheader').allTextContents()).toEqual([
    ...['Region', 'Now', 'In flight', 'Waiting', 'Next one waits since', 'To retry', 'Stalled', 'Set aside', 'Workers'],
  ]);
  await eventually(async () => Number(await region.getByRole('cell').nth(2).textContent())).toBeGreaterThan(0);
  await page.getByText('A worker began 2 calls and then ended or stood still.').first().waitFor();
  await page.getByText('1 job could not be read').first().waitFor();

  const sync = await server.upload(memberRows(5), 'mode=add&name=silent.csv', 'syncs');
  await page.goto(`${server.url}/syncs/${sync}`);
  await state.getByText('No call gets a usable answer in us').waitFor();
  await state.getByText('Listing the members of the groups: 0 of 1 group.').waitFor();
  await server.post(`/v1/imports/${id}/cancel`);
});
