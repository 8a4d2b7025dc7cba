import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, startImport, useBrowser } from './browser.ts';
import { checkScreens } from './screens.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

/** 200 rows to repair: a user that cannot be one in every other, a group that cannot be one in the rest. */
const ROWS = Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? `choir,user ${at}!,` : `cho ir,user-${at},`));
const FILE = `guid,uid,note\n${ROWS.join('\n')}\n`;

/** The page on which the rows of such a file are repaired. */
async function openRepair(name: string): Promise<Page> {
  const page = await browser.open(server.url, { refusals: true });
  // Its rows are invalid: none is sent.
  await startImport(page, FILE, name, false);
  await page.getByText('Completed: 0 of 200 rows succeeded; 200 rows need attention.').first().waitFor();
  await page.getByRole('link', { name: 'Repair rows…' }).click();
  await page.getByText('200 rows to repair').waitFor();
  return page;
}

const cellOf = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const hasFocus = (page: Page, name: string) => page.locator('input:focus').and(cellOf(page, name)).waitFor();
/** Every other row stays: row 3 is gone when the rows of the problem are there. */
async function chooseUsers(page: Page): Promise<void> {
  await page.getByLabel('Problem').selectOption('invalid BAD_CHARACTER uid');
  await cellOf(page, 'uid, row 3').waitFor({ state: 'detached' });
}

/** Presses Ctrl+V with this on the clipboard. */
function paste(page: Page, text: string): Promise<void> {
  return page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }`);
}

test('of 100 pasted lines with 50 rows shown every one is entered; those without a row are said before and after', async () => {
  const page = await openRepair('paste.csv');
  await chooseUsers(page);
  await eventually(() => page.getByRole('table', { name: 'Rows to repair' }).locator('tbody tr').count()).toBe(50);
  await cellOf(page, 'uid, row 2').focus();
  const lines = Array.from({ length: 120 }, (_, at) => `user-${at}\t"a ""b""\tc"`);
  await paste(page, `${lines.join('\n')}\n`);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('20 lines are left out, from “user-100” on: there is no row for them.').waitFor();
  await checkScreens(page, 'repair-paste-dialog');
  await dialog.getByText('There are 100 rows from row 2 on.').waitFor();
  await page.getByRole('button', { name: 'Enter nothing' }).click();
  // Every line has a row, and there are more rows than lines.
  await cellOf(page, 'uid, row 4').focus();
  await paste(page, 'a\tb\tc\nd\te\tf\n');
  await page.getByRole('dialog', { name: 'Enter 2 lines?' }).waitFor();
  expect(await dialog.locator('#explanation').textContent()).toBe(
    '2 cells to the right of the last column are left out.',
  );
  await page.getByRole('button', { name: 'Enter nothing' }).click();
  await cellOf(page, 'uid, row 2').focus();
  await paste(page, `${lines.join('\n')}\n`);
  await page.getByRole('button', { name: 'Enter 100 lines' }).click();
  await page.getByText('100 ready to send').waitFor();
  await page.getByText('200 cells in 100 rows were changed; 100 of these rows can be sent.').waitFor();
  await page.getByText('20 lines are left out, from “user-100” on: there is no row for them.').waitFor();
  await eventually(() => cellOf(page, 'note, row 100').inputValue()).toBe('a "b"\tc');
  await page.getByRole('button', { name: 'Show 50 more' }).click();
  await eventually(() => cellOf(page, 'uid, row 200').inputValue()).toBe('user-99');
  await checkScreens(page, 'repair-pasted');

  await page.getByRole('button', { name: 'Undo: 200 cells entered' }).click();
  await page.getByText('0 ready to send, 0 edited and still wrong, 200 not edited').waitFor();
  await eventually(() => cellOf(page, 'uid, row 200').inputValue()).toBe('user 198!');
  // Once more, all sent: no row needs attention that was sent.
  await cellOf(page, 'uid, row 2').focus();
  await paste(page, lines.slice(0, 100).join('\n'));
  await page.getByText('100 ready to send').waitFor();
  await page.getByRole('button', { name: 'Send 100 repaired rows…' }).click();
  await page.getByRole('button', { name: 'Send 100 rows' }).click();
  await page.getByText('The repaired rows were sent').waitFor();
  await page.getByRole('link', { name: 'paste.csv' }).click();
  await page
    .getByText('Completed: 0 of 200 rows succeeded; 100 rows were repaired and sent; 100 rows need attention.')
    .first()
    .waitFor();
  await page
    .getByRole('row', { name: /BAD_CHARACTER/ })
    .getByRole('link', { name: 'Repair' })
    .first()
    .waitFor();
});

test('find and replace in a column shows what would change first; fill down enters a value in all rows below', async () => {
  const page = await openRepair('replace.csv');
  await chooseUsers(page);
  await page.getByText('Find and replace').click();
  const look = page.getByRole('button', { name: 'Preview' });
  await page.getByLabel('In column').selectOption('uid');
  await page.getByLabel('Find', { exact: true }).fill('!');
  await look.click();
  await page.getByText('100 cells would change. The first 10:').waitFor();
  expect(await page.getByRole('table', { name: 'What would change' }).locator('tbody tr').count()).toBe(10);
  await checkScreens(page, 'repair-find');
  await page.getByLabel('Match').selectOption('pattern');
  await page.getByLabel('Find', { exact: true }).fill('user *!');
  await page.getByLabel('Replace with').fill('user-$1');
  await look.click();
  await page.getByRole('row', { name: /2 user 0! user-0/ }).waitFor();
  await page.getByRole('button', { name: 'Replace in 100 cells' }).click();
  await page.getByText('100 ready to send').waitFor();
  await eventually(() => cellOf(page, 'uid, row 2').inputValue()).toBe('user-0');

  await page.getByLabel('Problem').selectOption('invalid BAD_CHARACTER guid');
  await cellOf(page, 'guid, row 5').fill('team');
  await page.keyboard.press('Enter');
  await cellOf(page, 'guid, row 5').focus();
  await page.getByRole('button', { name: 'Fill down' }).click();
  await page.getByRole('dialog').getByText('98 rows below row 5').waitFor();
  await page.getByRole('button', { name: 'Fill 98 rows' }).click();
  await page.getByText('199 ready to send, 0 edited and still wrong, 1 not edited').waitFor();
  await page.getByRole('button', { name: 'Undo: 98 cells filled' }).click();
  await page.getByText('Undone: 98 cells in 98 rows.').waitFor();
  await page.getByRole('button', { name: 'Undo: 1 cell edited' }).click();
  await page.getByText('Undone: 1 cell in 1 row.').waitFor();
  await page.getByRole('button', { name: 'Undo: 100 cells replaced' }).click();
  await page.getByText('0 ready to send, 0 edited and still wrong, 200 not edited').waitFor();
  await page.locator('h1:focus, button:focus').waitFor();
});

test('keyboard only: from cell to cell, into a cell and out of it, as in a spreadsheet', async () => {
  const page = await openRepair('keys.csv');
  const { keyboard } = page;
  const value = (name: string) => eventually(() => cellOf(page, name).inputValue());
  await cellOf(page, 'guid, row 2').focus();
  for (const [keys, place] of [
    ['ArrowRight', 'uid, row 2'],
    ['ArrowDown', 'uid, row 3'],
    ['ArrowLeft', 'guid, row 3'],
    ['End', 'note, row 3'],
    ['Home', 'guid, row 3'],
    ['PageDown', 'guid, row 13'],
    ['PageUp', 'guid, row 3'],
    ['Control+End', 'note, row 51'],
    ['ArrowDown', 'note, row 52'],
    ['Control+Home', 'guid, row 2'],
    ['Tab', 'uid, row 2'],
    ['Shift+Tab', 'guid, row 2'],
  ] as const) {
    await keyboard.press(keys);
    await hasFocus(page, place);
  }

  // Typing replaces the cell, and Escape gives it back; Enter or F2 goes into it, where arrows move in the text.
  await keyboard.press('ArrowRight');
  await keyboard.type('x');
  await keyboard.press('Escape');
  await value('uid, row 2').toBe('user 0!');
  await keyboard.press('F2');
  await keyboard.press('Backspace');
  await keyboard.press('ArrowLeft');
  await keyboard.press('Backspace');
  await keyboard.press('-');
  await hasFocus(page, 'uid, row 2');
  await keyboard.press('Enter');
  await hasFocus(page, 'uid, row 3');
  await page.getByText('1 ready to send').waitFor();
  await value('uid, row 2').toBe('user-0');
  await keyboard.press('ArrowUp');
  await keyboard.press('Enter');
  await keyboard.press('End');
  await keyboard.type('9');
  await keyboard.press('Tab');
  await value('uid, row 2').toBe('user-09');
  await keyboard.press('Shift+Tab');

  // The cell above, an empty cell, and back, one action after the other.
  await cellOf(page, 'uid, row 4').focus();
  await keyboard.press('ArrowUp');
  await keyboard.press('Control+d');
  await value('uid, row 3').toBe('user-09');
  await keyboard.press('ArrowDown');
  await keyboard.press('Delete');
  await value('uid, row 4').toBe('');
  await page.getByRole('button', { name: 'Undo: 1 cell edited' }).waitFor();
  await keyboard.press('Control+z');
  await value('uid, row 4').toBe('user 2!');
  await hasFocus(page, 'uid, row 4');
  await keyboard.press('Control+z');
  await value('uid, row 3').toBe('user-1');
  await hasFocus(page, 'uid, row 4');
  await page.getByRole('button', { name: 'Redo: 1 cell' }).waitFor();
  await keyboard.press('Control+y');
  await value('uid, row 3').toBe('user-09');
  await keyboard.press('Control+Shift+Z');
  await value('uid, row 4').toBe('');
  await page.getByText('Redone: 1 cell in 1 row.').waitFor();
  await eventually(() => page.getByRole('button', { name: /^Redo/ }).count()).toBe(0);
  await hasFocus(page, 'uid, row 4');
  await checkScreens(page, 'repair-keys');
});

test('with Shift, cells are marked together: copied, pasted, emptied and filled down as one action', async () => {
  const page = await openRepair('marked.csv');
  const { keyboard } = page;
  const marked = page.locator('input.marked');
  const values = (column: string) =>
    eventually(() => Promise.all([2, 3, 4].map((row) => cellOf(page, `${column}, row ${row}`).inputValue())));
  const users = ['user 0!', 'user-1', 'user 2!'];
  await cellOf(page, 'uid, row 2').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await keyboard.press(`Shift+${key}`);
  await page.getByText('6 cells marked: uid, row 2 to note, row 4').waitFor();
  expect(await marked.count()).toBe(6);
  const copied = page.evaluate<string>(`(() => {
    const clipboardData = new DataTransfer();
    document.activeElement.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }));
    return clipboardData.getData('text/plain');
  })()`);
  expect(await copied).toBe('user 0!\t\nuser-1\t\nuser 2!\t');
  await checkScreens(page, 'repair-marked');

  // Without Shift the next cell is meant alone; a click with Shift marks up to it.
  await keyboard.press('ArrowUp');
  await hasFocus(page, 'note, row 3');
  await eventually(() => marked.count()).toBe(0);
  await cellOf(page, 'uid, row 2').click();
  await cellOf(page, 'uid, row 4').click({ modifiers: ['Shift'] });
  await eventually(() => marked.count()).toBe(3);
  await keyboard.press('Delete');
  await page.getByText('3 cells in 3 rows were changed; 0 of these rows can be sent.').waitFor();
  await values('uid').toEqual(['', '', '']);
  await keyboard.press('Control+z');
  await values('uid').toEqual(users);

  // One copied value goes into all of them; the first row's goes into those below.
  await paste(page, 'dan');
  await values('uid').toEqual(['dan', 'dan', 'dan']);
  await keyboard.press('Control+z');
  await values('uid').toEqual(users);
  await keyboard.press('Control+d');
  await values('uid').toEqual(['user 0!', 'user 0!', 'user 0!']);
  await page.getByRole('button', { name: 'Undo: 2 cells entered' }).click();
  await values('uid').toEqual(users);
});

test('a key that is pressed while the last action is still under way has its turn after it', async () => {
  const page = await openRepair('fast.csv');
  const { keyboard } = page;
  await cellOf(page, 'uid, row 2').focus();
  for (const user of ['ann', 'ben']) {
    await keyboard.type(user);
    await keyboard.press('Enter');
  }
  await page.getByText('1 ready to send').waitFor();
  await page.getByText('All changes are saved').waitFor();
  const isReleased = Promise.withResolvers<void>();
  const asked = page.waitForRequest(/\/repair\/undo$/);
  await page.route(/\/repair\/undo$/, async (route) => {
    await isReleased.promise;
    await route.continue();
  });
  await keyboard.press('Control+z');
  await asked;
  await keyboard.press('Control+z');
  isReleased.resolve();
  await eventually(() => cellOf(page, 'uid, row 2').inputValue()).toBe('user 0!');
  await eventually(() => cellOf(page, 'uid, row 3').inputValue()).toBe('user-1');
});
