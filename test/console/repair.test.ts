import { test } from 'vitest';
import { textRows, xlsx } from '../imports/read/make-workbook.ts';
import { eventually, useBrowser } from './browser.ts';
import { standBefore } from './front.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const users = ['ada', 'ben', 'cyd', 'dot', 'eve'];
const server = useServer({ seed: { users, groups: ['choir'] } });

/** Column names of someone else, e-mail addresses among the users, a word for an unknown scope, two unknown users. */
const MESSY = [
  ['Member No', 'Room', 'Rolle', 'Remark'],
  ['ada', 'choir', 'admin', 'sings'],
  ['ben@example.org', 'choir', 'participant', 'hums'],
  ['cyd', 'choir', 'chief', ''],
  ['dot', 'choir', 'chief', 'late'],
  ['nobody-1', 'choir', 'participant', ''],
  ['nobody-2', 'choir', 'participant', ''],
];

test('from a messy workbook to a finished import: columns mapped, rows repaired in the browser and sent', async () => {
  const front = await standBefore(server.url);
  const page = await browser.open(front.url, { refusals: true });
  const cell = (name: string) => page.getByRole('textbox', { name, exact: true });
  await page.getByLabel(/^Choose/).setInputFiles({
    name: 'roster.xlsx',
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    buffer: xlsx({ sheets: [{ name: 'Roster', rows: textRows(MESSY) }] }),
  });
  await page.getByLabel('Use of column “Member No”').selectOption('User (UID)');
  await page.getByLabel('Use of column “Room”').selectOption('Group (GUID)');
  await page.getByLabel('Use of column “Rolle”').selectOption('Scope');
  await page.getByRole('row', { name: /ada in choir: admin/ }).waitFor();
  await checkScreens(page, 'repair-preview');

  // The whole file is checked: what is wrong is counted by problem, and could be edited now.
  await page.getByRole('button', { name: 'Check the whole file first' }).click();
  await page.getByRole('row', { name: /2 .*invalid.*UNKNOWN_SCOPE/ }).waitFor();
  await checkScreens(page, 'repair-checked');
  await page.getByRole('link', { name: 'Repair rows…' }).click();
  await page.getByText('Repaired rows can be sent when this import has finished.').waitFor();
  await page.getByText('3 rows to repair').waitFor();
  await page.getByRole('link', { name: 'roster.xlsx' }).click();
  await page.getByRole('button', { name: 'Start sending' }).click();
  await page.getByText('Completed: 1 of 6 rows succeeded; 5 rows need attention.').first().waitFor();
  await checkScreens(page, 'repair-import');

  await page.getByRole('link', { name: 'Repair rows…' }).click();
  await page.getByText('5 rows to repair: 0 ready to send, 0 edited and still wrong, 5 not edited, 0 sent.').waitFor();
  await checkScreens(page, 'repair-rows');

  // An edit that does not help shows it at once and is undone; one that helps does.
  await cell('Member No, row 3').fill('ben example');
  await page.keyboard.press('Enter');
  await page.getByText('1 edited and still wrong').waitFor();
  await page.locator('input:focus').and(cell('Member No, row 4')).waitFor();
  await checkScreens(page, 'repair-still-wrong');
  await cell('Member No, row 3').press('Control+z');
  await eventually(() => cell('Member No, row 3').inputValue()).toBe('ben@example.org');
  await cell('Member No, row 3').fill('ben');
  await page.keyboard.press('Tab');
  await page.getByText('1 ready to send').waitFor();

  await cell('Rolle, row 4').fill('moderator');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Enter “moderator” in all rows with “chief”' }).click();
  await page.getByText('3 ready to send').waitFor();
  await eventually(() => cell('Rolle, row 5').inputValue()).toBe('moderator');

  // Entries while the server is away are saved when it is back; a reload shows those saved before.
  await front.goAway();
  await cell('Remark, row 5').fill('later');
  await page.keyboard.press('Enter');
  await page.getByText('Not saved').waitFor();
  await front.comeBack();
  await page.getByText('All changes are saved').waitFor();
  await page.reload();
  await page.getByText('3 ready to send').waitFor();
  await page.getByRole('button', { name: 'Show from the start' }).click();
  await eventually(() => cell('Member No, row 3').inputValue()).toBe('ben');
  await page.getByText('Member No was “ben@example.org”').waitFor();

  // A column of values from a spreadsheet, on the rows with one problem.
  await page.getByLabel('Problem').selectOption('failed ERR_UID_NOT_FOUND');
  await eventually(() => page.getByRole('table', { name: 'Rows to repair' }).locator('tbody tr').count()).toBe(2);
  await cell('Member No, row 6').focus();
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'eve\\nnobody-3\\n');
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }`);
  await page.getByText('5 rows to repair: 5 ready to send').waitFor();
  await checkScreens(page, 'repair-ready');
  await page.getByRole('button', { name: 'Restore row 7' }).click();
  await page.getByText('4 ready to send').waitFor();

  await page.getByRole('button', { name: 'Send 4 repaired rows…' }).click();
  await page.getByRole('dialog').getByText('2 of UNKNOWN_SCOPE, 1 of ERR_UID_NOT_FOUND, 1 of BAD_CHARACTER').waitFor();
  await page.getByRole('dialog').getByText('up to 4, one for each member added').waitFor();
  await checkScreens(page, 'repair-dialog');
  await page.getByRole('button', { name: 'Send 4 rows' }).click();
  await page.locator('p:focus', { hasText: 'The repaired rows were sent' }).waitFor();
  await page.getByText('0 ready to send, 0 edited and still wrong, 1 not edited, 4 sent').waitFor();
  await checkScreens(page, 'repair-sent');
  await page.getByRole('link', { name: 'see the import of repaired rows' }).click();
  await page.getByRole('heading', { name: 'roster-repaired.csv' }).waitFor();
  await page.getByText('Completed: all 4 rows succeeded').first().waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'roster.xlsx' }).click();
  await page.getByText('Rows that were repaired were').waitFor();
  await page.getByRole('button', { name: 'Retry 1 row' }).waitFor();
  await checkScreens(page, 'repair-parent');
});
