import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { type IntakeOptions, openIntake } from '../../../src/imports/read/intake.ts';
import { tempDir } from '../../temp-dir.ts';
import { archive } from './make-workbook.ts';
import { drained, OPTIONS, read, refusal, short } from './reading.ts';

/** Files that pyarrow and DuckDB have written (make.py there). */
const FILES = new URL('parquet/', import.meta.url);
const written = (name: string): Buffer => readFileSync(new URL(name, FILES));

async function rowsOf(bytes: Buffer, options: Partial<IntakeOptions> = {}) {
  return drained(await openIntake({ bytes, name: 'members.parquet' }, { ...OPTIONS, ...options }));
}

const elements = (rows: readonly { readonly original: string }[]) => rows.map(({ original }) => JSON.parse(original));

/** @param columns name → texts */
function parquet(columns: Readonly<Record<string, readonly (string | undefined)[]>>, options = {}): Buffer {
  const columnData = Object.entries(columns).map(([name, data]) => ({
    name,
    data: [...data],
    type: 'STRING' as const,
  }));
  return Buffer.from(parquetWriteBuffer({ columnData, ...options }));
}

describe('Parquet', () => {
  test('values of every type are the text that is meant, with all their digits', async () => {
    const { intake, rows } = await rowsOf(written('types.parquet'));
    expect(intake).toMatchObject({ kind: 'parquet', format: 'ndjson' });
    expect(elements(rows)).toEqual([
      {
        guid: 'g1',
        uid: '9007199254740993',
        u64: '18446744073709551615',
        u32: '4294967295',
        i8: '-128',
        dec: '12345678901234567890.12',
        dec256: '1'.repeat(60),
        dec9: '1234.5678',
        day: '2024-03-01',
        at_us: '2024-03-01T18:00:00.12Z',
        at_local_ms: '2024-03-01T18:00:00',
        at_ns: '2024-03-01T18:00:00.123456789',
        time: '18:00:00',
        yes: 'true',
        f32: '0.1',
        f64: '0.1',
        f16: '1.5',
        bytes: 'abc',
        name: 'Zoë 👍',
        kind: 'x',
      },
      {
        guid: 'g1',
        uid: '123',
        u64: '0',
        u32: '0',
        i8: '0',
        dec: '-0.05',
        dec256: '-1',
        dec9: '-0.0001',
        day: '1969-12-31',
        at_us: '1969-12-31T23:59:59.999999Z',
        at_local_ms: '1969-12-31T23:59:59.999',
        at_ns: '1969-12-31T23:59:59.999999999',
        time: '00:00:00.000005',
        yes: 'false',
        f32: '10000000000',
        f64: '1e+21',
        f16: '-2',
        bytes: '\\xff00',
        name: 'a"b\n',
        kind: 'y',
      },
      expect.objectContaining({
        uid: '-5',
        dec: '7.00',
        dec9: '0.0000',
        day: '9999-12-31',
        f32: '123',
        bytes: '',
        name: '',
      }),
      expect.objectContaining({ guid: null, uid: null, dec: null, day: null, yes: null, name: null, kind: null }),
    ]);
  });

  test('what no calendar has, and bytes that are no text, stay as they are in the file', async () => {
    const { rows } = await rowsOf(written('duckdb.parquet'));
    expect(elements(rows)[5]).toEqual({
      guid: 'g2',
      uid: 'u5',
      h: '500000000000000',
      iv: '\\x000000000300000000000000',
      inf: '9223372036854775807',
      id: expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      even: 'false',
    });
  });

  test('lists, structures and maps are read as the same NDJSON is', async () => {
    const { rows } = await rowsOf(written('nested.parquet'), { lenient: true });
    const same = [
      {
        guid: 'g1',
        uid: ['anna', 'bob'],
        user: { id: '1', name: 'A' },
        tags: { a: '1' },
        deep: [['1'], ['2', '3']],
        people: [{ uid: 'x', n: '1.50' }],
      },
      { guid: 'g2', uid: [], user: { id: '9007199254740993', name: null }, tags: {}, deep: [[]], people: [] },
      { guid: 'g3', uid: null, user: null, tags: null, deep: null, people: null },
      {
        guid: 'g4',
        uid: ['007'],
        user: { id: '3', name: 'C' },
        tags: { b: null, c: '3' },
        deep: [null, ['4']],
        people: [
          { uid: 'y', n: null },
          { uid: null, n: '2.00' },
        ],
      },
    ];
    expect(elements(rows)).toEqual(same);

    const ndjson = same.map((row) => JSON.stringify(row)).join('\n');
    for (const options of [{ map: { guid: 'user.id', uid: 'user.name' } }, { map: { uid: 'uid' } }]) {
      const nested = await rowsOf(written('nested.parquet'), options);
      expect(nested.rows.map(short)).toEqual((await read(ndjson, options)).rows.map(short));
    }
  });

  const codecs = readdirSync(FILES).filter((name) => /-v[12]\.|^delta/.test(name));
  test('there are files of all codecs', () => expect(codecs).toHaveLength(15));
  test.each(codecs)('%s: every row of every row group and page is there', async (file) => {
    const { rows } = await rowsOf(written(file));
    const wanted = Array.from({ length: 60 }, (_, at) => ({
      guid: `g${at % 3}`,
      uid: `user-of-the-chat-${at}`,
      n: String(at),
      o: at % 4 === 0 ? String(at) : null,
      l: Array.from({ length: at % 5 }, (_one, inner) => String(inner)),
    }));
    expect(elements(rows)).toEqual(wanted);
    expect(rows.map(({ line }) => line)).toEqual(wanted.map((_, at) => at + 1));
  });

  test('a file with many row groups is read from the disk, alone, in a folder and in an archive', async () => {
    const folder = mkdtempSync(join(tempDir(), 'unloaded-'));
    const part = (from: number) =>
      parquet(
        { uid: Array.from({ length: 5_000 }, (_, at) => `u${from + at}`), guid: Array(5_000).fill('g1') },
        { rowGroupSize: 700, pageSize: 2_000 },
      );
    await writeFile(join(folder, 'part-0.parquet'), part(0));
    const one = await drained(await openIntake({ path: join(folder, 'part-0.parquet') }, OPTIONS));
    expect(one.rows.map(short)).toEqual(Array.from({ length: 5_000 }, (_, at) => `us/g1/u${at}/participant/`));
    expect(one.intake.bytesRead()).toBe(part(0).length);

    await writeFile(join(folder, 'part-1.parquet'), part(5_000));
    await writeFile(join(folder, '_SUCCESS'), '');
    expect((await drained(await openIntake({ path: folder }, OPTIONS))).rows).toHaveLength(10_000);

    const zip = join(tempDir(), 'unloaded.zip');
    writeFileSync(zip, archive({ 'a.parquet': part(0), 'b.parquet': part(5_000) }));
    expect((await drained(await openIntake({ path: zip }, OPTIONS))).rows).toHaveLength(10_000);
  });

  test.each([
    ['cut off', (file: Buffer) => file.subarray(0, -9), 'PARQUET_BROKEN'],
    [
      'whose footer is said to be longer than the file',
      (file: Buffer) =>
        Buffer.concat([file.subarray(0, -8), Buffer.from('ffffff7fPAR1'.slice(0, 8), 'hex'), Buffer.from('PAR1')]),
      'PARQUET_BROKEN',
    ],
    [
      'with an encrypted footer',
      (file: Buffer) => Buffer.concat([Buffer.from('PARE'), file.subarray(4, -4), Buffer.from('PARE')]),
      'ENCRYPTED',
    ],
    [
      'with other bytes in a page',
      (file: Buffer) => Buffer.concat([file.subarray(0, 60), Buffer.from('damaged'), file.subarray(67)]),
      'PARQUET_BROKEN',
    ],
  ])('a file %s is refused with what to do', async (_, change, code) => {
    const error = await refusal(rowsOf(change(written('snappy-v1.parquet'))));
    expect(error.code).toBe(code);
    expect(error.message).toContain('members.parquet');
  });

  test('text that is not UTF-8 is refused with its row group and column', async () => {
    const bytes = parquet({ guid: ['g1'], uid: ['u-xyz'] }, { codec: 'UNCOMPRESSED', statistics: false });
    const error = await refusal(
      rowsOf(Buffer.from(bytes.toString('latin1').replace('u-xyz', 'u-\xff\xfez'), 'latin1')),
    );
    expect(error).toMatchObject({ code: 'PARQUET_BROKEN', place: 'row group 1, column "uid"' });
  });

  test('through a pipe it is refused by its name', async () => {
    expect((await refusal(read(written('types.parquet')))).message).toContain(
      'a Parquet file that comes through a pipe',
    );
  });

  test('what is not Parquet is not read as it', async () => {
    const error = await refusal(read('uid,guid\nu1,g1\n', { format: 'parquet' }));
    expect(error).toMatchObject({ code: 'OTHER_FORMAT' });
    expect(error.message).toContain('parquet');
  });

  test('more columns than the bound are refused', async () => {
    const columns = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`c${at}`, ['x']]));
    const error = await refusal(rowsOf(parquet(columns), { bounds: { columns: 10 } }));
    expect(error).toMatchObject({ code: 'TOO_MANY_COLUMNS' });
  });

  test('pages that take more than the bound are refused before they are unpacked, and the bound can be raised', async () => {
    const bytes = parquet({ uid: Array.from({ length: 20_000 }, (_, at) => `u${at}`), guid: Array(20_000).fill('g') });
    const error = await refusal(rowsOf(bytes, { bounds: { page: 50_000 } }));
    expect(error).toMatchObject({ code: 'TOO_LARGE' });
    expect(error.message).toContain('--bound page=');
    expect((await rowsOf(bytes, { bounds: { page: 5_000_000 } })).rows).toHaveLength(20_000);
  });

  test('a few bytes that stand for millions of rows are refused', async () => {
    const count = 1_500_000;
    const same = (text: string) => Array(count).fill(text);
    const bytes = parquet({ uid: same('user-that-is-always-the-same'), guid: same('group') }, { rowGroupSize: count });
    expect(bytes.length).toBeLessThan(100_000);
    const error = await refusal(rowsOf(bytes));
    expect(error).toMatchObject({ code: 'TOO_LARGE' });
    expect(error.message).toContain('--bound expansion=');
  });

  test('a file that is replaced while it is read is refused', async () => {
    const path = join(tempDir(), 'members.parquet');
    const long = { uid: Array.from({ length: 9_000 }, (_, at) => `u${at}`), guid: Array(9_000).fill('g') };
    await writeFile(path, parquet(long, { rowGroupSize: 500 }));
    const intake = await openIntake({ path }, OPTIONS);
    await copyFile(new URL('types.parquet', FILES), path);
    expect((await refusal(drained(intake))).code).toMatch(/FILE_CHANGED|PARQUET_BROKEN/);
  });

  test('reading stops when it is aborted', async () => {
    const stop = new AbortController();
    const bytes = parquet({ uid: Array.from({ length: 20_000 }, (_, at) => `u${at}`), guid: Array(20_000).fill('g') });
    const intake = await openIntake({ bytes, name: 'm.parquet' }, { ...OPTIONS, signal: stop.signal });
    const chunks = intake.chunks();
    await chunks.next();
    stop.abort(new Error('stopped'));
    await expect(chunks.next().then(() => chunks.next())).rejects.toThrow('stopped');
  });
});
