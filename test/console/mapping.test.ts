import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type MadeWorkbook, textRows, xlsx } from '../imports/read/make-workbook.ts';
import { checkAccess } from './accessibility.ts';
import { csvFile, eventually, send, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

const grid = (page: Page) => page.getByRole('table', { name: 'The first rows of the file' });
const understood = (page: Page) => grid(page).locator('tbody tr');
const useOf = (page: Page, column: string) => page.getByLabel(`Use of column “${column}”`);
/** The uses of all columns, in the file's order. */
const uses = (page: Page) =>
  grid(page)
    .locator('select')
    .evaluateAll((selects) =>
      (selects as unknown as { selectedOptions: ArrayLike<{ text: string }> }[]).map(
        ({ selectedOptions }) => selectedOptions[0]?.text,
      ),
    );
const cells = async (page: Page) =>
  (await understood(page).allTextContents()).map((text) => text.replaceAll(/\s+/g, ' '));

const openDrawer = (page: Page) => page.getByText('How the file is read').click();

async function choose(page: Page, text: string, name: string): Promise<void> {
  await page.getByLabel(/^Choose/).setInputFiles(csvFile(text, name));
  await understood(page).first().waitFor();
}

/** Without the choices for the file before. */
async function chooseAnother(page: Page, text: string, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Remove' }).click();
  await choose(page, text, name);
}

const sheetOf = (uid: string) =>
  textRows([
    ['uid', 'guid'],
    [uid, 'choir'],
  ]);

async function chooseWorkbook(page: Page, name: string, sheets: MadeWorkbook['sheets']): Promise<void> {
  await page.getByLabel(/^Choose/).setInputFiles({ name, mimeType: '', buffer: xlsx({ sheets }) });
}

const top = async (part: Locator) => (await part.boundingBox())?.y ?? 0;
const sheetNames = (page: Page) => page.getByLabel('Sheet').locator('option').allTextContents();
const uids = (page: Page) =>
  page
    .getByRole('table', { name: 'The first rows' })
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => row.querySelector('td')?.textContent));

test('of messy lists suggestions apply, the grid says what each column is, and every membership is sent; the drawer makes UIDs and groups of columns; an identity file and a group file go with the upload; of a workbook the sheet that is chosen is read', async () => {
  // On a slow machine what is half filled in is asked about, and refused.
  const page = await browser.open(server.url, { refusals: true });
  // Without a header, with one that stands lower, with fields within a column.
  await choose(page, 'guid,uid\nchoir,anna,more\nchoir,b!\nchoir,c!\nchoir,d!\n', 'signs.csv');
  await page.getByText('has values that are no UIDs, such as "b!"').waitFor();
  await grid(page).getByRole('columnheader', { name: 'extra column 1' }).waitFor();
  await chooseAnother(page, 'team-1,ada\nteam-1,ben\nteam-1,cyd\n', 'bare.csv');
  await page.getByRole('button', { name: 'Read it as a row' }).click();
  await eventually(() => cells(page)).toContainEqual(expect.stringMatching(/^1.*ada in team-1: /));
  await useOf(page, 'Column 1').selectOption('not used');
  await page.getByText('No column is recognised as the group.').waitFor();
  await chooseAnother(page, 'Report of May\nby Anna\nuid,guid\nada,choir\n', 'titled.csv');
  await page.getByRole('button', { name: 'Skip the rows above it' }).click();
  await eventually(() => cells(page)).toEqual([expect.stringMatching(/^4.*ada in choir: /)]);
  await openDrawer(page);
  await page.getByText('File format').click();
  await eventually(() => page.getByLabel('Row of the header').inputValue()).toBe('3');
  await chooseAnother(page, '[{"team_id":"t1","people":[{"user_id":"ann"},{"user_id":"ben"}]}]', 'nested.json');
  await page.getByRole('button', { name: /^Apply all/ }).click();
  await page.getByText('User (UID) is read from people.user_id.').waitFor();
  await eventually(() => cells(page)).toEqual([
    expect.stringMatching(/ann in t1: participant, us.*ben in t1: participant, us$/),
  ]);

  await chooseAnother(
    page,
    'E-mail,Team,Role,Status\nAnna@x.it,g1; g2,OWNER,active\nben@x.it,g1,member,left\ncyd@x.it,g2,member,active\n',
    'messy.csv',
  );
  const seen = page.getByRole('region', { name: 'What was seen' });
  await seen.getByText('looks like e-mail addresses; UIDs may not contain @').waitFor();
  await seen.getByRole('button', { name: /^Make UIDs with/ }).click();
  await eventually(() => uses(page)).toContainEqual('part of the UID');
  await seen.getByRole('button', { name: /^Apply all/ }).click();
  await page.getByRole('button', { name: 'Use these 2 meanings' }).click();
  await eventually(() => cells(page)).toEqual([
    expect.stringMatching(/Anna@x\.it.*anna in g1: admin, us.*anna in g2: admin, us$/),
    expect.stringMatching(/ben@x\.it.*left out$/),
    expect.stringMatching(/cyd in g2: participant, us$/),
  ]);
  const headers = ['Row', 'E-mail', 'Team', 'Role', 'Status', 'Read as'];
  await eventually(() => grid(page).getByRole('columnheader').allTextContents()).toEqual(headers);
  await eventually(() => uses(page)).toEqual(['part of the UID', 'Group (GUID)', 'Scope', 'decides which rows count']);
  await openDrawer(page);
  await page.getByText('Only some rows').click();
  await eventually(() => page.getByLabel('Value', { exact: true }).inputValue()).toBe('active');
  await send(page);
  await page
    .getByText(/^All 3 memberships succeeded; 1 row was left out; every row is accounted for/)
    .first()
    .waitFor();

  // The drawer makes UIDs and groups of columns; what is refused is asked about again when it is corrected.
  await page.goto(server.url);
  await choose(page, 'Login,Badge,Choir,Team A\nada,7,x,\n,8,,x\n', 'wide.csv');
  await useOf(page, 'Login').selectOption('User (UID)');
  await openDrawer(page);
  await page.getByText('Make UIDs and GUIDs from columns').click();
  await page.getByLabel('UID from', { exact: true }).selectOption('the first filled of several columns');
  await page.getByLabel('If it is empty, from').selectOption('Badge');
  await page.getByText('Several groups or users in a row', { exact: true }).click();
  await page.getByLabel('Groups are in').selectOption('one column for each group');
  await page.getByLabel('Columns that are groups').fill('Choir, Team *');
  await page.getByLabel('GUID of such a column').fill('{column|slug}');
  await eventually(() => cells(page)).toEqual([
    expect.stringMatching(/ada in choir: /),
    expect.stringMatching(/8 in team-a: /),
  ]);
  const groups = ['one of the groups', 'one of the groups'];
  await eventually(() => uses(page)).toEqual(['User (UID)', 'UID, if others are empty', ...groups]);

  await chooseAnother(page, 'uid,role\nann,admin\n', 'fix.csv');
  await openDrawer(page);
  const group = page.getByLabel('Group', { exact: true });
  await group.fill('no group!');
  await page.getByText('The group for all rows cannot be used').waitFor();
  await eventually(() => understood(page).count()).toBe(0);
  await group.fill('choir');
  await eventually(() => cells(page)).toEqual([expect.stringMatching(/ann in choir: admin/)]);
  await page.getByText('File format').click();
  await page.getByLabel('Header row').selectOption('in a certain row');
  await page.getByRole('button', { name: 'Next: review' }).click();
  await page.getByText('In which row is the header? Give its number, such as 3.').waitFor();

  // An identity file and a group file go with the upload: one code becomes several groups.
  await chooseAnother(page, 'E-mail,guid\nanna@x.it,H R\n', 'keyed.csv');
  await page.getByText('It looks like the user.').waitFor();
  await page.getByRole('button', { name: 'Use it as the user' }).click();
  await page.getByRole('button', { name: 'Choose an identity file…' }).click();
  await page.locator('input:focus').and(page.getByLabel('Identity file')).waitFor();
  await page.getByLabel('Identity file').setInputFiles(csvFile('email,uid\nanna@x.it,anna\n', 'people.csv'));
  await page.getByText('UIDs are looked up in people.csv').waitFor();
  await page.getByLabel('Group file').setInputFiles(csvFile('code,guid\nH R,g1\nH R,g2\n', 'groups.csv'));
  await page.getByText('GUIDs are looked up in groups.csv').waitFor();
  await eventually(() => cells(page)).toEqual([expect.stringMatching(/\(looked up\) in H R \(looked up\): /)]);
  await send(page);
  await page
    .getByText(/^All 2 (?:rows|memberships) succeeded; every row is accounted for/)
    .first()
    .waitFor();
  const rows = page.getByRole('table', { name: 'Rows of the file' });
  await rows.getByRole('rowheader', { name: 'anna' }).first().waitFor();

  // The sheets of a workbook are offered by their names; one that cannot be read is refused beside the choice.
  await page.goto(server.url);
  await chooseWorkbook(page, 'team.xlsx', [
    { name: 'Read me', rows: textRows([['The choir'], ['All its members.']]) },
    { name: 'Members', rows: sheetOf('ann') },
    { name: 'Old', rows: sheetOf('old'), state: 'hidden' },
  ]);
  const note = page.getByText(
    'The rows are from the sheet "Members", the first one with a table (before it, only text',
  );
  await note.waitFor();
  await page.getByText('The first row as it is.').waitFor();
  await eventually(async () => (await top(note)) < (await top(grid(page)))).toBe(true);
  await eventually(() => sheetNames(page)).toEqual([
    'the first one with a table',
    'Read me',
    'Members',
    'Old (hidden)',
  ]);
  await checkAccess(page);
  await page.getByLabel('Sheet').selectOption('Old (hidden)');
  await eventually(() => uids(page)).toEqual(['old']);

  await page.getByRole('button', { name: 'Remove' }).click();
  await chooseWorkbook(page, 'cover.xlsx', [
    { name: 'New', rows: textRows([['uid', 'guid']]) },
    { name: 'Members', rows: sheetOf('ann') },
  ]);
  await page.getByRole('alert').getByText('the sheet "New" of "cover.xlsx" has no rows').waitFor();
  await page.getByLabel('Sheet').selectOption('Members');
  await eventually(() => uids(page)).toEqual(['ann']);
  await eventually(() => page.getByRole('alert').getByText('no rows').count()).toBe(0);
  await page.getByRole('button', { name: 'Remove' }).click();
  await chooseWorkbook(page, 'one.xlsx', [{ name: 'Members', rows: sheetOf('ben') }]);
  await eventually(() => uids(page)).toEqual(['ben']);
  await eventually(() => page.getByLabel('Sheet').count()).toBe(0);
});
