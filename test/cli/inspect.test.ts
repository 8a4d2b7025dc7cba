import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { FileFacts } from '../../src/api/look.ts';
import { openWorkplace } from './workplace.ts';

const ENROLLMENTS = 'Kurs,Person,Rolle\nbio,ana,Lehrer\nbio,bo,Teilnehmer\n';

test('inspect shows what a file is and how to import it, and stores nothing', async () => {
  const place = await openWorkplace();
  const file = place.file('members.csv.gz', gzipSync('Login;Team;Rolle\nana;red;Chef\nbo;red;Helfer\n'));
  const { code, stdout, stderr } = await place.run(['inspect', file]);
  expect(code).toBe(0);
  expect(stdout).toContain('members.csv.gz: CSV, ');
  expect(stdout).toContain('   1  Login;Team;Rolle\n   2  ana;red;Chef\n');
  expect(stdout).toMatch(/^Login {3}id {10}ana \| bo$/m);
  expect(stdout).toContain('\nMissing: uid, guid.\n');
  expect(stderr).toContain(
    "  rollcall import members.csv.gz --map uid=Login,guid=Team,scope=Rolle --scope-words 'Chef=<scope>,Helfer=<scope>' --dry-run\n",
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
  expect(junk.stdout).toContain('9 bytes');
  expect(await place.run(['inspect', 'nowhere.csv'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('[FILE_NOT_FOUND]'),
  });
});

test.each([
  ['nothing.csv', '', 'empty, 0 bytes', '"nothing.csv" is empty. Write rows into it'],
  ['header.csv', 'guid,uid\n', 'no rows, 9 bytes', '"header.csv" has no rows, only a header. Write rows into it'],
  ['none.json', '[]\n', 'no rows, 3 bytes', '"none.json" has no rows. Write rows into it'],
])('%s has nothing in it, and inspect and import say so', async (name, content, what, remedy) => {
  const place = await openWorkplace();
  place.file(name, content);
  const { code, stdout } = await place.run(['inspect', name]);
  expect([code, stdout]).toEqual([2, expect.stringContaining(`${name}: ${what}\n`)]);
  expect(stdout).toContain(remedy);
  const { stderr } = await place.run(['import', name, '--sandbox']);
  expect(stderr).toMatch(/\[(EMPTY|NO_ROWS)\]/);
  expect(stderr).toContain(`${name}: ${what}\n`);
});

test('an import that is refused says what was seen, and a command that works', async () => {
  const place = await openWorkplace();
  const file = place.file('kurse.csv', ENROLLMENTS);
  const { code, stderr } = await place.run(['import', file, '--sandbox']);
  expect(code).toBe(2);
  expect(stderr).toContain('[MISSING_COLUMN]');
  expect(stderr).toMatch(/^Person {2}id {10}ana \| bo$/m);
  const [, command = ''] = /^ {2}rollcall (import .+) --dry-run$/m.exec(stderr) ?? [];
  expect(command).toBe(
    'import kurse.csv --map uid=Person,guid=Kurs,scope=Rolle --scope-words Lehrer=moderator,Teilnehmer=participant --sandbox',
  );
  expect(await place.run(command.replaceAll("'", '').split(' '))).toMatchObject({ code: 0 });
});

test('a suggested command is about the same place: it has the profile, the data directory and the sandbox that were given', async () => {
  const place = await openWorkplace();
  place.file('rollcall.config.json', '{"profiles":{"staging":{}}}');
  const file = place.file('kurse.csv', ENROLLMENTS);
  const where = ['--profile', 'staging', '--data-dir', 'elsewhere'];
  expect((await place.run(['inspect', file, ...where])).stderr).toContain(`${where.join(' ')} --dry-run\n`);
  const refused = await place.run(['import', file, '--sandbox', ...where]);
  expect(refused.stderr).toContain(`${where.join(' ')} --sandbox --dry-run\n`);
});

const KURSE = {
  title: 'Unsere Kurse',
  fits: { columns: ['Kurs', 'Person', 'Rolle'], header: ['Kurs', 'Person', 'Rolle'] },
  settings: {
    map: { uid: 'Person', guid: 'Kurs', scope: 'Rolle' },
    shape: { scopeWords: { Lehrer: 'moderator', '*': 'participant' } },
  },
};

test('a recipe is a JSON file, used where it is, or by its name from the data directory, and suggested from there', async () => {
  const place = await openWorkplace();
  place.file('kurse.json', JSON.stringify(KURSE));
  const file = place.file('kurse.csv', 'Kurs,Person,Rolle\nmath,cy,Lehrer\nmath,di,Kind\n');
  const { code, summary } = await place.summary(['import', file, '--recipe', 'kurse.json', '--sandbox']);
  expect([code, summary.rows.added]).toEqual([0, 2]);
  const report = readFileSync(summary.reports.all ?? '', 'utf8');
  expect(report).toMatch(/cy.*moderator/);
  expect(report).toMatch(/di.*participant/);
  const inspected = async () => JSON.parse((await place.run(['inspect', file, '--json'])).stdout) as FileFacts;
  expect((await inspected()).recipes).toEqual([]);

  mkdirSync(join(place.dataDir, 'recipes'));
  copyFileSync(join(place.root, 'kurse.json'), join(place.dataDir, 'recipes', 'kurse.json'));
  expect(await inspected()).toMatchObject({
    recipes: [{ name: 'kurse', title: 'Unsere Kurse', needs: [] }],
    command: 'rollcall import kurse.csv --recipe kurse',
  });
  const other = place.file('other.csv', 'Raum,Person,Rolle\nmath,cy,Lehrer\n');
  for (const recipe of ['kurse', 'kurse.json']) {
    const refused = await place.run(['import', other, '--recipe', recipe, '--sandbox']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`: "Kurs"; `)]);
  }
});

test('a recipe that is shown as JSON is a file for --recipe, in which a flag goes before it', async () => {
  const place = await openWorkplace();
  place.file('mine.json', (await place.run(['recipes', 'show', 'canvas-sis', '--json'])).stdout);
  const file = place.file('e.csv', 'course_id,user_id,role,section_id,status\nbio,ana,teacher,,active\n');
  const { summary } = await place.summary(['import', file, '--recipe', 'mine.json', '--guid', 'all', '--sandbox']);
  expect(readFileSync(summary.reports.all ?? '', 'utf8')).toMatch(/,all,ana,moderator,/);
  const shown = await place.run(['recipes', 'show', 'mine.json']);
  expect(shown.stdout).toContain('course_id, section_id');
});

test.each([
  ['{"title": "M", "settings": {"map": {"uid": 3}}}', 'settings.map.uid is 3: it must be a text'],
  ['{"title": "M", "settings": {"format": "pdf"}}', 'settings.format is "pdf": allowed are '],
  ['{"title": "M", "settings": {"colour": "red"}}', 'there is no option "colour" in settings; allowed are format, '],
  ['{"titel": "M", "settings": {}}', 'title is missing'],
  ['{"title": "M", "settings": {}, "nuts": 1}', 'there is no option "nuts"; allowed are $schema, title, '],
  ['["M"]', 'it is ["M"]: it must be an object'],
  ['{"title": "M",\n  settings}', 'line 2 column 3'],
])('the file of a recipe with %s is refused: where, what is there, and what is allowed', async (content, says) => {
  const place = await openWorkplace();
  const file = place.file('m.csv', 'guid,uid\ng,ana\n');
  place.file('mine.json', content);
  const { code, stderr } = await place.run(['import', file, '--recipe', 'mine.json', '--sandbox']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('[BAD_RECIPE]')]);
  expect(stderr).toContain(says);
});

test('recipes are listed; one that cannot be used is named with its file, and what is wrong only where it is shown', async () => {
  const place = await openWorkplace();
  mkdirSync(join(place.dataDir, 'recipes'), { recursive: true });
  writeFileSync(join(place.dataDir, 'recipes', 'kurse.json'), JSON.stringify(KURSE));
  writeFileSync(join(place.dataDir, 'recipes', 'mine.json'), '{"title":"M","settings":{"colour":"red"}}');
  const { stdout } = await place.run(['recipes']);
  expect(stdout).toMatch(/^kurse +saved +Unsere Kurse$/m);
  expect(stdout).toMatch(/^slack-export +built in +Slack: workspace export$/m);
  expect(stdout).toMatch(/^mine +unreadable/m);
  place.file('m.csv', 'guid,uid\ng,ana\n');
  const { code, stderr } = await place.run(['import', 'm.csv', '--recipe', 'mine', '--sandbox']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('[BAD_RECIPE]')]);
  const shown = await place.run(['recipes', 'show', 'mine']);
  expect(shown.stderr).toMatch(/"colour"/);
  for (const [recipe, says] of [
    ['nobodys', 'no recipe has the name "nobodys"; there are kurse, mine, canvas-sis, '],
    ['nobodys.json', '"nobodys.json" is neither the name nor the file of a recipe: '],
  ] as const) {
    expect(await place.run(['recipes', 'show', recipe])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(says),
    });
  }
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
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('[OUTPUT_EXISTS]')]);
});

test('inspect says that the same file was imported before', async () => {
  const place = await openWorkplace();
  const file = place.file('may.csv', 'Kind;Saal\nada;choir\n');
  expect((await place.run(['import', file, '--sandbox', '--map', 'uid=Kind,guid=Saal'])).code).toBe(0);
  const again = await place.run(['inspect', file]);
  expect(again.stdout).toMatch(/\d{4}-\d\d-\d\d: `rollcall status \S+` /);
  const next = place.file('june.csv', 'Kind;Saal\nben;choir\n');
  expect((await place.run(['inspect', next])).stdout).not.toContain('The same file');
});
