import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { archive, textRows, xlsx } from '../imports/read/make-workbook.ts';
import { openSandboxPlace, openWorkplace } from './workplace.ts';

const PEOPLE = 'email,uid\nana@x.example,ana\n';

test('a sync takes a recipe, and refuses a file that does not fit it', async () => {
  const place = await openSandboxPlace();
  place.file('e.csv', 'course_id,user_id,role,section_id,status\nbio,ann,teacher,,active\nbio,bob,student,,deleted\n');
  const { code } = await place.run(['sync', 'e.csv', '--recipe', 'canvas-sis', '--apply']);
  expect(code).toBe(EXIT.ok);
  expect(new Map(place.sandbox.members('us', 'bio'))).toEqual(new Map([['ann', 'moderator']]));
  place.file('other.csv', 'uid,guid\nann,g\n');
  const refused = await place.run(['sync', 'other.csv', '--recipe', 'canvas-sis', '--apply']);
  expect([refused.code, refused.stderr]).toEqual([EXIT.usage, expect.stringContaining('[RECIPE_MISFIT]')]);
});

test('a schedule takes a recipe, which is looked at when it is added', async () => {
  const place = await openWorkplace();
  const add = ['schedule', 'add', 'night', '--cron', '30 2 * * *', '--file'];
  const needs = await place.run([...add, 'not-yet.csv', '--recipe', 'gam-group-members']);
  expect([needs.code, needs.stderr]).toEqual([EXIT.usage, expect.stringContaining('--identities')]);
  place.file('other.csv', 'uid,guid\nann,g\n');
  expect((await place.run([...add, 'other.csv', '--recipe', 'canvas-sis'])).code).toBe(EXIT.usage);
  expect((await place.run([...add, 'not-yet.csv', '--recipe', 'canvas-sis'])).code).toBe(EXIT.ok);
});

test('ids that a template makes of damaged cells of a workbook are warned about', async () => {
  const place = await openWorkplace();
  const rows = `${textRows([
    ['Nr', 'Course'],
    ['007', 'bio'],
  ])}<row r="3"><c r="A3"><v>8</v></c><c r="B3" t="inlineStr"><is><t>bio</t></is></c></row>`;
  place.file('m.xlsx', xlsx({ sheets: [{ name: 'S', rows }] }));
  for (const flags of [
    ['--uid', 's-{Nr}'],
    ['--map', 'uid=Nr|Course'],
  ]) {
    const { summary } = await place.summary(['import', 'm.xlsx', ...flags, '--map', 'guid=Course', '--dry-run']);
    expect([flags, summary.notes?.map(({ code }) => code)]).toEqual([flags, ['LOST_ZEROS']]);
  }
});

test('keys that the identity file does not have are in a file that the command names', async () => {
  const place = await openSandboxPlace();
  place.file('people.csv', PEOPLE);
  place.file('m.csv', 'uid,guid\nana@x.example,g\nbo@x.example,g\n');
  const { stderr } = await place.run(['import', 'm.csv', '--identities', 'people.csv']);
  const [, path = ''] = /UIDs to fill in +(\S+)/.exec(stderr) ?? [];
  expect(readFileSync(join(place.root, path), 'utf8')).toBe('email,uid,rows\nbo@x.example,,1\n');
  const without = await place.run(['import', 'm.csv', '--uid', '{uid|localpart}']);
  expect(without.stderr).not.toContain('UIDs');
});

test('a folder is not sent to a sync: what to do is said', async () => {
  const place = await openSandboxPlace();
  place.file('lists/a.csv', 'uid,guid\nann,g\n');
  const { code, stderr } = await place.run(['sync', 'lists']);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('[NOT_A_FILE]')]);
  place.file('lists.zip', archive({ 'a.csv': 'uid,guid\nann,g\n' }));
  expect((await place.run(['sync', 'lists.zip', '--apply'])).code).toBe(EXIT.ok);
  expect([...place.sandbox.members('us', 'g').keys()]).toEqual(['ann']);
});

test('a workbook that is gzipped is refused with what to do', async () => {
  const place = await openWorkplace();
  place.file(
    'm.xlsx.gz',
    gzipSync(
      xlsx({
        sheets: [
          {
            name: 'S',
            rows: textRows([
              ['uid', 'guid'],
              ['a', 'g'],
            ]),
          },
        ],
      }),
    ),
  );
  const { code, stderr } = await place.run(['import', 'm.xlsx.gz', '--dry-run']);
  expect([code, stderr.replace(/\s+/g, ' ')]).toEqual([EXIT.usage, expect.stringContaining('Unpack what')]);
});

test('undo of a file of changes says what it does not restore', async () => {
  const place = await openSandboxPlace({
    seed: { regions: { us: { users: ['new'], members: { g: { participants: ['a', 'b'] } } } } },
  });
  place.file('d.csv', 'uid,guid,action,scope\na,g,remove,\nb,g,change,admin\nnew,g,add,\n');
  const { summary } = await place.summary(['import', 'd.csv', '--actions']);
  const undone = await place.run(['undo', summary.id, '--apply']);
  expect(undone.stderr).toContain('not restored');
  expect(Object.fromEntries(place.sandbox.members('us', 'g'))).toEqual({ b: 'admin' });
});

test('an import that is read again does so with the identity file it was made with', async () => {
  const place = await openSandboxPlace();
  place.file('people.csv', PEOPLE);
  place.file('m.csv', 'uid,guid\nana@x.example,g\n');
  const { summary } = await place.summary(['import', 'm.csv', '--identities', 'people.csv', '--dry-run']);
  const folder = dirname(summary.reports.all ?? join(place.dataDir, 'imports', summary.id, 'x'));
  expect(readdirSync(folder)).toContain('identities');
  writeFileSync(join(folder, 'identities'), PEOPLE.replace(',ana', ',mallory'));
  const { stageFile } = await import('../../src/imports/stage/stage-file.ts');
  const { createHash } = await import('node:crypto');
  const staged = stageFile(
    {
      source: join(place.root, 'm.csv'),
      name: 'm.csv',
      options: { format: 'auto', map: {}, region: 'us', shape: { identities: {} } },
      lookups: {
        identities: {
          path: join(folder, 'identities'),
          name: 'people.csv',
          sha256: createHash('sha256').update(PEOPLE).digest('hex'),
        },
      },
      ledger: join(folder, 'again.sqlite'),
      signal: new AbortController().signal,
    },
    () => {},
  );
  await expect(staged).rejects.toThrow('has changed');
});
