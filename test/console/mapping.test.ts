import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violations } from './accessibility.ts';
import { csvFile, eventually, review, send, sendButton, useBrowser } from './browser.ts';
import { standBefore } from './front.ts';
import { checkScreens } from './screens.ts';
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

test('a messy list: suggestions apply, the grid says what each column is, and every membership is sent', async () => {
  const page = await browser.open(server.url);
  await choose(
    page,
    'E-mail,Team,Role,Status\nAnna@x.it,g1; g2,OWNER,active\nben@x.it,g1,member,left\ncyd@x.it,g2,member,active\n',
    'messy.csv',
  );
  const seen = page.getByRole('region', { name: 'What was seen' });
  await seen.getByText('looks like e-mail addresses; UIDs may not contain @').waitFor();
  expect(await violations(page)).toEqual([]);
  await seen.getByRole('button', { name: /^Make UIDs with/ }).click();
  await eventually(() => uses(page)).toContainEqual('part of the UID');
  await seen.getByRole('button', { name: /^Apply all/ }).click();
  await page.getByRole('button', { name: 'Use these 2 meanings' }).click();
  await eventually(() => cells(page)).toEqual([
    expect.stringMatching(/Anna@x\.it.*anna in g1: admin, us.*anna in g2: admin, us$/),
    expect.stringMatching(/ben@x\.it.*left out$/),
    expect.stringMatching(/cyd in g2: participant, us$/),
  ]);
  expect(await grid(page).getByRole('columnheader').allTextContents()).toEqual([
    'Row',
    'E-mail',
    'Team',
    'Role',
    'Status',
    'Read as',
  ]);
  expect(await uses(page)).toEqual(['part of the UID', 'Group (GUID)', 'Scope', 'decides which rows count']);
  await openDrawer(page);
  await page.getByText('Only some rows').click();
  expect(await page.getByLabel('Value', { exact: true }).inputValue()).toBe('active');
  expect(await violations(page)).toEqual([]);
  await send(page);
  await page
    .getByText(/^Completed: 3 of 4/)
    .first()
    .waitFor();
});

test('a file without a header, and one whose header stands lower', async () => {
  const page = await browser.open(server.url);
  await choose(page, 'team-1,ada\nteam-1,ben\nteam-1,cyd\n', 'bare.csv');
  await page.getByRole('button', { name: 'Read it as a row' }).click();
  await eventually(() => cells(page)).toContainEqual(expect.stringMatching(/^1.*ada in team-1: /));
  await useOf(page, 'Column 1').selectOption('not used');
  await page.getByText('No column is recognised as the group.').waitFor();

  await choose(page, 'Report of May\nby Anna\nuid,guid\nada,choir\n', 'titled.csv');
  await page.getByText('The header is in row 3, it seems').waitFor();
  await page.getByRole('button', { name: 'Skip the rows above it' }).click();
  await eventually(() => cells(page)).toEqual([expect.stringMatching(/^4.*ada in choir: /)]);
  await openDrawer(page);
  await page.getByText('File format').click();
  expect(await page.getByLabel('Row of the header').inputValue()).toBe('3');
});

test('what is wrong with a file is said in its own words: no UIDs, and nothing in it', async () => {
  const page = await browser.open(server.url);
  await choose(page, 'guid,uid\nchoir,anna\nchoir,b!\nchoir,c!\nchoir,d!\n', 'signs.csv');
  await page.getByText('has values that are no UIDs, such as "b!"').waitFor();
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('', 'empty.csv'));
  await page.getByRole('alert').getByText('empty.csv is empty.', { exact: true }).waitFor();
});

test('UIDs from the first filled column, groups from a wide table, and from numbered columns', async () => {
  // On a slow machine what is half filled in is asked about, and refused.
  const page = await browser.open(server.url, { refusals: true });
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
  expect(await uses(page)).toEqual([
    'User (UID)',
    'UID, if others are empty',
    'one of the groups',
    'one of the groups',
  ]);
  expect(await violations(page)).toEqual([]);

  await choose(page, 'uid,course1,role1,course2,role2\nada,alg,admin,geo,participant\n', 'numbered.csv');
  await page.getByLabel('Groups are in').selectOption('numbered columns (course1, course2)');
  await page.getByLabel('Group columns').fill('course#');
  await page.getByLabel('Scope columns').fill('role#');
  await eventually(() => cells(page)).toEqual([
    expect.stringMatching(/ada in alg: admin, us.*ada in geo: participant, us/),
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
  await review(page);
  await page.getByLabel('Send only the first rows').fill('1');
  await sendButton(page).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Completed: all 2 rows succeeded.').first().waitFor();
  await page.getByRole('table', { name: 'Rows of the file' }).getByRole('rowheader', { name: 'anna' }).waitFor();
});

test('a group file goes with the upload: one code becomes several groups', async () => {
  const page = await browser.open(server.url);
  await choose(page, 'uid,guid\nanna,H R\n', 'coded.csv');
  await openDrawer(page);
  await page.getByText('Make UIDs and GUIDs from columns').click();
  await page.getByLabel('Group file').setInputFiles(csvFile('code,guid\nH R,g1\nH R,g2\n', 'groups.csv'));
  await page.getByText('GUIDs are looked up in groups.csv').waitFor();
  await eventually(() => cells(page)).toEqual([expect.stringMatching(/anna in H R \(looked up\): /)]);
  expect(await violations(page)).toEqual([]);
  await send(page);
  await page.getByText('Completed: all 2 rows succeeded.').first().waitFor();
});

test('what is refused is asked about again when it is corrected, and what is half filled in is not sent', async () => {
  const page = await browser.open(server.url, { refusals: true });
  await choose(page, 'uid,role\nann,admin\n', 'fix.csv');
  await openDrawer(page);
  const group = page.getByLabel('Group', { exact: true });
  await group.fill('no group!');
  await page.getByText('The group for all rows cannot be used').waitFor();
  expect(await understood(page).count()).toBe(0);
  await group.fill('choir');
  await eventually(() => cells(page)).toEqual([expect.stringMatching(/ann in choir: admin/)]);
  await page.getByText('File format').click();
  await page.getByLabel('Header row').selectOption('in a certain row');
  await page.getByRole('button', { name: 'Next: review' }).click();
  await page.getByText('In which row is the header? Give its number, such as 3.').waitFor();
  await page.getByLabel('Row of the header').fill('9');
  await page.getByText('"fix.csv" is empty').waitFor();
  await page.getByLabel('Row of the header').fill('1');
  await eventually(() => cells(page)).toEqual([expect.stringMatching(/ann in choir: admin/)]);
});

test('a preview that the server did not answer comes when it is back', async () => {
  const front = await standBefore(server.url);
  const page = await browser.open(front.url, { refusals: true });
  // The page of the columns is there before the server goes away.
  await choose(page, 'uid,guid\nben,choir\n', 'early.csv');
  await front.goAway();
  await page.getByLabel(/^Choose/).setInputFiles(csvFile('uid,guid\nann,choir\n', 'late.csv'));
  await page.getByRole('alert').getByText('The server does not answer.').first().waitFor();
  await front.comeBack();
  await eventually(() => cells(page)).toEqual([expect.stringMatching(/ann in choir: /)]);
  await eventually(() => page.getByRole('alert').getByText('The server does not answer.').count()).toBe(0);
});

test('cells beyond the header are shown as extra columns', async () => {
  const page = await browser.open(server.url);
  await choose(page, 'uid,guid\nann,choir,more\n', 'wide.csv');
  await grid(page).getByRole('columnheader', { name: 'extra column 1' }).waitFor();
  await eventually(() => cells(page)).toEqual([expect.stringMatching(/more.*the row has 3 cells.*cannot be sent/)]);
  expect(await page.locator('main').textContent()).not.toContain('_extra_');
});

/** Headers that no name is known by, and values that are evidence beside the names. */
const ODD = `Kennung;Raumkennung;Rolle;Bemerkung
${Array.from({ length: 12 }, (_, at) => `user-${at};room-${at};${at === 0 ? 'Leiter' : 'Mitglied'};sings`).join('\n')}
`;

test('each column is chosen in the header of the first rows, with a suggestion and its reason below it', async () => {
  const page = await browser.open(server.url);
  await choose(page, ODD, 'odd.csv');
  expect(await uses(page)).toEqual(['not used', 'not used', 'not used', 'not used']);
  expect(await grid(page).locator('.error').count()).toBe(0);
  await grid(page).getByText('Column Raumkennung looks like the group.').waitFor();
  await grid(page).getByRole('button', { name: 'Use it as the group' }).click();
  await eventually(() => uses(page)).toEqual(['not used', 'Group (GUID)', 'not used', 'not used']);
  await useOf(page, 'Bemerkung').selectOption('User (UID)');
  await eventually(() => cells(page)).toContainEqual(expect.stringMatching(/sings in room-0: participant/));
  // A field is read from one column.
  await useOf(page, 'Kennung').selectOption('User (UID)');
  await eventually(() => uses(page)).toEqual(['User (UID)', 'Group (GUID)', 'not used', 'not used']);
  await useOf(page, 'Raumkennung').selectOption('Scope');
  await page.getByText('No column is recognised as the group.').waitFor();
  await checkScreens(page, 'columns-chosen');
});

test('a file goes on as soon as its columns are chosen, whatever they are called, also while the server still looks at it', async () => {
  const page = await browser.open(server.url);
  await choose(page, 'Wer (a=1);Wohin \nann;choir\n', 'at-once.csv');
  await page.route('**/v1/look?*', () => {});
  await useOf(page, 'Wer (a=1)').selectOption('User (UID)');
  await useOf(page, 'Wohin ').selectOption('Group (GUID)');
  await send(page);
  await page.getByText('Completed: the only row succeeded.').first().waitFor();
});

test('of a wide file all columns can be chosen, also those that are not shown at first', async () => {
  const page = await browser.open(server.url);
  const names = Array.from({ length: 40 }, (_, at) => `Field ${at + 1}`);
  await choose(page, `${names.join(',')}\n${names.map((_, at) => `v${at}`).join(',')}\n`, 'broad.csv');
  expect(await grid(page).locator('select').count()).toBe(30);
  await page.getByRole('button', { name: 'Show all columns' }).click();
  await useOf(page, 'Field 40').selectOption('User (UID)');
  await useOf(page, 'Field 39').selectOption('Group (GUID)');
  await eventually(() => cells(page)).toEqual([expect.stringMatching(/v39 in v38: participant/)]);
});

const focused = (page: Page) => page.locator(':focus');
const said = (page: Page) => page.locator('#announcements').textContent();

test('after “Try a sample” and “Apply all” the keyboard is at the next decision, and it is said what happened', async () => {
  const page = await browser.open(server.url);
  await page.getByRole('button', { name: 'Try a sample' }).focus();
  await page.keyboard.press('Enter');
  await eventually(() => focused(page).textContent()).toBe('Next: review');
  await eventually(() => said(page)).toBe('The sample was chosen. Nothing is missing.');

  await choose(page, ODD, 'odd.csv');
  await page.getByRole('button', { name: 'Use it as the scope' }).focus();
  await page.keyboard.press('Enter');
  await eventually(() => focused(page).getAttribute('aria-label')).toBe('Use of column “Kennung”');
  await eventually(() => said(page)).toMatch(/^Done: Use it as the scope\. No column is recognised as the user/);
  await page.getByRole('button', { name: 'Apply all 2 suggestions' }).focus();
  await page.keyboard.press('Enter');
  await eventually(() => focused(page).textContent()).toBe('Use these 2 meanings');
  await eventually(() => said(page)).toBe('2 suggestions were applied. Nothing is missing.');
  await page.keyboard.press('Enter');
  await eventually(() => focused(page).textContent()).toBe('Next: review');
  // The first rows are in sight still.
  expect((await grid(page).locator('select').first().boundingBox())?.y).toBeGreaterThanOrEqual(0);
  await page.keyboard.press('Enter');
  await sendButton(page).click();
  await page.getByText('Completed: all 12 rows succeeded.').first().waitFor();
});

test('from a file in which nothing is missing, the start is a few keys away, however many columns it has', async () => {
  const page = await browser.open(server.url);
  const names = Array.from({ length: 40 }, (_, at) => `Field ${at + 1}`);
  await choose(page, `uid,guid,${names.join(',')}\nada,choir\n`, 'broad.csv');
  await page.getByLabel('Choose another').focus();
  let presses = 0;
  for (; (await focused(page).textContent()) !== 'Skip the choices' && presses < 10; presses += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await focused(page).getAttribute('id')).toBe('start');
  expect(presses + 2).toBeLessThanOrEqual(10);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'broad.csv', level: 1 }).waitFor();
});

test('a field that is read from within a column is suggested beside the first rows, and named below them', async () => {
  const page = await browser.open(server.url);
  await choose(page, '[{"team_id":"t1","people":[{"user_id":"ann"},{"user_id":"ben"}]}]', 'nested.json');
  await page
    .getByRole('region', { name: 'What was seen' })
    .getByText('Column people.user_id looks like the user.')
    .waitFor();
  await page.getByRole('button', { name: /^Apply all/ }).click();
  await page.getByText('User (UID) is read from people.user_id.').waitFor();
  await eventually(() => cells(page)).toEqual([
    expect.stringMatching(/ann in t1: participant, us.*ben in t1: participant, us$/),
  ]);
});
