import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { asksBeforeClosing, eventually, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

/** Schedules made, tried, run and edited by a person without a terminal. */

const exports = mkdtempSync(join(tmpdir(), 'rollcall-exports-'));
afterAll(() => rmSync(exports, { recursive: true, force: true }));
const TEAM = ['ann', 'ben', 'cyd', 'dan'];
const written = (name: string, text: string) => {
  writeFileSync(join(exports, name), text);
  return join(exports, name);
};

const browser = useBrowser();
const server = useServer({
  seed: { users: ['zoe', ...TEAM], regions: { us: { members: { team: { participants: TEAM } } } } },
  sources: [exports, 'https://hr.example/exports/'],
});

test('a schedule is made, tried, run, paused, and edited by two at once; the columns of its file are chosen, and what is entered is kept until it is saved', async () => {
  const members = written('members.csv', `guid,uid\n${[...TEAM, 'zoe'].map((uid) => `team,${uid}\n`).join('')}`);
  const page = await browser.open(`${server.url}/schedules`, { refusals: true, timezoneId: 'Europe/Rome' });
  await page.getByRole('link', { name: 'New schedule' }).click();
  const name = page.getByLabel('Name', { exact: true });
  const file = page.getByLabel('File or pattern');
  await name.fill('Nightly Röster');
  await page.getByText('It will be called nightly-roster.').waitFor();
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.locator('#new-file-error', { hasText: 'give its path' }).waitFor();
  await file.fill(join(exports, 'gone.csv'));
  await page.getByLabel('Runs', { exact: true }).selectOption('Monday to Friday');
  await page.getByLabel('At', { exact: true }).fill('03:15');
  await page.getByText('At 03:15, Monday through Friday').waitFor();
  const times = page.getByRole('group', { name: 'When' });
  await eventually(() => times.getByRole('listitem').count()).toBe(5);
  await times.getByText('(Europe/Rome)').waitFor();
  const effect = page.locator('form').getByRole('status').first();
  await effect.filter({ hasText: 'This schedule only plans' }).waitFor();
  await page.getByRole('button', { name: 'Change this' }).click();
  await page.locator(':focus').and(page.getByLabel('Apply the plan at once')).check();
  await effect.filter({ hasText: 'This schedule applies its plans by itself' }).waitFor();
  await page.getByRole('button', { name: 'Try it now' }).click();
  await page.locator('#new-file-error', { hasText: 'there is no file' }).waitFor();
  await file.fill(members);
  await page.getByLabel('Create groups the service does not know').check();
  await page.getByLabel('Use the GUID as the name where there is none').check();
  await page.getByLabel('Most groups to create').fill('3');
  await page.getByRole('button', { name: 'Try it now' }).click();
  await page.getByText('A try: 1 change in 1 group. Nothing is sent').waitFor();
  await page.getByRole('button', { name: 'Add schedule' }).click();

  const history = page.getByRole('region', { name: 'History of nightly-roster' });
  await history.getByText('It has not run yet.').waitFor();
  await eventually(() => page.evaluate<number>('scrollY')).toBe(0);
  const row = page.getByRole('table', { name: 'Schedules by name' }).getByRole('row', { name: /nightly-roster/ });
  const more = row.getByLabel('More actions for nightly-roster');
  await row.getByText('At 03:15, Monday through Friday').waitFor();
  await eventually(() => row.textContent()).toMatch(/\d{4}, 03:15/);
  await more.click();
  await row.getByRole('button', { name: 'Pause: nightly-roster' }).click();
  await row.getByText('paused').waitFor();
  await more.click();
  await row.getByRole('button', { name: 'Resume: nightly-roster' }).click();
  await row.getByText('paused').waitFor({ state: 'detached' });
  await row.getByRole('button', { name: 'Run now: nightly-roster' }).click();
  await history.getByText('1 to add').waitFor();
  await row.getByRole('link', { name: /^nightly-roster, .*: ran/ }).waitFor();
  // While it runs, it cannot be edited.
  await row.getByText('ran', { exact: true }).waitFor();

  const other = await browser.open(`${server.url}/schedules/nightly-roster/edit`, { refusals: true });
  await other.getByLabel('Mode').waitFor();
  await more.click();
  await row.getByRole('link', { name: 'Edit: nightly-roster' }).click();
  await page.getByRole('heading', { name: 'Edit nightly-roster' }).waitFor();
  await eventually(() => file.inputValue()).toBe(members);
  const at = page.getByLabel('At', { exact: true });
  await eventually(() => at.inputValue()).toBe('03:15');
  await page.getByLabel('Wait for the service at most').fill('soon');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.locator('#new-giveUpAfter-error', { hasText: 'allowed is a number of seconds' }).waitFor();
  await page.getByLabel('Wait for the service at most').fill('90m');
  const most = page.getByLabel('Most groups to create');
  await eventually(() => most.inputValue()).toBe('3');
  await most.fill('many');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.locator('[id="new-maxCreate.groups-error"]', { hasText: 'many' }).waitFor();
  await most.fill('4');
  await at.fill('04:00');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await row.getByText('At 04:00, Monday through Friday').waitFor();
  await history.getByText('groups; at most 4 groups').waitFor();

  await other.getByLabel('Mode').selectOption('mirror');
  await other.getByRole('button', { name: 'Save changes' }).click();
  await other.getByText('it has version 2, and not 1').waitFor();
  await other.getByRole('button', { name: 'Discard mine, and show theirs' }).click();
  await eventually(() => other.getByLabel('At', { exact: true }).inputValue()).toBe('04:00');
  await eventually(() => other.getByLabel('Wait for the service at most').inputValue()).toBe('90m');
  await other.getByLabel('Mode').selectOption('mirror');
  await other.getByRole('button', { name: 'Save changes' }).click();
  await other.getByText('mirrors the file; members who are not in it are reported').waitFor();
  await chooseColumns(page);
});

/** It is shown as it is and as it is read; its columns are chosen, and kept, also while it is read; what is entered is kept until it is saved. */
async function chooseColumns(page: Page): Promise<void> {
  await page.goto(`${server.url}/schedules/new`);
  const rows = page.getByRole('table', { name: 'The first rows' });
  const titled = written('titled.csv', 'Rooms in May,\n,\nWer,Raum\nann,team; choir\nzoe!,team;band\n');
  await page.getByLabel('Name', { exact: true }).fill('rooms');
  await page.getByLabel('File or pattern').fill(titled);
  await page.getByLabel('Group', { exact: true }).fill('no group!');
  await page.getByRole('button', { name: 'Show the file' }).click();
  await page.locator('#new-guid-error', { hasText: 'cannot be used' }).waitFor();
  // A correction is tried without a press of the button.
  await page.getByLabel('Group', { exact: true }).fill('');
  await page.getByText('The header is in row 3, it seems').waitFor();
  await page.getByRole('button', { name: 'Skip the rows above it' }).click();

  // What is chosen while the server still reads the file is read too.
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  await page.route('**/v1/schedules/look', async (route) => {
    if (route.request().postData()?.includes('Wer')) {
      asked.resolve();
      await answer.promise;
    }
    await route.continue();
  });
  await page.getByLabel('Use of column “Wer”').selectOption('User (UID)');
  await asked.promise;
  await page.getByLabel('Use of column “Raum”').selectOption('Group (GUID)');
  answer.resolve();
  await page.getByText('Several groups or users in a row', { exact: true }).click();
  await page.getByLabel('Between groups in a cell').fill(';');
  await eventually(() => rows.locator('tbody tr').allTextContents()).toEqual([
    expect.stringMatching(/^4ann.*ann in team: .*ann in choir: /),
    expect.stringMatching(/^5zoe!.*has "!"/),
  ]);
  // Saved also while the server still looks at the file.
  await page.unroute('**/v1/schedules/look');
  const again = Promise.withResolvers<void>();
  await page.route('**/v1/schedules/look', () => again.resolve());
  await page.getByRole('button', { name: 'Show the file' }).click();
  await again.promise;
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByRole('region', { name: 'History of rooms' }).waitFor();

  await page.unroute('**/v1/schedules/look');
  await page.goto(`${server.url}/schedules/rooms/edit`);
  await page.getByText('File format').click();
  await eventually(() => page.getByLabel('Row of the header').inputValue()).toBe('3');
  // A choice without a value is asked for beside its field.
  await page.getByLabel('Row of the header').fill('');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.locator('#new-headerRow-error', { hasText: 'In which row is the header?' }).waitFor();
  await page.getByLabel('Row of the header').fill('3');
  await page.getByRole('button', { name: 'Show the file' }).click();
  await eventually(() => page.getByLabel('Use of column “Wer”').inputValue()).toBe('uid');
  await page.getByLabel('Recipe').selectOption({ label: 'Slack: workspace export' });
  await eventually(() => page.locator('#new-map').inputValue()).not.toContain('Wer');
  await page.getByLabel('Recipe').selectOption('none');
  await eventually(() => page.locator('#new-map').inputValue()).toBe('');

  // A name that is taken is said beside its field.
  await page.goto(`${server.url}/schedules/new`);
  await page.getByLabel('Name', { exact: true }).fill('Rooms');
  await page.getByLabel('File or pattern').fill(titled);
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.locator('#new-name-error', { hasText: 'there is a schedule "rooms" already' }).waitFor();
  // An expression begins with the times that were chosen.
  await page.getByLabel('At', { exact: true }).fill('06:45');
  await page.getByLabel('Runs', { exact: true }).selectOption('as a cron expression says');
  await eventually(() => page.getByLabel('Cron expression').inputValue()).toBe('45 6 * * *');
  await page.getByLabel('Time zone').fill('Nowhere');
  await page.getByText('A city as in the list').waitFor();
  await page.getByLabel('Time zone').fill('UTC');
  await page.getByText('At 06:45 (UTC)').waitFor();

  // What is entered is there again, until it is saved or discarded.
  await page.goto(`${server.url}/schedules/new`);
  const name = page.getByLabel('Name', { exact: true });
  const file = page.getByLabel('File or pattern');
  await name.fill('kept');
  await file.fill(titled);
  await eventually(() => asksBeforeClosing(page)).toBe(true);
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('link', { name: 'Exports' }).click();
  await page.getByRole('heading', { name: 'Exports', level: 1 }).waitFor();
  await page.goBack();
  await page.getByText('This is what you entered before; it is not saved.').waitFor();
  await eventually(() => name.inputValue()).toBe('kept');
  await page.getByRole('button', { name: 'Discard it' }).click();
  await eventually(() => name.inputValue()).toBe('');
  await name.fill('kept');
  await file.fill(titled);
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByRole('region', { name: 'History of kept' }).waitFor();
  await eventually(() => asksBeforeClosing(page)).toBe(false);
  const edit = async () => {
    await page.getByLabel('More actions for kept').click();
    await page.getByRole('link', { name: 'Edit: kept' }).click();
  };
  await edit();
  await file.fill(join(exports, 'others.csv'));
  await page.getByRole('link', { name: 'Cancel' }).click();
  await edit();
  await eventually(() => file.inputValue()).toBe(titled);
}
