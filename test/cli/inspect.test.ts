import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { FileFacts } from '../../src/api/file-facts.ts';
import { openWorkplace } from './workplace.ts';

const ENROLLMENTS = 'Kurs,Person,Rolle\nbio,ana,Lehrer\nbio,bo,Kind\n';

test('inspect shows what a file is and how to import it, and stores nothing', async () => {
  const place = await openWorkplace();
  const file = place.file('members.csv.gz', gzipSync('Login;Team;Rolle\nana;red;Chef\nbo;red;Helfer\n'));
  const { code, stdout, stderr } = await place.run(['inspect', file]);
  expect(code).toBe(0);
  expect(stdout).toContain('members.csv.gz: CSV, compressed with gzip, UTF-8, delimiter ";", ');
  expect(stdout).toContain('   1  Login;Team;Rolle\n   2  ana;red;Chef\n');
  expect(stdout).toMatch(/^Login {3}id {10}ana \| bo$/m);
  expect(stdout).toContain('Understood: no column.\nMissing: uid, guid.\n');
  expect(stderr).toContain(
    "  rollcall import members.csv.gz --map uid=Login,guid=Team,scope=Rolle --scope-words 'Chef=participant,Helfer=participant,*=participant' --dry-run\n",
  );
  expect(existsSync(place.dataDir)).toBe(false);
});

test('an empty column says so', async () => {
  const place = await openWorkplace();
  const { stdout } = await place.run(['inspect', place.file('m.csv', 'guid,uid,note\ng,ana,\ng,bo,\n')]);
  expect(stdout).toMatch(/^note {4}empty {7}\(0 of 2\)$/m);
});

test('inspect --json is one document, from a file or standard input', async () => {
  const place = await openWorkplace();
  const { stdout } = await place.run(['inspect', place.file('m.csv', 'guid,uid\ng,ana\n'), '--json']);
  const facts = JSON.parse(stdout) as FileFacts;
  expect(facts).toMatchObject({ name: 'm.csv', bytes: 15, format: 'csv', refusal: null, rows: { seen: 1, valid: 1 } });
  const piped = await place.run(['inspect', '-', '--json'], { input: 'guid,uid\ng,ana\n' });
  expect(JSON.parse(piped.stdout)).toEqual({
    ...facts,
    name: '-',
    bytes: null,
    command: facts.command?.replace('m.csv', '-'),
  });
});

test('a file that is not understood ends with exit code 2, and one that is not there as well', async () => {
  const place = await openWorkplace();
  const junk = await place.run(['inspect', place.file('junk.bin', Buffer.from('8f00ff13c79a9a9a9a', 'hex'))]);
  expect(junk.code).toBe(2);
  expect(junk.stdout).toContain('junk.bin: not understood, 9 bytes');
  expect(junk.stdout).toContain('this is not a text file');
  expect(await place.run(['inspect', 'nowhere.csv'])).toMatchObject({
    code: 2,
    stderr: 'rollcall: there is no file "nowhere.csv". Check the path and the folder that you are in.\n',
  });
});

test.each([
  ['nothing.csv', '', 'empty, 0 bytes', '"nothing.csv" is empty. Write rows into it'],
  ['header.csv', 'guid,uid\n', 'no rows, 9 bytes', '"header.csv" has no rows, only a header. Write at least one row'],
  ['none.json', '[]\n', 'no rows, 3 bytes', '"none.json" has no rows. Write at least one row'],
])('%s has nothing in it, and inspect and import say so', async (name, content, what, remedy) => {
  const place = await openWorkplace();
  place.file(name, content);
  const { code, stdout } = await place.run(['inspect', name]);
  expect([code, stdout]).toEqual([2, expect.stringContaining(`${name}: ${what}\n`)]);
  expect(stdout).toContain(remedy);
  const { stderr } = await place.run(['import', name, '--sandbox']);
  expect(stderr).toContain(`Nothing was sent: ${remedy}`);
  expect(stderr).toContain(`${name}: ${what}\n`);
});

test('an import that is refused says what was seen, and a command that works', async () => {
  const place = await openWorkplace();
  const file = place.file('kurse.csv', ENROLLMENTS);
  const { code, stderr } = await place.run(['import', file, '--sandbox']);
  expect(code).toBe(2);
  expect(stderr).toContain('Nothing was sent: no column is recognised as the uid');
  expect(stderr).toMatch(/^Person {2}id {10}ana \| bo$/m);
  const [, command = ''] = /^ {2}rollcall (import .+) --dry-run$/m.exec(stderr) ?? [];
  expect(command).toBe(
    "import kurse.csv --map uid=Person,guid=Kurs,scope=Rolle --scope-words 'Lehrer=moderator,*=participant'",
  );
  expect(await place.run([...command.replaceAll("'", '').split(' '), '--sandbox'])).toMatchObject({ code: 0 });
});

test('flags are saved as a recipe, which is then suggested for files with the same header, and used', async () => {
  const place = await openWorkplace();
  const first = place.file('kurse.csv', ENROLLMENTS);
  const flags = ['--map', 'uid=Person,guid=Kurs,scope=Rolle', '--scope-words', 'Lehrer=moderator,*=participant'];
  expect(await place.run(['recipes', 'save', 'kurse', first, ...flags, '--title', 'Unsere Kurse'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Recipe kurse is saved.'),
  });
  const next = place.file('kurse-2.csv', 'Kurs,Person,Rolle\nmath,cy,Lehrer\nmath,di,Kind\n');
  const inspected = JSON.parse((await place.run(['inspect', next, '--json'])).stdout) as FileFacts;
  expect(inspected.recipes).toEqual([{ name: 'kurse', title: 'Unsere Kurse', needs: [] }]);
  expect(inspected.command).toBe('rollcall import kurse-2.csv --recipe kurse');
  const { code, summary } = await place.summary(['import', next, '--recipe', 'kurse', '--sandbox']);
  expect([code, summary.rows.added]).toEqual([0, 2]);
  const report = readFileSync(summary.reports.all ?? '', 'utf8');
  expect(report).toMatch(/cy.*moderator/);
  expect(report).toMatch(/di.*participant/);

  const other = place.file('other.csv', 'Raum,Person,Rolle\nmath,cy,Lehrer\n');
  expect(JSON.parse((await place.run(['inspect', other, '--json'])).stdout).recipes).toEqual([]);
  const refused = await place.run(['import', other, '--recipe', 'kurse', '--sandbox']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(
    'does not fit the recipe kurse: it expects the columns "Kurs", "Person", "Rolle"; missing: "Kurs"; the file has the columns "Raum", "Person", "Rolle"',
  );
});

test('the flags of an import that was made become a recipe, and a flag goes before it', async () => {
  const place = await openWorkplace();
  const file = place.file('kurse.csv', ENROLLMENTS);
  await place.run(['import', file, '--map', 'uid=Person,scope=', '--guid', 'all', '--sandbox']);
  expect(await place.run(['recipes', 'save', 'everyone', '--from', 'latest'])).toMatchObject({ code: 0 });
  const shown = JSON.parse((await place.run(['recipes', 'show', 'everyone', '--json'])).stdout);
  expect(shown).toMatchObject({ saved: true, settings: { map: { uid: 'Person', scope: '' }, guid: 'all' } });
  const { summary } = await place.summary(['import', file, '--recipe', 'everyone', '--guid', 'some', '--sandbox']);
  expect(readFileSync(summary.reports.all ?? '', 'utf8').match(/,some,/g)).toHaveLength(2);
});

test('recipes are listed and removed; those that come with rollcall stay', async () => {
  const place = await openWorkplace();
  await place.run(['recipes', 'save', 'mine', place.file('m.csv', 'guid,uid\ng,ana\n')]);
  const list = await place.run(['recipes']);
  expect(list.stdout).toMatch(/^mine +saved +/m);
  expect(list.stdout).toMatch(/^slack-export +built in +Slack: workspace export$/m);
  expect(await place.run(['recipes', 'remove', 'mine'])).toMatchObject({ code: 0 });
  expect((await place.run(['recipes'])).stdout).not.toContain('mine');
  for (const [args, says] of [
    [['remove', 'slack-export'], 'only recipes that were saved can be removed'],
    [['show', 'mine'], 'no recipe has the name "mine"'],
    [['save', 'slack-export', 'm.csv'], 'choose another name'],
    [
      ['save', 'No Name!', 'm.csv'],
      '"No Name!" is not a name for a recipe; a name has up to 60 small letters, digits and hyphens',
    ],
    [['save', 'x', 'm.csv', '--title', 'x'.repeat(101)], 'the recipe cannot be saved: title: '],
    [['save', 'x'], 'name a file that the flags are for, or an import with --from'],
    [['save', 'x', 'm.csv', '--map', 'uid=nobody'], 'nobody'],
  ] as const) {
    const { code, stderr } = await place.run(['recipes', ...args]);
    expect([args, code]).toEqual([args, 2]);
    expect(stderr).toContain(says);
  }
});

test('a recipe that is there is replaced only with --overwrite, though it may not be readable', async () => {
  const place = await openWorkplace();
  const file = place.file('m.csv', 'guid,uid\ng,ana\n');
  expect((await place.run(['recipes', 'save', 'mine', file, '--title', 'first'])).code).toBe(0);
  const path = join(place.dataDir, 'recipes', 'mine.json');
  for (const content of [readFileSync(path, 'utf8'), 'not a recipe']) {
    writeFileSync(path, content);
    const refused = await place.run(['recipes', 'save', 'mine', file, '--title', 'second']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('replace it with --overwrite')]);
    expect(readFileSync(path, 'utf8')).toBe(content);
  }
  expect((await place.run(['recipes', 'save', 'mine', file, '--title', 'second', '--overwrite'])).code).toBe(0);
  expect((await place.run(['recipes', 'show', 'mine'])).stdout).toContain('mine: second');
});

test('a recipe that was written by hand and is wrong is named with its file', async () => {
  const place = await openWorkplace();
  await place.run(['recipes', 'save', 'mine', place.file('m.csv', 'guid,uid\ng,ana\n')]);
  writeFileSync(join(place.dataDir, 'recipes', 'mine.json'), '{"name":"mine","settings":{"colour":"red"}}');
  const { code, stderr } = await place.run(['import', 'm.csv', '--recipe', 'mine', '--sandbox']);
  expect(code).toBe(2);
  expect(stderr).toContain('the file of the recipe mine is not a recipe');
  const shown = await place.run(['recipes', 'show', 'mine']);
  expect(shown.stderr).toContain('recipes/mine.json is not a recipe: ');
  expect(shown.stderr).toContain('colour');
  expect((await place.run(['recipes'])).stdout).toMatch(/mine +unreadable/);
});

test('the example file can be imported as it is, as CSV and as a workbook', async () => {
  const place = await openWorkplace();
  for (const format of ['csv', 'xlsx']) {
    const file = `example.${format}`;
    expect(await place.run(['template', '--format', format, '--output', file])).toMatchObject({ code: 0 });
    const { code, summary } = await place.summary(['import', file, '--sandbox']);
    expect([code, summary.rows.added]).toEqual([0, 4]);
    expect(readFileSync(summary.reports.all ?? '', 'utf8')).toContain('004217');
  }
  expect((await place.run(['template'])).stdout).toBe(readFileSync(join(place.root, 'example.csv'), 'utf8'));
  const again = await place.run(['template', '--output', 'example.csv']);
  expect([again.code, again.stderr]).toEqual([
    2,
    'rollcall: the example cannot be written: example.csv exists already; name another file with --output\n',
  ]);
});

test('inspect says that the same file was imported before, and how a file with its header was read', async () => {
  const place = await openWorkplace();
  const file = place.file('may.csv', 'Kind;Saal\nada;choir\n');
  expect((await place.run(['import', file, '--sandbox', '--map', 'uid=Kind,guid=Saal'])).code).toBe(0);
  const again = await place.run(['inspect', file]);
  expect(again.stdout).toMatch(/The same file was imported on \d{4}-\d\d-\d\d: `rollcall status \S+` says/);
  const next = place.file('june.csv', 'Kind;Saal\nben;choir\n');
  const { stdout, stderr } = await place.run(['inspect', next]);
  expect(stdout).not.toContain('The same file');
  const [, id = ''] = /--recipe (\d{8}-\d{6}-\w+) reads it/.exec(`${stdout}${stderr}`) ?? [];
  expect((await place.run(['recipes', 'show', id])).stdout).toContain('--map uid=Kind,guid=Saal');
  const read = await place.run(['import', next, '--sandbox', '--recipe', id]);
  expect(read.code).toBe(0);
});
