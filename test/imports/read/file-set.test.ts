import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { zipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openIntake } from '../../../src/imports/read/intake.ts';
import type { IntakeOptions } from '../../../src/imports/read/intake-options.ts';
import { retryReport } from '../../../src/imports/report/report-table.ts';
import { archive, textRows, xlsx } from './make-workbook.ts';
import { drained, OPTIONS, read, refusal, short } from './reading.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-files-'));
});
afterEach(() => rm(folder, { recursive: true }));

type Files = Readonly<Record<string, string | Uint8Array>>;

async function asFolder(files: Files): Promise<string> {
  const path = join(folder, 'export');
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return path;
}

async function asZip(files: Files): Promise<string> {
  const path = join(folder, 'export.zip');
  await writeFile(path, archive(files));
  return path;
}

const readPath = async (path: string, options: Partial<IntakeOptions> = {}) =>
  drained(await openIntake({ path, name: path.split('/').at(-1) ?? '' }, { ...OPTIONS, ...options }));

describe.each([
  ['a folder', asFolder],
  ['a ZIP archive', asZip],
])('%s', (_, made) => {
  test('gives the rows of its files as one input, which says of each where it is from', async () => {
    const path = await made({
      'b.csv': 'guid;user;name\n\ng2;u3;"x"\n',
      'a.csv': 'uid,guid\nu1,g1\nu2,g1\n',
      'c.xlsx': xlsx({
        sheets: [
          {
            name: 'S',
            rows: textRows([
              ['name', 'uid', 'guid'],
              ['N', 'u4', 'g1'],
            ]),
          },
        ],
      }),
      'readme.md': 'hello',
      '.DS_Store': 'x',
    });
    const { intake, rows } = await readPath(path);
    expect(intake.columns()).toEqual(['_file', '_file_row', 'uid', 'guid', 'name']);
    expect(rows.map((row) => [row.line, short(row), row.original])).toEqual([
      [2, 'us/g1/u1/participant/', '["a.csv","2","u1","g1"]'],
      [3, 'us/g1/u2/participant/', '["a.csv","3","u2","g1"]'],
      [6, 'us/g2/u3/participant/', '["b.csv","3","u3","g2","x"]'],
      [8, 'us/g1/u4/participant/', '["c.xlsx","2","u4","g1","N"]'],
    ]);
    const [note] = intake.notes();
    expect(note?.text).toMatch(/"a.csv", "b.csv", "c.xlsx".*"readme.md"/);
  });

  test('gives a retry file that can be read as it is, though its files call the columns differently', async () => {
    const path = await made({ 'a.csv': 'uid,guid\nu1,g1\n', 'b.csv': 'group,user\ng2,u2\n' });
    const { intake, rows } = await readPath(path);
    const input = { columns: intake.columns(), format: intake.format, delimiter: ',' };
    const failed = rows.map((row) => ({ ...row, status: 'failed' as const }));
    const text = [...retryReport(input, failed as unknown as Parameters<typeof retryReport>[1])].join('');
    expect((await read(text)).rows.map(short)).toEqual(rows.map(short));
  });

  test('with JSON files gives their elements', async () => {
    const path = await made({
      'a.json': '[{"uid":"u1","guid":"g1","n":12345678901234567890}]',
      'b.ndjson': '{"uid":"u2","guid":"g1"}\n',
      'c.yaml': 'groups:\n  - guid: g2\n    admins: [u3]\n',
    });
    const { rows } = await readPath(path);
    expect(rows.map((row) => [row.line, row.uid, row.original])).toEqual([
      [1, 'u1', '{"_file":"a.json","_file_row":1,"uid":"u1","guid":"g1","n":12345678901234567890}'],
      [2, 'u2', '{"_file":"b.ndjson","_file_row":1,"uid":"u2","guid":"g1"}'],
      [3, 'u3', '{"_file":"c.yaml","_file_row":1,"guid":"g2","uid":"u3","scope":"admin"}'],
    ]);
  });

  test('with one file that can be read is that file', async () => {
    const { intake, rows } = await readPath(await made({ 'export/2024/members.csv': 'uid,guid\nu1,g1\n' }));
    expect(intake.columns()).toEqual(['uid', 'guid']);
    expect(rows.map(short)).toEqual(['us/g1/u1/participant/']);
  });

  test('is read as far as patterns say', async () => {
    const path = await made({
      'enrollments.csv': 'uid,guid\nu1,g1\n',
      'users.csv': 'sourcedId\n1\n',
      'more/enrollments.csv': 'uid,guid\nu2,g1\n',
    });
    const uids = async (files: readonly string[]) => (await readPath(path, { files })).rows.map(({ uid }) => uid);
    expect(await uids(['enroll*'])).toEqual(['u1', 'u2']);
    expect(await uids(['more/enrollments.csv'])).toEqual(['u2']);
    expect(await refusal(uids(['members*']))).toMatchObject({ code: 'UNKNOWN_FILE' });
    expect((await refusal(readPath(path))).message).toMatch(/^file "users.csv": /);
  });

  test.each([
    ['nothing', {}, 'UNKNOWN_FILE'],
    ['nothing to read', { 'photo.png': 'x' }, 'UNKNOWN_FILE'],
    ['cells and elements', { 'a.csv': 'uid,guid\nu,g\n', 'b.json': '[{"uid":"u","guid":"g"}]' }, 'OTHER_FORMAT'],
    ['an archive in it', { 'a.csv': archive({ 'b.csv': 'uid,guid\nu,g\n' }) }, 'OTHER_FORMAT'],
    ['other keys', { 'a.json': '[{"uid":"u","guid":"g"}]', 'b.json': '[{"user":"u","guid":"g"}]' }, 'AMBIGUOUS_COLUMN'],
    ['a broken file', { 'a.csv': 'uid,guid\nu,g\n', 'b.csv': 'uid,guid\n"u,g\n' }, 'UNCLOSED_QUOTE'],
  ])('with %s is refused', async (_case, files, code) => {
    const path = await made({ 'more/readme': 'x', ...files });
    expect(await refusal(readPath(path))).toMatchObject({ code });
  });

  test('with many columns all together is refused, as one file is', async () => {
    const wide = (file: number) =>
      `uid,guid,${Array.from({ length: 40 }, (_column, at) => `c${file}-${at}`).join(',')}\nu,g\n`;
    const path = await made(Object.fromEntries(Array.from({ length: 5 }, (_file, at) => [`${at}.csv`, wide(at)])));
    expect(await refusal(readPath(path, { bounds: { columns: 100 } }))).toMatchObject({ code: 'TOO_MANY_COLUMNS' });
  });
});

describe('hostile archives', () => {
  const member = Buffer.from('uid,guid\nu,g\n');

  test.each(['../a.csv', '/etc/a.csv', 'a/../../b.csv', 'C:\\a.csv'])('with the name %s are refused', async (name) => {
    const path = await asZip({ [name]: member });
    expect(await refusal(readPath(path))).toMatchObject({ code: 'UNSAFE_ARCHIVE' });
  });

  test('with two entries of one name are refused, naming both', async () => {
    const path = join(folder, 'twice.zip');
    const bytes = Buffer.from(
      zipSync({ 'a.csv': [member, { level: 0 }], 'b.csv': [Buffer.from('uid,guid\n'), { level: 0 }] }),
    );
    // The name of the second entry stands in its header and in the directory.
    await writeFile(path, Buffer.from(bytes.toString('latin1').replaceAll('b.csv', 'a.csv'), 'latin1'));
    const { code, message } = await refusal(readPath(path));
    expect(code).toBe('UNSAFE_ARCHIVE');
    expect(message).toMatch(
      /"a\.csv".* two entries of this name: one of 13 bytes \(at byte 0\), and one of 9 bytes \(at byte \d+\)/,
    );
  });

  test('with a link are refused', async () => {
    const path = join(folder, 'link.zip');
    await writeFile(path, zipSync({ 'a.csv': [Buffer.from('/etc/passwd'), { os: 3, attrs: 0o120_777 << 16 }] }));
    expect(await refusal(readPath(path))).toMatchObject({ code: 'UNSAFE_ARCHIVE' });
  });

  test('with more entries than are read as files are read where the rows are', async () => {
    const entries = Array.from({ length: 2_000 }, (_, at) => [`days/${at}.json`, '[]'] as const);
    const path = await asZip({ ...Object.fromEntries(entries), 'members.csv': member });
    expect((await readPath(path)).rows).toHaveLength(1);
    expect(await refusal(readPath(path, { files: ['*.json'] }))).toMatchObject({ code: 'TOO_LARGE' });
  });

  test('with a bomb are refused', async () => {
    const path = await asZip({ 'a.csv': Buffer.concat([member, Buffer.alloc(20_000_000, `u,${'g'.repeat(998)}\n`)]) });
    expect(await refusal(readPath(path))).toMatchObject({ code: 'TOO_LARGE' });
  });

  test('with a password are refused', async () => {
    const bytes = archive({ 'a.csv': Buffer.alloc(20_000, member) });
    for (const [signature, flags] of [['PK\x01\x02', 8] as const, ['PK\x03\x04', 6] as const]) {
      const at = bytes.indexOf(signature, 0, 'latin1') + flags;
      bytes.writeUInt16LE(bytes.readUInt16LE(at) | 1, at);
    }
    const path = join(folder, 'locked.zip');
    await writeFile(path, bytes);
    expect(await refusal(readPath(path))).toMatchObject({ code: 'ENCRYPTED' });
  });
});

test('a link in a folder is not followed, and a note says so', async () => {
  const path = await asFolder({ 'a.csv': 'uid,guid\nu,g\n' });
  await symlink('/etc/passwd', join(path, 'b.csv'));
  const { intake, rows } = await readPath(path);
  expect(rows).toHaveLength(1);
  expect(intake.notes()[0]?.text).toContain('"b.csv"');
});

test('an entry that is packed with another method than Deflate is refused as that, and not as damaged', async () => {
  const bytes = archive({ 'a.csv': 'uid,guid\nu,g\n' });
  bytes.writeUInt16LE(12, bytes.indexOf('PK\x01\x02') + 10);
  const error = await refusal(openIntake({ bytes, name: 'a.zip' }, OPTIONS));
  expect(error).toMatchObject({ code: 'OTHER_FORMAT' });
  expect(error.message).toContain('method 12');
});

test('an empty file among others is named, with the option that leaves it out', async () => {
  const bytes = archive({ 'a.csv': 'uid,guid\nu,g\n', 'b.csv': '' });
  const error = await refusal(openIntake({ bytes, name: 'a.zip' }, OPTIONS).then(drained));
  expect(error).toMatchObject({ code: 'EMPTY', facts: { place: 'file "b.csv"' } });
  expect(error.message).toContain('--files');
  const others = await drained(await openIntake({ bytes, name: 'a.zip' }, { ...OPTIONS, files: ['a*.csv'] }));
  expect(others.rows.map(short)).toEqual(['us/g/u/participant/']);
  const without = await drained(await openIntake({ bytes, name: 'a.zip' }, { ...OPTIONS, files: ['!b.csv'] }));
  expect(without.rows.map(short)).toEqual(['us/g/u/participant/']);
  expect(without.intake.notes()).toEqual([expect.objectContaining({ text: expect.stringContaining('"b.csv"') })]);
});

test('a pattern behind ! leaves files out, of those that others name or of all', async () => {
  const row = 'uid,guid\nu,g\n';
  const bytes = archive({ 'a.csv': row, 'b.csv': '', 'c.csv': row, 'notes.md': 'read me' });
  const read = async (...files: string[]) =>
    (await openIntake({ bytes, name: 'a.zip' }, { ...OPTIONS, files })).notes();
  expect((await read('!b*', '!c.csv'))[0]?.text).toMatch(/: "a\.csv"\./);
  expect((await read('*.csv', '!b.csv'))[0]?.text).toMatch(/: "a\.csv", "c\.csv"\./);
  expect(await refusal(read('!d.csv'))).toMatchObject({ code: 'UNKNOWN_FILE' });
  expect(await refusal(read('a.csv', '!*.csv'))).toMatchObject({ code: 'UNKNOWN_FILE' });
});
