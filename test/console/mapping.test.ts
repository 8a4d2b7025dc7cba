import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violations } from './accessibility.ts';
import { csvFile, eventually, useBrowser } from './browser.ts';
import { standBefore } from './front.ts';
import { useServerHere } from './serve-here.ts';

const browser = useBrowser();
const server = useServerHere();

const understood = (page: Page) =>
  page.getByRole('table', { name: 'The first rows, as rollcall reads them' }).locator('tbody tr');
const raw = (page: Page) => page.getByRole('table', { name: 'The file as it is' });
const cells = async (page: Page) =>
  (await understood(page).allTextContents()).map((text) => text.replaceAll(/\s+/g, ' '));

async function choose(page: Page, text: string, name: string): Promise<void> {
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(text, name));
  await understood(page).first().waitFor();
}

test('a messy list: suggestions apply, the grid says what each column is, and every membership is sent', async () => {
  const page = await browser.open(server.url);
  await choose(
    page,
    'E-mail,Team,Role,Status\nAnna@x.it,g1; g2,OWNER,active\nben@x.it,g1,member,left\ncyd@x.it,g2,member,active\n',
    'messy.csv',
  );
  const seen = page.getByRole('region', { name: 'What was seen' });
  await seen.getByText('looks like e-mail addresses; UIDs may not contain @.').waitFor();
  expect(await violations(page)).toEqual([]);
  await seen.getByRole('button', { name: /^Make UIDs with/ }).click();
  await eventually(() => cells(page)).toContainEqual(expect.stringContaining('anna'));
  await seen.getByRole('button', { name: /^Apply all/ }).click();
  await eventually(() => cells(page)).toEqual([
    expect.stringMatching(/anna.*g1.*admin.*none/),
    expect.stringMatching(/anna.*g2.*admin.*none/),
    expect.not.stringMatching(/none/),
    expect.stringMatching(/cyd.*g2.*participant.*none/),
  ]);
  expect(await raw(page).getByRole('columnheader').allTextContents()).toEqual([
    'Row',
    'E-mailUser (UID)',
    'TeamGroup (GUID)',
    'RoleScope',
    'Statusnot used',
  ]);
  await page.getByText('Only some rows').click();
  expect(await page.getByLabel('Value', { exact: true }).inputValue()).toBe('active');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Start import' }).click();
  await page
    .getByText(/^Completed: 3 of 4/)
    .first()
    .waitFor();
});

test('a file without a header, and one whose header stands lower', async () => {
  const page = await browser.open(server.url);
  await choose(page, 'team-1,ada\nteam-1,ben\nteam-1,cyd\n', 'bare.csv');
  await page.getByRole('button', { name: 'Read it as a row' }).click();
  await eventually(() => cells(page)).toContainEqual(expect.stringMatching(/^1.*ada.*team-1/));
  await page.getByLabel('Group (GUID)').selectOption('');
  await page.getByText('No column is recognised as the group.').waitFor();

  await choose(page, 'Report of May\nby Anna\nuid,guid\nada,choir\n', 'titled.csv');
  await page.getByText('The header seems to be in row 3.').waitFor();
  await page.getByRole('button', { name: 'Skip the rows above it' }).click();
  await eventually(() => cells(page)).toEqual([expect.stringMatching(/^4.*ada.*choir/)]);
  await page.getByText('File format').click();
  expect(await page.getByLabel('Row of the header').inputValue()).toBe('3');
});

test('what is wrong with a file is said in its own words: no UIDs, and nothing in it', async () => {
  const page = await browser.open(server.url);
  await choose(page, 'guid,uid\nchoir,anna\nchoir,b!\nchoir,c!\nchoir,d!\n', 'signs.csv');
  await page.getByText('has values that are not valid UIDs, such as b!.').waitFor();
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('', 'empty.csv'));
  await page.getByRole('alert').getByText('empty.csv is empty.', { exact: true }).waitFor();
});

test('UIDs from the first filled column, groups from a wide table, and from numbered columns', async () => {
  // On a slow machine what is half filled in is asked about, and refused.
  const page = await browser.open(server.url, { refusals: true });
  await choose(page, 'Login,Badge,Choir,Team A\nada,7,x,\n,8,,x\n', 'wide.csv');
  await page.getByLabel('User (UID)').selectOption('Login');
  await page.getByText('Make UIDs and GUIDs from columns').click();
  await page.getByLabel('UID from', { exact: true }).selectOption('the first filled of several columns');
  await page.getByLabel('If it is empty, from').selectOption('Badge');
  await page.getByText('Several groups or users in a row').click();
  await page.getByLabel('Groups are in').selectOption('one column for each group');
  await page.getByLabel('Columns that are groups').fill('Choir, Team *');
  await page.getByLabel('GUID of such a column').fill('{column|slug}');
  await eventually(() => cells(page)).toEqual([
    expect.stringMatching(/ada.*choir.*none/),
    expect.stringMatching(/8.*team-a.*none/),
  ]);
  expect(await violations(page)).toEqual([]);

  await choose(page, 'uid,course1,role1,course2,role2\nada,alg,admin,geo,participant\n', 'numbered.csv');
  await page.getByLabel('Groups are in').selectOption('numbered columns (course1, course2)');
  await page.getByLabel('Group columns').fill('course#');
  await page.getByLabel('Scope columns').fill('role#');
  await eventually(() => cells(page)).toEqual([
    expect.stringMatching(/ada.*alg.*admin/),
    expect.stringMatching(/ada.*geo.*participant/),
  ]);
});

test('an identity file goes with the upload, and only the first rows are sent', async () => {
  const page = await browser.open(server.url);
  await choose(page, 'E-mail,guid\nanna@x.it,g1\nben@x.it,g1\n', 'keyed.csv');
  await page.getByRole('button', { name: 'Use it as the user' }).click();
  await page.getByRole('button', { name: 'Choose an identity file…' }).click();
  await page.locator('input:focus').and(page.getByLabel('Identity file')).waitFor();
  await page
    .getByLabel('Identity file')
    .setInputFiles(csvFile('email,uid\nanna@x.it,anna\nben@x.it,ben\n', 'people.csv'));
  await page.getByText('UIDs are looked up in people.csv').waitFor();
  await page.getByLabel('Send only the first rows').fill('1');
  await page.getByRole('button', { name: 'Start import' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Completed: all 2 rows succeeded.').first().waitFor();
  await page.getByRole('table', { name: 'Rows of the file' }).getByRole('rowheader', { name: 'anna' }).waitFor();
});

test('what is refused is asked about again when it is corrected, and what is half filled in is not sent', async () => {
  const page = await browser.open(server.url, { refusals: true });
  await choose(page, 'uid,role\nann,admin\n', 'fix.csv');
  const group = page.getByLabel('Group', { exact: true });
  await group.fill('no group!');
  await page.getByText('The group for all rows cannot be used').waitFor();
  expect(await understood(page).count()).toBe(0);
  await group.fill('choir');
  await eventually(() => cells(page)).toEqual([expect.stringMatching(/ann.*choir.*admin/)]);
  await page.getByText('File format').click();
  await page.getByLabel('Header row').selectOption('in a certain row');
  await page.getByRole('button', { name: 'Start import' }).click();
  await page.getByText('In which row is the header? Give its number, such as 3.').waitFor();
  await page.getByLabel('Row of the header').fill('9');
  await page.getByText('"fix.csv" is empty').waitFor();
  await page.getByLabel('Row of the header').fill('1');
  await eventually(() => cells(page)).toEqual([expect.stringMatching(/ann.*choir.*admin/)]);
});

test('a preview that the server did not answer comes when it is back', async () => {
  const front = await standBefore(server.url);
  const page = await browser.open(front.url, { refusals: true });
  await page.getByLabel('Choose file').waitFor();
  await front.goAway();
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('uid,guid\nann,choir\n', 'late.csv'));
  await page.getByRole('alert').getByText('The server does not answer.').first().waitFor();
  await front.comeBack();
  await eventually(() => cells(page)).toEqual([expect.stringMatching(/ann.*choir/)]);
  expect(await page.getByRole('alert').getByText('The server does not answer.').count()).toBe(0);
});

test('cells beyond the header are shown as extra columns', async () => {
  const page = await browser.open(server.url);
  await choose(page, 'uid,guid\nann,choir,more\n', 'wide.csv');
  await raw(page).getByRole('columnheader', { name: 'extra column 1' }).waitFor();
  await eventually(() => cells(page)).toEqual([expect.stringMatching(/extra column 1: the row has 3 cells/)]);
  expect(await page.locator('main').textContent()).not.toContain('_extra_');
});
