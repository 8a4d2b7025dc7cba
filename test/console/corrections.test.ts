import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { asksBeforeClosing, csvFile, eventually, startImport, useBrowser } from './browser.ts';
import { standBefore } from './front.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const cell = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const users = ['ada', 'ben', 'cyd', 'dot', 'eve'];
const server = useServer({ seed: { users, groups: ['choir'] } });

/** Column names of someone else, e-mail addresses among the users, a word for an unknown scope, two unknown users. */
const MESSY = [
  ['Member No', 'Room', 'Rolle', 'Remark'],
  ['ada', 'choir', 'admin', 'sings'],
  ['ben@example.org', 'choir', 'participant', 'hums'],
  ['cyd', 'choir', 'chief', ''],
  ['dot', 'choir', 'chief', 'too late'],
  ['nobody-1', 'choir', 'participant', ''],
  ['nobody-2', 'choir', 'participant', ''],
];

const FILE = MESSY.map((row) => row.join(',')).join('\n');
const OPTIONS = `map=${encodeURIComponent('uid=Member No,guid=Room,scope=Rolle')}`;

test('rows are corrected in their list, before and after the others are sent; two people do not overwrite each other', async () => {
  const id = await server.upload(FILE, `name=roster.csv&dryRun=true&${OPTIONS}`);
  const page = await browser.open(`${server.url}/imports/${id}`, { refusals: true });
  await page.getByRole('link', { name: 'Correct rows…' }).click();
  await page.getByText('Corrected rows can be sent when this import has finished.').waitFor();
  await page.getByText('3 rows to correct: 3 not edited.').waitFor();
  await server.post(`/v1/imports/${id}/resume`);
  await page
    .getByText(/^1 of 6 rows succeeded; .*every row is accounted for/)
    .first()
    .waitFor();
  await page.getByText('5 rows to correct: 5 not edited.').waitFor();
  await page.getByRole('link', { name: 'Correct rows…' }).click();
  // The first cell is in the upper half of the window.
  await eventually(async () => (await cell(page, 'Member No, row 3').boundingBox())?.y).toBeLessThan(450);

  // Another person looks at the same rows, and keeps what was there then.
  const other = await browser.open(page.url());
  await cell(other, 'Member No, row 3').waitFor();
  const rows = `/v1/imports/${id}/corrections/rows`;
  const then = await (await fetch(new URL(rows, server.url))).json();
  await other.route(`**${rows}?*`, (route) => route.fulfill({ json: then }));

  const left = async () => (await cell(page, 'Remark, row 3').boundingBox())?.x;
  const before = await left();
  // An edit that does not help shows it at once and is taken back. Typing replaces a value after a click.
  await cell(page, 'Member No, row 3').click();
  await page.keyboard.type('ben example');
  await page.keyboard.press('Enter');
  await page.getByText('1 edited and still wrong').waitFor();
  await page.locator('input:focus').and(cell(page, 'Member No, row 4')).waitFor();
  await page.getByRole('button', { name: 'Restore row 3' }).waitFor();
  await eventually(left).toBe(before);
  await page.getByRole('button', { name: 'Restore row 3' }).click();
  await eventually(() => cell(page, 'Member No, row 3').inputValue()).toBe('ben@example.org');
  await cell(page, 'Remark, row 3').focus();
  await page.keyboard.press('Enter');
  await cell(page, 'Remark, row 4').click();
  await page.keyboard.type('gone');
  await cell(page, 'Remark, row 4').press('Escape');
  await eventually(() => cell(page, 'Remark, row 4').inputValue()).toBe('');
  await cell(page, 'Member No, row 3').click();
  await page.keyboard.type('ben');
  await page.keyboard.press('Tab');
  await page.getByText('1 ready to send').waitFor();
  // The next click goes into the value, which the browser's own keys change and take back.
  await cell(page, 'Remark, row 5').click();
  await cell(page, 'Remark, row 5').click({ position: { x: 5, y: 5 } });
  await page.keyboard.type('too ');
  await eventually(() => cell(page, 'Remark, row 5').inputValue()).toBe('too too late');
  await page.keyboard.press('Control+z');
  await eventually(() => cell(page, 'Remark, row 5').inputValue()).toBe('too late');

  // What the other enters meanwhile is not lost, nor does it hold back the rest.
  await cell(other, 'Member No, row 3').fill('eve');
  await cell(other, 'Remark, row 3').fill('whistles');
  await other.keyboard.press('Enter');
  await other.getByText('“eve” was not entered in Member No: local has entered "ben" meanwhile').waitFor();
  await other.unroute(`**${rows}?*`);
  await other.reload();
  await eventually(() => cell(other, 'Member No, row 3').inputValue()).toBe('ben');
  await other.getByText('Remark was “hums”').waitFor();
  await other.close();
});

test('many rows are corrected at once and with a spreadsheet, and sent; the import asks for what is left', async () => {
  const id = await server.run(FILE, `name=roster.csv&${OPTIONS}`);
  // As other pages lead to them.
  const page = await browser.open(`${server.url}/imports/${id}?state=open,wrong,ready#rows`, { refusals: true });
  await cell(page, 'Member No, row 3').fill('ben');
  await page.keyboard.press('Enter');
  await cell(page, 'Rolle, row 4').fill('moderator');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  const replaceAll = async (column: string, from: string, to: string, match = 'the whole value') => {
    await page.getByRole('button', { name: 'Find and replace…' }).click();
    await dialog.getByLabel('In column').selectOption(column);
    await dialog.getByLabel('Match').selectOption(match);
    await dialog.getByLabel('Find', { exact: true }).fill(from);
    await dialog.getByLabel('Replace with').fill(to);
    await dialog.getByRole('button', { name: 'Preview…' }).click();
  };
  await replaceAll('Rolle', 'chief', 'moderator');
  await dialog.getByText('Row 5: chief becomes moderator').waitFor();
  await dialog.getByRole('button', { name: 'Change 1 row' }).click();
  await page.getByText('3 ready to send').waitFor();
  await eventually(() => cell(page, 'Rolle, row 5').inputValue()).toBe('moderator');
  await replaceAll('Remark', 'too late', '');
  await dialog.getByText('Row 5: too late becomes empty').waitFor();
  await dialog.getByRole('button', { name: 'Change nothing' }).click();
  // Spaces are part of a text to find.
  await replaceAll('Remark', ' ', '-', 'anywhere in the value');
  await dialog.getByText('Row 5: too late becomes too-late').waitFor();
  await dialog.getByRole('button', { name: 'Change nothing' }).click();

  // A column of values from a spreadsheet, on the rows with one problem.
  const problems = page.getByRole('region', { name: 'Problems' });
  await problems.getByRole('link', { name: 'ERR_UID_NOT_FOUND: 2 rows' }).click();
  await page.getByText('5 rows to correct: 3 ready to send, 2 not edited. 2 fit this filter.').waitFor();
  await eventually(() => page.getByRole('table', { name: 'Rows to correct' }).locator('tbody tr').count()).toBe(2);
  await cell(page, 'Member No, row 6').focus();
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'eve\\nnobody-3\\nnobody-4\\n');
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }`);
  await dialog.getByText('Row 7: nobody-2 becomes nobody-3').waitFor();
  await dialog.getByText('1 line left out, from “nobody-4” on: there is no row below.').waitFor();
  await page.getByRole('button', { name: 'Change 2 rows' }).click();
  await page.getByText('5 rows to correct: 5 ready to send').waitFor();
  await page.getByRole('button', { name: 'Restore row 7' }).click();
  await page.getByText('4 ready to send').waitFor();

  // The same in a file.
  await page.getByLabel('With a spreadsheet').click();
  const corrected = [
    [...(MESSY[0] ?? []), '_row'],
    ['dot', 'choir', 'moderator', 'too late', '5'],
    ['ada', 'cho ir', '', '', '7'],
  ];
  await page
    .getByLabel('Corrected file')
    .setInputFiles(csvFile(corrected.map((row) => row.join(',')).join('\n'), 'fixed.csv'));
  await page.getByText('3 cells edited in 1 row; 1 row as before.').waitFor();
  await page.getByText('Row 7 is still wrong').waitFor();
  await page.getByRole('button', { name: 'Restore row 7' }).click();
  await page.getByText('4 ready to send').waitFor();

  await page.getByRole('button', { name: 'Send 4 corrected rows…' }).click();
  await dialog.getByText('up to 4, one for each change').waitFor();
  await page.getByRole('button', { name: 'Send 4 rows' }).click();
  await page.getByRole('heading', { name: 'roster-corrected.csv' }).waitFor();
  await page.getByText('All 4 rows succeeded; every row is accounted for.').first().waitFor();
  await page.goBack();
  await page.getByText('5 rows to correct: 1 not edited, 4 sent.').waitFor();
  // Nothing can be changed in those that were sent.
  await page.getByLabel('Show', { exact: true }).selectOption('corrected and sent');
  await cell(page, 'Member No, row 6').waitFor();
  await eventually(() => page.getByRole('button', { name: 'Find and replace…' }).count()).toBe(0);

  // The import asks for what is left, and for nothing else.
  await page.getByText(/^Corrected rows .*: completed, /).waitFor();
  await page.getByRole('button', { name: 'Retry 1 row' }).waitFor();
  await problems.getByRole('link', { name: /UNKNOWN_SCOPE/ }).click();
  await problems.getByText('2 rows corrected and sent.').waitFor();
  // There is nothing to correct in them: their outcomes are shown.
  await page.getByRole('table', { name: 'Rows of the file' }).getByText('UNKNOWN_SCOPE').first().waitFor();
  await problems.getByRole('link', { name: /ERR_UID_NOT_FOUND/ }).click();
  await cell(page, 'Member No, row 7').fill('ada');
  await page.keyboard.press('Enter');
  await page.getByText('1 ready to send').waitFor();
  await problems.getByText('1 row corrected and not sent yet.').waitFor();
  await page.getByRole('link', { name: 'Send corrected rows…' }).waitFor();
});

test('an edit of a row that could not be saved, and one that is left while it is typed, are saved later', async () => {
  const front = await standBefore(server.url);
  const page = await browser.open(front.url, { refusals: true });
  await startImport(page, 'guid,uid\nchoir,ada!\nchoir,ben!\n', 'wrong.csv');
  await page.getByRole('link', { name: 'Correct rows…' }).click();
  // The group is the same in both, and cannot be what is wrong.
  await page.getByText('In all rows shown: guid choir').waitFor();
  await page.getByRole('button', { name: 'All columns' }).click();
  await cell(page, 'guid, row 3').waitFor();
  await page.getByRole('button', { name: 'Fewer columns' }).click();
  await page.getByText('In all rows shown: guid choir').waitFor();
  await cell(page, 'uid, row 2').fill('ada');
  await page.goBack();
  await page.getByRole('heading', { name: 'wrong.csv', level: 1 }).waitFor();
  await page.goForward();
  await page.getByText('1 ready to send').waitFor();
  await eventually(() => cell(page, 'uid, row 2').inputValue()).toBe('ada');
  await front.goAway();
  await cell(page, 'uid, row 3').fill('ben');
  await page.keyboard.press('Enter');
  await page.getByText('Not saved.', { exact: false }).first().waitFor();
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await eventually(() => asksBeforeClosing(page)).toBe(true);
  await front.comeBack();
  await eventually(() => asksBeforeClosing(page)).toBe(false);
  await page.goBack();
  await page.getByText('2 ready to send').waitFor();
  await eventually(() => cell(page, 'uid, row 3').inputValue()).toBe('ben');
  // Nothing is sent by it: it asks once, and does not show a plan of sending.
  await page.getByLabel('More actions').click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete import' }).click();
  await page.getByRole('heading', { name: 'Imports', level: 1 }).waitFor();
});

test('an edit whose row cannot be shown again stays in sight, with the reason', async () => {
  const page = await browser.open(server.url, { refusals: true });
  await startImport(page, 'guid,uid\nchoir,ada!\nchoir,ben!\n', 'unseen.csv');
  await page.getByRole('link', { name: 'Correct rows…' }).click();
  await cell(page, 'uid, row 2').waitFor();
  await page.route('**/corrections', (route) => route.fulfill({ status: 500, body: '' }));
  await cell(page, 'uid, row 2').fill('ada');
  await page.keyboard.press('Enter');
  await page.getByText('The server answered with status 500.').waitFor();
  await page.getByText('Not saved.', { exact: false }).first().waitFor();
  await eventually(() => cell(page, 'uid, row 2').inputValue()).toBe('ada');
  await page.unroute('**/corrections');
  await page.getByRole('button', { name: 'Save again' }).click();
  await page.getByText('1 ready to send').waitFor();
  await eventually(() => cell(page, 'uid, row 2').inputValue()).toBe('ada');
  await eventually(() => page.getByText('The server answered with status 500.').count()).toBe(0);

  // Where only the rows do not come, nothing is offered for sending that was not shown.
  await page.route('**/corrections/rows?*', (route) => route.fulfill({ status: 500, body: '' }));
  await cell(page, 'uid, row 3').fill('ben');
  await page.keyboard.press('Enter');
  await page.getByText('Not saved.', { exact: false }).first().waitFor();
  await page.getByRole('button', { name: 'Send 1 corrected row…' }).waitFor();
  await eventually(() => page.getByText('The server answered with status 500.').count()).toBe(1);
  await page.unroute('**/corrections/rows?*');
  await page.getByRole('button', { name: 'Save again' }).click();
  await page.getByRole('button', { name: 'Send 2 corrected rows…' }).waitFor();
  await eventually(() => cell(page, 'uid, row 3').inputValue()).toBe('ben');

  // When other rows come, the reason why some did not is gone.
  await page.route('**/corrections/rows?*', (route) => route.fulfill({ status: 500, body: '' }));
  await page.getByRole('button', { name: 'Send 2 corrected rows…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click();
  await page.getByText('The server answered with status 500.').waitFor();
  await page.unroute('**/corrections/rows?*');
  await page.getByLabel('Show', { exact: true }).selectOption('ready to send');
  await cell(page, 'uid, row 3').waitFor();
  await eventually(() => page.getByText('The server answered with status 500.').count()).toBe(0);
});
