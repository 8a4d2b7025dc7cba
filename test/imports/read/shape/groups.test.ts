import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openIntake } from '../../../../src/imports/read/intake.ts';
import { openLookups } from '../../../../src/imports/stage/lookup-file.ts';
import type { Shape } from '../../../../src/options/shape.ts';
import { csvLine } from '../../../../src/text/csv-line.ts';
import { runs } from '../../../runs.ts';
import { tempDir } from '../../../temp-dir.ts';
import { refusal, short } from '../reading.ts';

/** The group file, which gives one or several GUIDs for what the input calls a group. */

const csv = (rows: readonly (readonly string[])[]) => rows.map((cells) => csvLine(cells, ',')).join('');

/** Reads an input with a group file: returns its memberships, and the file of unknown keys. */
async function read(table: string, input: string, shape: Shape = {}, guid?: string) {
  const folder = tempDir();
  const [path, source] = [join(folder, 'groups.csv'), join(folder, 'members.csv')];
  writeFileSync(path, table);
  writeFileSync(source, input);
  const whole = { groups: {}, ...shape };
  using lookups = await openLookups(whole, { groups: { path, name: 'groups.csv' } }, new AbortController().signal);
  const intake = await openIntake(
    { path: source, name: 'members.csv' },
    { format: 'auto', map: {}, region: 'us', guid, shape: whole, lookups: lookups.open },
  );
  const rows: string[] = [];
  for await (const chunk of intake.chunks()) rows.push(...chunk.map((row) => `${row.line} ${short(row)}`));
  await lookups.writeUnknown(folder);
  const [unknown] = readdirSync(folder).filter((name) => name.startsWith('unknown'));
  return { rows, unknown: unknown && [unknown, readFileSync(join(folder, unknown), 'utf8')] };
}

test('one group of the file stands for several, each with a scope and region of its own where the table has them', async () => {
  const table = 'Code,guid,scope,region\nHR,hr-all,,\nhr,hr-eu,moderators,EU\nIT,it,,\n';
  expect(await read(table, 'uid,group,role\nann,HR,admin\nbo,it,\nbo,HR ,\n')).toEqual({
    rows: [
      '2 us/hr-all/ann/admin/',
      '2 eu/hr-eu/ann/moderator/',
      '3 us/it/bo/participant/',
      '4 us/hr-all/bo/participant/',
      '4 eu/hr-eu/bo/moderator/',
    ],
    unknown: undefined,
  });
});

test('a group is found by its code, name or address; words for scopes are not for those of the table', async () => {
  const table = 'code,name,email,guid,role\n17,Human Resources,hr@x.it,hr,admin\n';
  const words = { scopeWords: { '*': 'participant' } } as const;
  const { rows } = await read(table, 'uid,group\nann,17\nbo,human resources\ncy,HR@x.it\n', words);
  expect(rows).toEqual(['2 us/hr/ann/admin/', '3 us/hr/bo/admin/', '4 us/hr/cy/admin/']);
});

test('numbers of a table in JSON are keys, and what is null is none', async () => {
  const table = JSON.stringify([{ code: 17, name: null, guid: 'hr' }]);
  const { rows } = await read(table, 'uid,group\nann,17\nbo,null\n');
  expect(rows).toEqual(['2 us/hr/ann/participant/', '3 group: UNKNOWN_GROUP']);
});

test('groups in one cell are looked up one by one; what is not there is counted, and written once', async () => {
  const table = 'code,guid\na,g1\na,g2\nb,\n';
  const { rows, unknown } = await read(table, 'uid,group\nann,a;x\nbo,X;b\n', { split: { guid: ';' } });
  expect(rows).toEqual([
    '2 us/g1/ann/participant/',
    '2 us/g2/ann/participant/',
    '2 group: UNKNOWN_GROUP',
    '3 group: UNKNOWN_GROUP',
    '3 group: UNKNOWN_GROUP',
  ]);
  expect(unknown).toEqual(['unknown-groups.csv', 'code,guid,rows\nx,,2\nb,,1\n']);
});

test('the group for all rows is a GUID, and is not looked up', async () => {
  const { rows } = await read('code,guid\na,g1\n', 'uid,group\nann,a\nbo,\n', {}, 'everyone');
  expect(rows).toEqual(['2 us/g1/ann/participant/', '3 us/everyone/bo/participant/']);
});

test('columns that are groups are looked up by their names', async () => {
  const table = 'name,guid\nTeam A,a1\nTeam A,a2\nTeam B,b\n';
  const { rows } = await read(table, 'uid,Team A,Team B\nann,x,admin\n', { wide: { columns: ['Team *'] } });
  expect(rows).toEqual(['2 us/a1/ann/participant/', '2 us/a2/ann/participant/', '2 us/b/ann/admin/']);
});

test.each([
  ['two scopes in one group', 'code,guid,scope\na,g1,admin\nA,G1,ban\n', /"groups.csv" gives "a" two scopes in one/],
  ['no scope', 'code,guid,scope\na,g1,boss\n', /the scope "boss" in row 2; allowed are admin/],
  ['no region', 'code,guid,region\na,g1,mars\n', /the region "mars" in row 2; allowed are us/],
  [
    'a name that is the code of another',
    'code,name,guid\nx,Sales,g1\nsales,y,g2\n',
    /"sales" in two columns, and not for the same groups: "g1" in row 2 and "g2" in row 3\. .*--group-key/,
  ],
  ['no GUID', 'code,id\na,g1\n', /no column for the guid; .*--group-guid/],
  ['no clear key', 'this,that,guid\na,b,g1\n', /not clear which columns .*--group-key code/],
])('a table with %s is refused', async (_, table, message) => {
  const error = await refusal(read(table, 'uid,group\nann,a\n'));
  expect([error.code, error.message]).toEqual(['BAD_GROUPS', expect.stringMatching(message)]);
});

const cased = (text: string) => text.toLowerCase();

test('law: for random tables and files, the memberships are those of a naive join', async () => {
  const key = fc.constantFrom('a', 'A', 'b', 'c 1', 'dé', '"q"');
  const target = fc.record({
    key,
    guid: fc.constantFrom('g1', 'G1', 'g2', 'g3', ''),
    region: fc.constantFrom('', 'eu'),
  });
  const row = fc.record({
    uid: fc.constantFrom('u1', 'u2'),
    group: key,
    scope: fc.constantFrom('', 'admin'),
    region: fc.constantFrom('', 'in'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(target, { minLength: 1 }), fc.array(row, { minLength: 1 }), async (targets, rows) => {
      const table = csv([['code', 'guid', 'region'], ...targets.map((one) => [one.key, one.guid, one.region])]);
      const input = csv([
        ['uid', 'group', 'scope', 'region'],
        ...rows.map((one) => [one.uid, one.group, one.scope, one.region]),
      ]);
      const matches = (group: string) =>
        targets
          .filter((one) => one.guid !== '' && cased(one.key) === cased(group))
          .map((one) => `${one.region} ${cased(one.guid)}`);
      const expected = rows.flatMap(({ uid, group, scope, region }, index) => {
        const found = [...new Set(matches(group))].map((one) => one.split(' ') as [string, string]);
        if (found.length === 0) return [`${index + 2} group: UNKNOWN_GROUP`];
        return found.map(
          ([at, guid]) => `${index + 2} ${at || region || 'us'}/${guid}/${uid}/${scope || 'participant'}/`,
        );
      });
      const found = await read(table, input);
      expect(found.rows.map((text) => text.replace('/G1/', '/g1/')).toSorted()).toEqual(expected.toSorted());
      const counts = (found.unknown?.[1] ?? '').split('\n').slice(1, -1);
      const counted = counts.reduce((sum, line) => sum + Number(line.split(',').at(-1)), 0);
      expect(counted).toBe(rows.filter(({ group }) => matches(group).length === 0).length);
    }),
    { numRuns: runs(100) },
  );
});
