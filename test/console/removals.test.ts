import { test } from 'vitest';
import { eventually, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

test('a file that removes more than it may waits, and a person sends it with a button', async () => {
  const shape = JSON.stringify({ actions: { column: 'what', words: { out: 'remove' } } });
  const query = new URLSearchParams({ name: 'leavers.csv', shape, maxRemovals: '1' });
  const body = 'uid,guid,what\nann,choir,out\nben,choir,out\n';
  const headers = { 'content-type': 'text/csv' };
  const reply = await fetch(`${server.url}/v1/imports?${query}`, { method: 'POST', headers, body });
  const { id } = (await reply.json()) as { id: string };

  const page = await browser.open(server.url);
  const needs = page.getByRole('region', { name: 'Needs you' });
  await needs.getByRole('link', { name: 'Review leavers.csv' }).waitFor();
  await eventually(() => needs.getByRole('button').count()).toBe(0);
  await page.goto(`${server.url}/imports/${id}`);
  const state = page.getByRole('region', { name: 'State' });
  await state.getByText('2 rows remove or ban members, more than are sent without asking.').waitFor();
  await eventually(() => state.textContent()).not.toMatch(/maxRemovals/);
  await page.getByRole('button', { name: 'Send 2 rows that remove or ban…' }).click();
  await page.getByRole('dialog').getByText('at least 2', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Send 2 rows that remove or ban', exact: true }).click();
  await eventually(() => state.textContent()).toContain('Completed');
});
