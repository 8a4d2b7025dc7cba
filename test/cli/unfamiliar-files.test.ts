import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { FileFacts } from '../../src/api/look.ts';
import { archive, textRows, xlsx } from '../imports/read/make-workbook.ts';
import { openWorkplace } from './workplace.ts';

/** Follows a person who has a file and does not know rollcall: `inspect` prints a command, and that command works. */

const SAMPLES = fileURLToPath(new URL('../../samples/recipes/', import.meta.url));

/** A command as a shell takes it apart, with what the user has to fill in. */
function filledIn(command: string): string[] {
  const words = command.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
  const values: Record<string, string> = { '<group>': 'g-1', '<people.csv>': 'people.csv' };
  return words.slice(1).map((word) => values[word] ?? word.replaceAll("'", ''));
}

const TABLE = [
  ['Name', 'E-mail', 'Team', 'Role'],
  ['Ana Diaz', 'ana@x.example', 'Physics', 'Teacher'],
  ['Bo Li', 'bo@x.example', 'Physics', 'Student'],
];
const csv = (rows: readonly (readonly string[])[]) => rows.map((cells) => `${cells.join(';')}\n`).join('');

test.each<[what: string, name: string, content: string | Buffer, says: string]>([
  ['a title above the header', 'title.csv', csv([['Members of 2026', '', '', ''], [], ...TABLE]), '--header-row 3'],
  [
    'a title, an empty line, and commas in cells',
    'title.csv',
    'List of members\n\nE-mail;Team;Role\nana@x.example;"a,b";OWNER\nbo@x.example;a;MEMBER\nana@x.example;b,c;MEMBER\n',
    '--map uid=E-mail,guid=Team --header-row 3 --split guid=, --scope-words OWNER=admin,MEMBER=participant --identities',
  ],
  ['one cell above the header', 'title.csv', `Choir\n${csv(TABLE)}`, '--header-row 2'],
  [
    'a workbook with a title, a date and an empty row above the header',
    'title.xlsx',
    xlsx({ sheets: [{ name: 'Team list', rows: textRows([['School'], ['as of 2026-09-01'], [], ...TABLE]) }] }),
    '--header-row 4',
  ],
  ['e-mail addresses', 'mails.csv', csv(TABLE), '--identities people.csv'],
  ['several groups in a cell', 'cells.csv', 'login;rooms\nann;a,b\nbob;a\n', '--split guid=,'],
  ['several users in a cell', 'cells.csv', 'group;members\ng1;ann|bob\ng2;ann\n', '--split uid=|'],
  ['foreign role words', 'roles.csv', 'uid,guid,scope\nann,g,Owner\nbob,g,Member\n', '--scope-words Owner=admin'],
  [
    'role words of another language',
    'rollen.csv',
    'Login;Kurs;Rolle\nann;g;Leiterin\nbob;g;Teilnehmer\n',
    'guid=Kurs,scope=Rolle --scope-words Leiterin=moderator',
  ],
  ['a column for each group', 'wide.csv', 'uid,Choir,Band\nann,x,\nbob,,x\n', '--wide Choir,Band'],
  ['a column for each team', 'wide.csv', 'uid,Team A,Team B\nann,x,admin\nbob,,x\n', '--wide Team *'],
  ['no header', 'bare.csv', '4711,alpha\n4712,alpha\n4713,beta\n', '--columns uid,guid'],
  [
    'an archive of tables with different columns',
    'three.zip',
    archive({
      'a.csv': 'uid,Team A,Team B\nann,x,\n',
      'b.csv': 'uid,Team B,Team C\nbob,x,x\n',
      'c.csv': 'uid,Team C\ncy,x\n',
    }),
    '--wide Team *',
  ],
])('%s: the command that inspect suggests imports every row', async (_, name, content, says) => {
  const place = await openWorkplace();
  place.file(name, content);
  place.file('people.csv', 'email,uid\nana@x.example,ana\nbo@x.example,bo\n');
  const { command } = JSON.parse((await place.run(['inspect', name, '--json'])).stdout) as FileFacts;
  const args = filledIn(command ?? '');
  expect(args.join(' ')).toContain(says);
  const { code, summary } = await place.summary([...args, '--dry-run']);
  expect([code, summary.rows.invalid]).toEqual([0, 0]);
  expect(summary.rows.read - summary.rows.invalid - summary.rows.skipped).toBeGreaterThan(0);
});

test('inspect shows no values of columns that look like passwords or tokens', async () => {
  const place = await openWorkplace();
  for (const [name, content] of [
    ['users.csv', 'login,Password,group\nann,hunter2,g\n'],
    ['cased.csv', 'login,PassWord,group\nann,hunter2,g\n'],
    ['several.csv', 'login,api_keys,group\nann,hunter2,g\n'],
    ['users.json', '[{"login":"ann","auth":{"apiToken":"hunter2"},"group":"g"}]'],
    ['users.ndjson', '{"login":"ann","client_secret":"hunter2","group":"g"}\n'],
  ] as const) {
    place.file(name, content);
    const { stdout, stderr } = await place.run(['inspect', name]);
    expect(`${name}: ${stdout}${stderr}`).not.toContain('hunter2');
    expect((await place.run(['inspect', name, '--json'])).stdout).not.toContain('hunter2');
  }
  const { stdout } = await place.run(['inspect', 'users.csv']);
  expect(stdout).toContain('"Password"\n');
});

test('what a recipe explains is not called missing', async () => {
  const place = await openWorkplace();
  const { stdout } = await place.run(['inspect', join(SAMPLES, 'slack-export/export/channels.json')]);
  expect(stdout).not.toMatch(/Missing|refused/);
});

test('an identity file that is given is in the command, and not asked for again', async () => {
  const place = await openWorkplace();
  place.file('m.csv', csv(TABLE));
  const flags = ['--map', 'uid=E-mail', '--identities', 'our people.csv', '--identity-key', 'mail'];
  const { command, steps } = JSON.parse(
    (await place.run(['inspect', 'm.csv', ...flags, '--json'])).stdout,
  ) as FileFacts;
  expect(command).toMatch(/--identity-key mail .*--identities 'our people.csv'$/);
  expect(steps.map(({ text }) => text).join('\n')).not.toContain('--identities');
});
