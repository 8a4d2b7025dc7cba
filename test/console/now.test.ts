import { test } from 'vitest';
import { checkAccess } from './accessibility.ts';
import { chooseFile, eventually, logIn, send, useBrowser } from './browser.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();
const guarded = useServer({ tokenRequired: true });

/** Hands a file in over the API; gives its id. */
async function upload(text: string, query: string, to: 'imports' | 'syncs' = 'imports'): Promise<string> {
  const reply = await fetch(`${server.url}/v1/${to}?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: text,
  });
  return ((await reply.json()) as { id: string }).id;
}

test('a first visit becomes an import; what then needs a person is counted everywhere, and is gone when it is solved', async () => {
  const page = await browser.open(server.url);
  const icon = () => page.locator('link[rel="icon"]').getAttribute('href');
  await page.getByText('rollcall adds members to chat groups in bulk').waitFor();
  await page.getByText('This server sends to a sandbox').waitFor();
  await page.getByRole('button', { name: 'Try a sample' }).click();
  await page.getByRole('table', { name: 'The first rows' }).waitFor();
  await send(page);
  await page.getByRole('heading', { name: 'sample.csv', level: 1 }).waitFor();
  await page
    .getByText(/^Completed/)
    .first()
    .waitFor();
  await page.getByRole('link', { name: 'Now', exact: true }).click();
  await page.getByRole('region', { name: 'Finished last' }).getByRole('link', { name: 'sample.csv' }).waitFor();
  await eventually(() => page.getByText('rollcall adds members to chat groups in bulk').count()).toBe(0);
  await page.getByText('Nothing needs you.').waitFor();
  await eventually(() => icon()).not.toMatch(/^data:image/);

  await upload('guid,uid\nteam,ada\nchoir,ada\n', 'name=tried.csv&first=1&banCheck=false');
  await upload('guid,uid\nteam,\nteam,ada\n', 'name=attention.csv&banCheck=false');
  await upload('guid,uid\nteam,ben\n', 'name=checked.csv&dryRun=true');
  await upload('guid,uid\nteam,new-1\n', 'name=looked.csv', 'syncs');
  const held = await upload('guid,uid\nteam,user-1\nteam,\n', 'name=mirror.csv&mode=mirror', 'syncs');
  await page.getByRole('link', { name: 'Imports 2 need you' }).waitFor();
  await page.getByRole('link', { name: 'Syncs 1 need you' }).waitFor();
  await eventually(() => page.title()).toBe('(3) Now · rollcall');
  await eventually(icon).toMatch(/^data:image/);
  const needs = page.getByRole('region', { name: 'Needs you' });
  const ready = page.getByRole('region', { name: 'Ready when you are' });
  await needs.getByText('The first rows have been sent. 1 row waits until you resume.').waitFor();
  await needs.getByText('Guards hold this plan back').waitFor();
  await ready.getByRole('link', { name: 'Review checked.csv' }).waitFor();
  await ready.getByRole('link', { name: 'looked.csv' }).waitFor();
  await checkScreens(page, 'now');

  await needs.getByRole('button', { name: /: tried\.csv$/ }).click();
  await needs.getByRole('button', { name: 'Dismiss attention.csv' }).click();
  await needs.getByRole('link', { name: 'attention.csv', exact: true }).waitFor({ state: 'detached' });
  // It is decided elsewhere.
  await fetch(`${server.url}/v1/syncs/${held}/reject`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"reason":"not today"}',
  });
  await page.getByText('Nothing needs you.').waitFor();
  await eventually(() => page.title()).toBe('Now · rollcall');
  await page.getByRole('region', { name: 'Finished last' }).getByRole('link', { name: 'tried.csv' }).waitFor();
});

test('a list is narrowed down, several imports are tagged, dismissed and deleted, and Back brings the filter back', async () => {
  for (const name of ['one', 'two']) await upload(`guid,uid\nteam,${name}\n`, `name=list-${name}.csv`);
  await upload('guid,uid\nteam,\n', 'name=list-bad.csv&tags=broken');
  const page = await browser.open(`${server.url}/imports`);
  const table = page.getByRole('table', { name: 'Imports, newest first' });
  const names = () =>
    table
      .getByRole('rowheader')
      .getByRole('link', { name: /\.csv$/ })
      .allTextContents();
  await page.getByLabel('Search').fill('LIST-');
  await eventually(names).toEqual(['list-bad.csv', 'list-two.csv', 'list-one.csv']);

  await table.getByLabel(/Select list-one/).check();
  await table.getByLabel(/Select list-two/).check();
  const dismiss = page.getByRole('button', { name: 'Dismiss' });
  await eventually(() => dismiss.count()).toBe(0);
  await page.getByRole('button', { name: 'Tag…' }).click();
  const dialog = page.getByRole('dialog');
  const add = dialog.getByLabel('Add');
  await add.fill('autumn, te<rm');
  await page.getByRole('button', { name: 'Save tags' }).click();
  await dialog.locator('#new-add:focus').waitFor();
  await dialog.getByText('“te<rm” cannot be a tag').waitFor();
  await eventually(() => add.inputValue()).toBe('autumn, te<rm');
  await add.fill('autumn, term 1');
  await page.getByRole('button', { name: 'Save tags' }).click();
  await table.getByRole('link', { name: 'autumn' }).first().waitFor();
  await page.getByText('More filters').click();
  await page.getByLabel('Tags', { exact: true }).fill('term 1');
  await eventually(names).toEqual(['list-two.csv', 'list-one.csv']);

  await table.getByRole('link', { name: 'list-one.csv' }).click();
  await page.getByRole('heading', { name: 'list-one.csv', level: 1 }).waitFor();
  await page.goBack();
  await eventually(names).toEqual(['list-two.csv', 'list-one.csv']);
  await eventually(() => page.getByLabel('Search').inputValue()).toBe('LIST-');
  await eventually(() => page.getByLabel('Tags', { exact: true }).inputValue()).toBe('term 1');
  await page.getByRole('button', { name: 'Clear all' }).click();
  await page.getByLabel('Search').fill('list-');
  await eventually(names).toHaveLength(3);

  await table.getByLabel(/Select list-one/).check();
  await page.getByRole('button', { name: 'Select all 3 shown' }).click();
  const answers = page.locator('.bulk-answers').getByRole('listitem');
  await dismiss.click();
  await eventually(() => answers.allTextContents()).toEqual(['list-bad.csv: dismissed']);
  await table.getByLabel(/Select list-bad/).check();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await dialog.getByRole('button', { name: /^Delete import/ }).click();
  await eventually(() => answers.allTextContents()).toEqual(['list-bad.csv: deleted']);
  await table.getByRole('row', { name: /list-bad/ }).waitFor({ state: 'detached' });
});

test('a token that is revoked while a file is prepared asks for another one over the page, and the work is still there', async () => {
  const first = guarded.token('operator');
  const page = await browser.open(guarded.url, { refusals: true });
  await logIn(page, first);
  await chooseFile(page, 'guid,uid\nteam,ada\n', 'kept.csv');
  guarded.revoke(first);
  // The page may notice by itself that the token is gone: then its dialog covers the button before the click.
  await page.locator('button', { hasText: 'Next: review' }).evaluate((button: { click(): void }) => button.click());
  const dialog = page.getByRole('dialog', { name: 'Log in again' });
  await dialog.getByText('Nothing on this page is lost').waitFor();
  await checkAccess(page);
  await logIn(dialog, guarded.token('operator'));
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Next: review' }).click();
  await page.getByRole('heading', { name: 'kept.csv', level: 1 }).waitFor();
});

test('the audit log is found by what was done and leads to it; times are by the clock that the person chooses', async () => {
  const id = await upload('guid,uid\nteam,ada\n', 'name=audited.csv');
  const page = await browser.open(`${server.url}/settings`, { timezoneId: 'Asia/Tokyo' });
  await page.getByText('Times in Asia/Tokyo').waitFor();
  await page.getByLabel('Times are shown in').selectOption('utc');
  await page.reload();
  await page.getByText('Times in UTC').waitFor();
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByLabel('Search').fill('audited');
  const rows = page.getByRole('table', { name: 'What was done, newest first' }).locator('tbody tr');
  await eventually(() => rows.count()).toBe(1);
  const when = rows.locator('time');
  await eventually(async () => {
    const iso = (await when.getAttribute('datetime')) ?? 'none';
    return (await when.textContent())?.includes(iso.slice(11, 19));
  }).toBe(true);
  await rows.getByRole('link', { name: id }).click();
  await page.getByRole('heading', { name: 'audited.csv', level: 1 }).waitFor();
  await page.goBack();
  await eventually(() => rows.count()).toBe(1);
});
