import { test } from 'vitest';
import { checkAccess } from './accessibility.ts';
import { eventually, startImport, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const usersToBan = Array.from({ length: 120 }, (_, n) => `b${n}`);
const server = useServer({
  seed: { users: ['ada', ...usersToBan], regions: { us: { members: { choir: { usersToBan } } } } },
  faults: 'short-page',
});

test('an import that cannot know who is banned asks before it adds anyone', async () => {
  const page = await browser.open(server.url);
  await startImport(page, 'uid,guid\nada,choir\nb1,choir\n', 'choir.csv');
  const state = page.getByRole('region', { name: 'State' });
  await state.getByText('it is not known who is banned, and adding lifts a ban').waitFor();
  await eventually(() => state.getByRole('button').allTextContents()).toEqual([
    'Resume',
    'Add everyone without asking…',
  ]);
  await checkAccess(page);
  await state.getByRole('button', { name: 'Add everyone without asking…' }).click();
  await page.getByRole('dialog').getByText('up to 2, one for each change').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Add everyone without asking' }).click();
  await page.getByText('Completed: all 2 rows succeeded.').first().waitFor();
});
