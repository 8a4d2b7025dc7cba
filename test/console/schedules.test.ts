import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { eventually, useBrowser } from './browser.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

/** Schedules made, tried, run and edited by a person without a terminal. */

const exports = mkdtempSync(join(tmpdir(), 'rollcall-exports-'));
afterAll(() => rmSync(exports, { recursive: true, force: true }));
const TEAM = ['ann', 'ben', 'cyd', 'dan'];
const membersFile = (uids: readonly string[]) =>
  writeFileSync(join(exports, 'members.csv'), `guid,uid,Room\n${uids.map((uid) => `team,${uid},The Team\n`).join('')}`);

const browser = useBrowser();
const server = useServer({
  seed: { users: ['zoe', 'yan', ...TEAM], regions: { us: { members: { team: { participants: TEAM } } } } },
  sources: [exports, 'https://hr.example/exports/'],
});

test('a schedule is made, tried, run, and edited by two at once', async () => {
  membersFile([...TEAM, 'zoe']);
  const page = await browser.open(`${server.url}/schedules`, { refusals: true, timezoneId: 'Europe/Rome' });
  await page.getByRole('link', { name: 'New schedule' }).click();
  await page.getByRole('heading', { name: 'New schedule', level: 1 }).waitFor();
  await page.getByLabel('Name', { exact: true }).fill('nightly');
  await page.getByLabel('File or pattern').fill(join(exports, 'gone.csv'));
  await page.getByLabel('Runs', { exact: true }).selectOption('Monday to Friday');
  await page.getByLabel('At', { exact: true }).fill('03:15');
  await page.getByText('At 03:15, Monday through Friday').waitFor();
  await eventually(() => page.locator('.next-times li').count()).toBe(5);
  expect(await page.locator('.next-times').textContent()).toContain('(Europe/Rome)');
  await page.getByLabel('Apply the plan at once').check();
  await page.getByLabel('Wait for the service at most').fill('90m');
  await page.getByLabel('Rows that the file must have').fill('6');
  await page.getByLabel('Create groups the service does not know').check();
  await page.getByLabel('Use the GUID as the name where there is none').check();
  await page.getByLabel('Type of a new group').selectOption('private');
  await page.getByLabel('Columns of new users and groups').fill('group_name=Room');
  await page.getByLabel('Most groups to create').fill('3');
  await page.getByRole('button', { name: 'Try it now' }).click();
  await page.locator('#new-file-error', { hasText: 'there is no file' }).waitFor();
  await page.getByLabel('File or pattern').fill(join(exports, 'members.csv'));
  await page.getByRole('button', { name: 'Try it now' }).click();
  await page.getByText('has 5 rows, and 6 were expected').waitFor();
  await page.getByLabel('Rows that the file must have').fill('5');
  await page.getByRole('button', { name: 'Try it now' }).click();
  await page.getByText('A try: 1 change in 1 group. Nothing is sent').waitFor();
  await checkScreens(page, 'new-schedule-tried');
  await page.getByRole('button', { name: 'Add schedule' }).click();

  const history = page.getByRole('region', { name: 'History of nightly' });
  await history.getByText('It has not run yet.').waitFor();
  const row = page.getByRole('table', { name: 'Schedules by name' }).getByRole('row', { name: /nightly/ });
  await row.getByRole('button', { name: 'Run now: nightly' }).click();
  await history.getByText('1 to add').waitFor();
  await row.getByRole('link', { name: /^nightly, / }).waitFor();
  // While it runs, it cannot be edited.
  await row.getByText('ran', { exact: true }).waitFor();

  const other = await browser.open(`${server.url}/schedules/nightly/edit`, { refusals: true });
  await other.getByLabel('Mode').waitFor();
  await row.getByLabel('More actions for nightly').click();
  await row.getByRole('link', { name: 'Edit: nightly' }).click();
  await page.getByRole('heading', { name: 'Edit nightly' }).waitFor();
  expect(await page.getByLabel('File or pattern').inputValue()).toBe(join(exports, 'members.csv'));
  expect(await page.getByLabel('At', { exact: true }).inputValue()).toBe('03:15');
  expect(await page.getByLabel('Create users the service does not know').isChecked()).toBe(false);
  expect(await page.getByLabel('Type of a new group').inputValue()).toBe('private');
  expect(await page.getByLabel('Columns of new users and groups').inputValue()).toBe('group_name=Room');
  expect(await page.getByLabel('Most groups to create').inputValue()).toBe('3');
  expect(await page.getByLabel('Wait for the service at most').inputValue()).toBe('90m');
  await page.getByLabel('Wait for the service at most').fill('soon');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.locator('#new-giveUpAfter-error', { hasText: 'allowed is a number of seconds' }).waitFor();
  await page.getByLabel('Wait for the service at most').fill('');
  expect(await page.getByLabel('Rows that the file must have').inputValue()).toBe('5');
  await page.getByLabel('Rows that the file must have').fill('');
  await page.getByLabel('Most groups to create').fill('many');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.locator('#new-maxGroups-error', { hasText: 'many' }).waitFor();
  await page.getByLabel('Most groups to create').fill('4');
  await page.getByLabel('At', { exact: true }).fill('04:00');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await row.getByText('At 04:00, Monday through Friday').waitFor();
  await row.getByText('may create groups; at most 4 groups').waitFor();
  await checkScreens(page, 'schedules');

  await other.getByLabel('Mode').selectOption('mirror');
  await other.getByRole('button', { name: 'Save changes' }).click();
  await other.getByText('it has version 2, and not 1').waitFor();
  await checkScreens(other, 'edited-meanwhile');
  await other.getByRole('button', { name: 'Discard mine, and show theirs' }).click();
  await eventually(() => other.getByLabel('At', { exact: true }).inputValue()).toBe('04:00');
  await other.getByLabel('Mode').selectOption('mirror');
  await other.getByRole('button', { name: 'Save changes' }).click();
  await other.getByText('mirrors the file; members who are not in it are reported').waitFor();

  await page.goto(`${server.url}/schedules`);
  await row.getByRole('link', { name: /^nightly, .*: ran/ }).waitFor();
  await checkScreens(page, 'nights');
});

test('the file of a schedule is shown as it is and as it is read, its columns are chosen, and a recipe fills in the rest', async () => {
  writeFileSync(join(exports, 'rooms.csv'), 'Raum,Wer\nteam,ann\nteam,zoe!\n');
  const page = await browser.open(`${server.url}/schedules/new`, { refusals: true });
  await page.getByLabel('Name', { exact: true }).fill('Rooms');
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.locator('#new-file-error', { hasText: 'give its path' }).waitFor();
  await page.getByLabel('File or pattern').fill(join(exports, 'nothing.csv'));
  await page.getByRole('button', { name: 'Show the file' }).click();
  await page.locator('#new-file-error', { hasText: 'there is no file' }).waitFor();
  await page.getByLabel('File or pattern').fill(join(exports, 'rooms.csv'));
  await page.getByLabel('Group', { exact: true }).fill('no group!');
  await page.getByRole('button', { name: 'Show the file' }).click();
  await page.locator('#new-guid-error', { hasText: 'cannot be used' }).waitFor();
  // A correction is tried without a press of the button.
  await page.getByLabel('Group', { exact: true }).fill('');
  await page.getByRole('table', { name: 'The first rows' }).getByText('zoe!').waitFor();
  await page.locator('#new-map-uid-error', { hasText: /./ }).waitFor();
  await page.getByLabel('Use of column “Wer”').selectOption('User (UID)');
  await page.getByLabel('Use of column “Raum”').selectOption('Group (GUID)');
  const read = page.getByRole('table', { name: 'The first rows' });
  await read.getByRole('row', { name: /ann in team: participant/ }).waitFor();
  await read.getByText('has "!"').waitFor();
  await checkScreens(page, 'schedule-file');
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByRole('region', { name: 'History of rooms' }).waitFor();
  await page.goto(`${server.url}/schedules/rooms/edit`);
  await page.getByRole('button', { name: 'Show the file' }).click();
  await eventually(() => page.getByLabel('Use of column “Wer”').inputValue()).toBe('uid');

  await page.getByLabel('Recipe').selectOption({ label: 'Slack: workspace export' });
  await eventually(() => page.locator('#new-map').inputValue()).not.toContain('Wer');
  await page.getByLabel('Recipe').selectOption('none');
  await eventually(() => page.locator('#new-map').inputValue()).toBe('');
});

test('what is chosen while the server still reads the file is read too', async () => {
  writeFileSync(join(exports, 'slow.csv'), 'Raum,Wer\nteam,ann\n');
  const page = await browser.open(`${server.url}/schedules/new`, { refusals: true });
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  await page.route('**/v1/schedules/look', async (route) => {
    if (route.request().postData()?.includes('Wer') && !route.request().postData()?.includes('Raum')) {
      asked.resolve();
      await answer.promise;
    }
    await route.continue();
  });
  await page.getByLabel('File or pattern').fill(join(exports, 'slow.csv'));
  await page.getByRole('button', { name: 'Show the file' }).click();
  await page.getByLabel('Use of column “Wer”').selectOption('User (UID)');
  await asked.promise;
  await page.clock.install();
  await page.getByLabel('Use of column “Raum”').selectOption('Group (GUID)');
  // Long enough for the pause after which a change is asked about.
  await page.clock.runFor(5_000);
  answer.resolve();
  await page
    .getByRole('table', { name: 'The first rows' })
    .getByRole('row', { name: /ann in team: participant/ })
    .waitFor();
});

test('a title above the header and several groups in a cell are chosen for a schedule as they are for an import, and kept', async () => {
  writeFileSync(join(exports, 'titled.csv'), 'Rooms in May,\n,\nWer,Raum\nann,team; choir\nben,team;band\n');
  const page = await browser.open(`${server.url}/schedules/new`, { refusals: true });
  await page.getByLabel('Name', { exact: true }).fill('titled');
  await page.getByLabel('File or pattern').fill(join(exports, 'titled.csv'));
  await page.getByRole('button', { name: 'Show the file' }).click();
  await page.getByText('The header is in row 3, it seems').waitFor();
  await page.getByRole('button', { name: 'Skip the rows above it' }).click();
  await page.getByLabel('Use of column “Wer”').selectOption('User (UID)');
  await page.getByLabel('Use of column “Raum”').selectOption('Group (GUID)');
  await page.getByText('Several groups or users in a row', { exact: true }).click();
  await page.getByLabel('Between groups in a cell').fill(';');
  const rows = page.getByRole('table', { name: 'The first rows' }).locator('tbody tr');
  await eventually(() => rows.allTextContents()).toEqual([
    expect.stringMatching(/^4ann.*ann in team: .*ann in choir: /),
    expect.stringMatching(/^5ben.*ben in team: .*ben in band: /),
  ]);
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByRole('region', { name: 'History of titled' }).waitFor();
  await page.goto(`${server.url}/schedules/titled/edit`);
  await page.getByText('File format').click();
  expect(await page.getByLabel('Row of the header').inputValue()).toBe('3');
  await page.getByText('Several groups or users in a row', { exact: true }).click();
  expect(await page.getByLabel('Between groups in a cell').inputValue()).toBe(';');
  // A choice without a value is asked for beside its field.
  await page.getByLabel('Row of the header').fill('');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.locator('#new-headerRow-error', { hasText: 'In which row is the header?' }).waitFor();
  await page.getByLabel('Row of the header').fill('3');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('region', { name: 'History of titled' }).waitFor();
});

test('a schedule is saved also while the server still looks at its file', async () => {
  writeFileSync(join(exports, 'long.csv'), 'guid,uid\nteam,ann\n');
  const page = await browser.open(`${server.url}/schedules/new`);
  const asked = Promise.withResolvers<void>();
  await page.route('**/v1/schedules/look', () => asked.resolve());
  await page.getByLabel('File or pattern').fill(join(exports, 'long.csv'));
  await page.getByRole('button', { name: 'Show the file' }).click();
  await asked.promise;
  await page.getByLabel('Name', { exact: true }).fill('at-once');
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByRole('region', { name: 'History of at-once' }).waitFor();
});

test('the name of a schedule is made from a title, and one that is taken is said while it is typed', async () => {
  writeFileSync(join(exports, 'roster.csv'), 'guid,uid\nteam,ann\n');
  const page = await browser.open(`${server.url}/schedules/new`);
  const name = page.getByLabel('Name', { exact: true });
  const error = page.locator('#new-name-error');
  await name.fill('夜');
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await error.filter({ hasText: 'letters a to z or digits' }).waitFor();
  // A look at the file leaves the error where it is.
  await page.getByLabel('File or pattern').fill(join(exports, 'roster.csv'));
  await page.getByRole('button', { name: 'Show the file' }).click();
  await page.getByRole('table').filter({ hasText: 'ann' }).waitFor();
  expect(await error.textContent()).toContain('letters a to z or digits');
  await name.fill('Nightly Röster');
  await page.getByText('It will be called nightly-roster.').waitFor();
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByRole('region', { name: 'History of nightly-roster' }).waitFor();

  await page.goto(`${server.url}/schedules/new`);
  await name.fill('Nightly roster');
  await error.filter({ hasText: 'There is a schedule “nightly-roster” already.' }).waitFor();
  await name.fill('nightly_roster');
  await page.getByText('It will be called nightly_roster.').waitFor();
  await eventually(() => error.textContent()).toBe('');
});

test('the form says at its top whether a schedule only plans or applies by itself, and leads to the choice', async () => {
  const page = await browser.open(`${server.url}/schedules/new`);
  const said = page.locator('form').getByRole('status').first();
  await said.filter({ hasText: 'This schedule only plans' }).waitFor();
  await page.getByRole('button', { name: 'Change this' }).click();
  await page.locator(':focus').and(page.getByLabel('Apply the plan at once')).check();
  await said.filter({ hasText: 'This schedule applies its plans by itself' }).waitFor();
  await checkScreens(page, 'schedule-applies');
});

test('a cron expression begins with the times that were chosen, and the zone says what it means', async () => {
  const page = await browser.open(`${server.url}/schedules/new`, { refusals: true, timezoneId: 'Asia/Kolkata' });
  await page.getByLabel('At', { exact: true }).fill('06:45');
  await page.getByLabel('Runs', { exact: true }).selectOption('as a cron expression says');
  await eventually(() => page.getByLabel('Cron expression').inputValue()).toBe('45 6 * * *');
  await page.getByText('now UTC+05:30').waitFor();
  await page.getByLabel('Time zone').fill('Nowhere');
  await page.getByText('A city as in the list').waitFor();
  await page.getByLabel('Time zone').fill('UTC');
  await page.locator('.next-times', { hasText: 'At 06:45 (UTC)' }).waitFor();
});
