import { test } from 'vitest';
import { eventually, memberRows, startImport, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer({ faults: 'unavailable=100%' });

test('an import whose service does not answer says so, on its page and on the first one, and so does a sync that is planned', async () => {
  const page = await browser.open(server.url);
  await startImport(page, memberRows(5), 'silent.csv');
  const state = page.getByRole('region', { name: 'State' });
  await state.getByText('No call gets a usable answer in us').waitFor();
  await eventually(() => state.textContent()).toContain('Its rows wait and use no attempts.');
  await eventually(() => state.textContent()).not.toContain(' left');
  await page.getByRole('button', { name: 'Details', exact: true }).click();
  await page
    .getByText(/Every call since .* was answered with HTTP_503; (next try at .*\d\d:\d\d|trying now)/)
    .waitFor();
  await page.getByRole('link', { name: 'Now' }).click();
  await page.getByRole('region', { name: 'Running' }).getByText('no answer in us').waitFor();

  const made = await fetch(`${server.url}/v1/syncs?mode=add&name=silent.csv`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: memberRows(5),
  });
  const { id } = (await made.json()) as { id: string };
  await page.goto(`${server.url}/syncs/${id}`);
  await state.getByText('No call gets a usable answer in us').waitFor();
  await state.getByText('Listing the members of the groups: 0 of 1 group.').waitFor();
});
