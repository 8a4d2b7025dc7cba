import { expect, test } from 'vitest';
import { memberRows, startImport, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
// Slowly enough to be still sending when the last window has loaded, also on a busy machine.
const slow = useServer({ callsPerMinute: 60 });

test('seven windows side by side all load, and all follow an import to its end', async () => {
  const first = await browser.open(slow.url);
  await startImport(first, memberRows(20_000), 'watched.csv');
  const windows = [first];
  // Browsers allow six connections to one server for all of their windows.
  while (windows.length < 7) {
    const page = await first.context().newPage();
    windows.push(page);
    await page.goto(first.url());
    await page.getByRole('heading', { name: 'watched.csv', level: 1 }).waitFor();
    await page.getByText('Sending memberships').first().waitFor();
  }
  // Also those without a stream of their own.
  await Promise.all(windows.map((page) => page.getByRole('img', { name: /^Calls a second: at most/ }).waitFor()));
  await first.getByRole('button', { name: 'Cancel…' }).click();
  await first.getByRole('dialog').getByRole('button', { name: 'Cancel import' }).click();
  await Promise.all(
    windows.map((page) =>
      page
        .getByText(/^Cancelled: /)
        .first()
        .waitFor(),
    ),
  );
  expect(await Promise.all(windows.map((page) => page.evaluate('document.hidden')))).toEqual(windows.map(() => false));
});
