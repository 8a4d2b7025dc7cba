import { expect, test } from 'vitest';
import { chooseFile, csvFile, eventually, sendButton, useBrowser } from './browser.ts';
import { useServer } from './server-in-process.ts';

const browser = useBrowser();
const server = useServer();

test('with the keyboard alone a file is chosen, mapped and started; the focus is never lost, and always at the next decision, and it is said what happened', async () => {
  const page = await browser.open(server.url);
  // From the start: the browser has to know in time that someone will choose.
  const chooser = page.waitForEvent('filechooser');
  const press = async (key: string) => page.keyboard.press(key);
  const focused = () => page.locator(':focus');
  const tabTo = async (label: string, key = 'Tab') => {
    for (let presses = 0; presses < 40; presses += 1) {
      await press(key);
      const text = await focused().evaluate((element) => {
        const { ariaLabel, labels, textContent } = element as unknown as {
          ariaLabel: string | null;
          labels?: ArrayLike<{ textContent: string }>;
          textContent: string;
        };
        return ariaLabel ?? labels?.[0]?.textContent ?? textContent;
      });
      if (text === label) return;
    }
    throw new Error(`no Tab leads to ${label}`);
  };
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
  await press('Tab');
  await eventually(() => focused().textContent()).toBe('Skip to content');
  // It is seen then.
  await eventually(() =>
    page.evaluate(
      '(({ x, y }) => document.elementFromPoint(x + 5, y + 5).className)(document.activeElement.getBoundingClientRect())',
    ),
  ).toBe('skip');
  await press('Enter');
  await page.locator('h1:focus').waitFor();
  await tabTo('Choose file');
  await press('Enter');
  await (await chooser).setFiles(csvFile('Room,Number\nchoir,ada\n', 'keys.csv'));
  await page.getByText('No column is recognised as the user.').waitFor();
  await tabTo('Use of column “Number”');
  // One key: letters that come slowly are each the beginning of a word.
  await press('u');
  await page.getByText('No column is recognised as the user.').waitFor({ state: 'detached' });
  await tabTo('Use of column “Room”', 'Shift+Tab');
  await press('g');
  await page.getByText('No column is recognised as the group.').waitFor({ state: 'detached' });
  await tabTo('Next: review');
  await press('Enter');
  await sendButton(page).waitFor();
  await tabTo('Send 1 row');
  await press('Enter');
  await page.getByText('The only row succeeded; every row is accounted for.').first().waitFor();
  await page.locator('h1:focus', { hasText: 'keys.csv' }).waitFor();
  await tabTo('More actions');
  await press('Enter');
  await tabTo('Delete…');
  await press('Enter');
  await eventually(() => focused().textContent()).toBe('Keep it');
  await press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await eventually(() => focused().getAttribute('aria-label')).toBe('More actions');

  // The next decision, however many columns a file has.
  await page.goto(server.url);
  const grid = page.getByRole('table', { name: 'The first rows of the file' });
  const said = () => page.locator('#announcements').textContent();
  const pressButton = async (name: string) => {
    await page.getByRole('button', { name }).focus();
    await press('Enter');
  };
  const chooseAnother = async (text: string, name: string) => {
    await page.getByRole('button', { name: 'Remove' }).click();
    await chooseFile(page, text, name);
  };
  await pressButton('Try a sample');
  await eventually(() => focused().textContent()).toBe('Next: review');
  await eventually(said).toBe('The sample was chosen. Nothing is missing.');

  // Headers that no name is known by, and values that are evidence beside the names.
  const rows = Array.from(
    { length: 12 },
    (_, at) => `user-${at};room-${at};${at === 0 ? 'Leiter' : 'Mitglied'};sings\n`,
  );
  await chooseAnother(`Kennung;Raumkennung;Rolle;Bemerkung\n${rows.join('')}`, 'odd.csv');
  await eventually(() => grid.locator('option:checked').allTextContents()).toEqual(Array<string>(4).fill('not used'));
  await eventually(() => grid.locator('.error').count()).toBe(0);
  await pressButton('Use it as the scope');
  await eventually(() => focused().getAttribute('aria-label')).toBe('Use of column “Kennung”');
  await eventually(said).toMatch(/^Done: Use it as the scope\. No column is recognised as the user/);
  await pressButton('Apply all 2 suggestions');
  await eventually(() => focused().textContent()).toBe('Use these 2 meanings');
  await eventually(said).toBe('2 suggestions were applied. Nothing is missing.');
  await press('Enter');
  await eventually(() => focused().textContent()).toBe('Next: review');
  // The first rows are in sight still.
  await eventually(async () => (await grid.locator('select').first().boundingBox())?.y).toBeGreaterThanOrEqual(0);

  const names = Array.from({ length: 40 }, (_, at) => (at === 39 ? 'Wer (a=1) ' : `Field ${at + 1}`));
  await chooseAnother(
    `uid,guid,${names.join(',')}\nada,choir,${names.map((_, at) => `v${at + 1}`).join(',')}\n`,
    'broad.csv',
  );
  await page.getByLabel('Choose another').focus();
  let presses = 0;
  for (; (await focused().textContent()) !== 'Skip the choices' && presses < 10; presses += 1) await press('Tab');
  await press('Enter');
  await eventually(() => focused().getAttribute('id')).toBe('start');
  expect(presses + 1).toBeLessThanOrEqual(10);
  await eventually(() => grid.locator('select').count()).toBe(30);
  await page.getByRole('button', { name: 'Show all columns' }).click();
  // A field is read from one column.
  await page.getByLabel('Use of column “Wer (a=1) ”').selectOption('User (UID)');
  await grid.getByRole('row', { name: /v40 in choir: participant/ }).waitFor();
  await page.locator('#start').focus();
  await press('Enter');
  await page.getByRole('heading', { name: 'broad.csv', level: 1 }).waitFor();
});
