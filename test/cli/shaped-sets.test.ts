import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { archive, textRows, xlsx } from '../imports/read/make-workbook.ts';
import { openSandboxPlace } from './workplace.ts';

/** Workbooks and folders of which a row gives several memberships. */

const rowsOf = (path: string) => parse(readFileSync(path), { columns: true }) as Record<string, string>[];

const FILES = {
  'lists/a.csv': 'uid,Team A,Team B\nu1,x,\nu2,x,admin\n',
  'lists/b.csv': 'Team C,uid,Team B\nx,u3,x\n,u4,maybe\n',
  'lists/c.xlsx': xlsx({
    sheets: [
      {
        name: 'S',
        rows: textRows([
          ['uid', 'Name', 'Team A', 'Team C'],
          ['u5', 'Five', 'x', 'moderator'],
          ['u6', 'Six', undefined, undefined],
        ]),
      },
    ],
  }),
};
const WIDE = ['--wide', 'Team *', '--wide-guid', '{column|slug}'];

test.each(['folder', 'archive'])(
  'wide tables of a %s: file, row and value of every membership are in the report',
  async (kind) => {
    const place = await openSandboxPlace();
    if (kind === 'archive') place.file('lists.zip', archive(FILES));
    else for (const [name, content] of Object.entries(FILES)) place.file(name, content);
    const { summary } = await place.summary(['import', kind === 'archive' ? 'lists.zip' : 'lists', ...WIDE]);
    expect(summary).toMatchObject({ inputRows: 6, rows: { read: 9, added: 7, invalid: 1, skipped: 1 } });
    const reported = rowsOf(summary.reports.all ?? '').map((row) =>
      ['_file', '_file_row', '_row', '_value', '_status', '_guid', '_uid', '_scope']
        .map((name) => row[name]?.replace('lists/', ''))
        .join(' '),
    );
    expect(reported).toEqual([
      'a.csv 2 2  added team-a u1 participant',
      'a.csv 3 3 Team A=x added team-a u2 participant',
      'a.csv 3 3 Team B=admin added team-b u2 admin',
      'b.csv 2 5 Team C=x added team-c u3 participant',
      'b.csv 2 5 Team B=x added team-b u3 participant',
      'b.csv 3 6  invalid team-b u4 participant',
      'c.xlsx 2 8 Team A=x added team-a u5 participant',
      'c.xlsx 2 8 Team C=moderator added team-c u5 moderator',
      'c.xlsx 3 9  skipped   ',
    ]);
    expect(new Map(place.sandbox.members('us', 'team-c'))).toEqual(
      new Map([
        ['u3', 'participant'],
        ['u5', 'moderator'],
      ]),
    );
  },
);

test('the retry file of a shaped folder has one membership a line, and imports without a flag', async () => {
  const place = await openSandboxPlace({
    seed: { regions: { us: { users: ['u1', 'u2', 'u3', 'u5'], groups: ['team-a'] } } },
  });
  for (const [name, content] of Object.entries(FILES)) place.file(name, content);
  const { summary } = await place.summary(['import', 'lists', ...WIDE]);
  expect(summary.rows).toMatchObject({ read: 9, added: 3, failed: 4, invalid: 1, skipped: 1 });
  const retry = rowsOf(summary.reports.retry ?? '');
  expect(retry.map(({ guid, uid, scope, _row }) => [guid, uid, scope, _row])).toEqual([
    ['team-b', 'u2', 'admin', '3'],
    ['team-c', 'u3', 'participant', '5'],
    ['team-b', 'u3', 'participant', '5'],
    ['team-c', 'u5', 'moderator', '8'],
  ]);
  place.file('retry.csv', readFileSync(summary.reports.retry ?? '', 'utf8'));
  expect((await place.summary(['import', 'retry.csv'])).summary.rows).toMatchObject({ read: 4, failed: 4 });
  expect((await place.summary(['retry', summary.id])).summary.rows).toMatchObject({ read: 4, failed: 4 });
});

test('--first and resume in a shaped folder send every membership once', async () => {
  const place = await openSandboxPlace();
  for (const [name, content] of Object.entries(FILES)) place.file(name, content);
  const first = await place.summary(['import', 'lists', ...WIDE, '--first', '2']);
  expect(first.summary).toMatchObject({ state: 'paused', rows: { read: 9, added: 3 } });
  const rest = await place.summary(['resume', first.summary.id]);
  expect(rest.summary.rows).toMatchObject({ read: 9, added: 7, already_member: 0, invalid: 1, skipped: 1 });
});

test('ids made of different values collide across the files of a folder, and no one of them is added', async () => {
  const place = await openSandboxPlace();
  place.file('lists/a.csv', 'mail,guid\nanna@a.example,g\nben@a.example,g\n');
  place.file('lists/b.csv', 'guid,mail\ng,anna@b.example\n');
  const { summary } = await place.summary(['import', 'lists', '--uid', '{mail|localpart}']);
  expect(summary.rows).toMatchObject({ read: 3, added: 1, invalid: 2 });
  const [first, , last] = rowsOf(summary.reports.all ?? '');
  expect([first?.['_code'], first?.['_message']]).toEqual([
    'DERIVED_ID_COLLISION',
    expect.stringContaining('anna@b.example'),
  ]);
  expect(last?.['_message']).toContain('anna@a.example');
  expect([...place.sandbox.members('us', 'g').keys()]).toEqual(['ben']);
});

test.each([
  ['canvas-sis', 'has no file that matches "enrollments*.csv"; it has "lists/a.csv"'],
  ['scim-groups', 'does not fit the recipe scim-groups: it expects groups with "schemas", "id" and "members"'],
])('a folder that is not for the recipe %s is refused before anything is sent', async (recipe, message) => {
  const place = await openSandboxPlace();
  place.file('in/lists/a.csv', FILES['lists/a.csv']);
  const { code, stderr } = await place.run(['import', 'in', '--recipe', recipe]);
  expect(code).toBe(2);
  expect(stderr.replace(/\s+/g, ' ')).toContain(message);
  expect(place.calls()).toBe(0);
});
