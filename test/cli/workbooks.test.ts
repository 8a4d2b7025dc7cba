import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { archive, textRows, xlsx } from '../imports/read/make-workbook.ts';
import { openSandboxPlace } from './workplace.ts';

const sheet = (name: string, uid: string) => ({
  name,
  rows: textRows([
    ['uid', 'guid'],
    [uid, 'g'],
    ['not an id', 'g'],
  ]),
});

test('a sheet of a workbook is imported, the summary says which', async () => {
  const place = await openSandboxPlace();
  const file = place.file('people.xlsx', xlsx({ sheets: [sheet('One', 'ann'), sheet('Two', 'nobody-knows')] }));
  const { code, summary } = await place.summary(['import', file]);
  expect([code, summary.rows.added, summary.rows.invalid]).toEqual([EXIT.rowsFailed, 1, 1]);
  expect(summary.notes?.map((note) => note.code)).toEqual(['SHEET_CHOSEN']);

  const second = await place.run(['import', file, '--sheet', '2', '--dry-run']);
  expect(second.stdout).not.toMatch(/Note:/);
  const wrong = await place.run(['import', file, '--sheet', 'Three']);
  expect(wrong.code).toBe(EXIT.usage);
  expect(wrong.stderr).toContain('Three');
});

test('a first sheet that only has a title is passed over, and inspect and import say so', async () => {
  const place = await openSandboxPlace();
  const cover = { name: 'Cover', rows: textRows([['Members of the choir'], [], ['As of Friday.']]) };
  const file = place.file('people.xlsx', xlsx({ sheets: [cover, sheet('Everyone', 'ann')] }));
  const said = 'The rows are from the sheet "Everyone", the first one with a table';
  expect((await place.run(['inspect', file])).stdout).toContain(said);
  const { stdout } = await place.run(['import', file, '--dry-run']);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`Note: ${said}`);
  const named = await place.run(['import', file, '--sheet', 'Cover', '--dry-run']);
  expect([named.code, named.stderr]).toEqual([EXIT.usage, expect.stringContaining('"Members of the choir"')]);
});

test('a folder and an archive are imported like a file', async () => {
  const place = await openSandboxPlace();
  place.file('out/a.csv', 'uid,guid\nann,g\n');
  place.file('out/b.csv', 'user,group\nbob,g\n');
  const { summary } = await place.summary(['import', 'out']);
  expect(summary.rows).toMatchObject({ read: 2, added: 2 });
  const only = await place.summary(['import', 'out', '--files', 'b*']);
  expect(only.summary.rows).toMatchObject({ read: 1, already_member: 1 });
  place.file('out.zip', archive({ 'out/a.csv': 'uid,guid\nann,g\n' }));
  expect((await place.summary(['import', 'out.zip'])).summary.rows).toMatchObject({ read: 1, already_member: 1 });
  const none = await place.run(['import', 'out', '--files', 'c*']);
  expect([none.code, none.stderr]).toEqual([EXIT.usage, expect.stringContaining('c*')]);
});
