import { expect, test } from 'vitest';
import { startImport, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const areLoaded = Promise.withResolvers<void>();
const server = useServer({
  chat: (chat) => ({
    ...chat,
    addMembers: async (...call) => {
      await areLoaded.promise;
      return chat.addMembers(...call);
    },
  }),
});

test('seven windows side by side all load, and all follow an import to its end', async () => {
  const first = await browser.open(server.url);
  await startImport(first, 'guid,uid\nteam,ada\n', 'watched.csv');
  const windows = [first];
  // Browsers allow six connections to one server for all of their windows.
  while (windows.length < 7) {
    const page = await first.context().newPage();
    windows.push(page);
    await page.goto(first.url());
    await page.getByRole('heading', { name: 'watched.csv', level: 1 }).waitFor();
    await page.locator('.state .badge', { hasText: 'running' }).waitFor();
  }
  areLoaded.resolve();
  // Also those without a stream of their own.
  await Promise.all(
    windows.map((page) => page.getByText('The only row succeeded; every row is accounted for.').first().waitFor()),
  );
  expect(await Promise.all(windows.map((page) => page.evaluate('document.hidden')))).toEqual(windows.map(() => false));
});
