import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { openIntake } from '../../../src/imports/read/intake.ts';
import { OPTIONS, read, refusal } from './reading.ts';

const TEXT = 'uid,guid,name\nu1,g1,Zoë 👍 日本\nu2,g1,é\n';
const NAMES = ['Zoë 👍 日本', 'é'];

async function names(content: string | Buffer, encoding?: string, pieces?: readonly number[]): Promise<string[]> {
  const { rows } = await read(content, encoding === undefined ? {} : { encoding }, pieces);
  return rows.map((row) => JSON.parse(row.original)[2]);
}

describe('encoding', () => {
  test('UTF-8 is assumed', async () => {
    const { intake } = await read(TEXT);
    expect(intake.encoding).toBe('utf-8');
    expect(await names(TEXT)).toEqual(NAMES);
  });

  test('a byte order mark is not part of the first column, even when it arrives byte by byte', async () => {
    for (const pieces of [[], [1], [2]]) {
      const { intake } = await read(`\ufeff${TEXT}`, {}, pieces);
      expect(intake.columns()).toEqual(['uid', 'guid', 'name']);
    }
  });

  test.each([[[1]], [[2]], [[3]], [[5, 1]]])('characters may be cut by the pieces %j', async (pieces) => {
    expect(await names(`uid,guid,name\n${'u0,g0,日本\n'.repeat(1_000)}${TEXT.slice(14)}`, undefined, pieces)).toEqual([
      ...new Array(1_000).fill('日本'),
      ...NAMES,
    ]);
  });

  test.each(['utf-16le', 'utf-16be'])('%s is recognised by its byte order mark', async (encoding) => {
    const bytes = iconv.encode(TEXT, encoding, { addBOM: true });
    const { intake } = await read(bytes);
    expect(intake.encoding).toBe(encoding);
    expect(intake.columns()[0]).toBe('uid');
    expect(await names(bytes)).toEqual(NAMES);
  });

  test.each(['utf-16le', 'utf-16be'])(
    '%s without mark is refused with the flag to use, and read with it',
    async (encoding) => {
      const bytes = iconv.encode(TEXT.repeat(3), encoding);
      const error = await refusal(read(bytes));
      expect(error).toMatchObject({ code: 'BAD_ENCODING' });
      expect(error.remedy).toContain(`--encoding ${encoding}`);
      expect((await names(bytes, encoding)).slice(0, 2)).toEqual(NAMES);
    },
  );

  test.each(['utf-16le', 'utf-16be'])('characters of %s may be cut anywhere', async (encoding) => {
    const bytes = iconv.encode(`uid,guid,name\n${'u0,g0,👍\n'.repeat(2_000)}`, encoding);
    expect(new Set(await names(bytes, encoding, [1, 2, 3]))).toEqual(new Set(['👍']));
  });

  test('other encodings are read when they are named', async () => {
    expect(await names(iconv.encode('uid,guid,name\nu1,g1,Zoë €\n', 'win1252'), 'windows-1252')).toEqual(['Zoë €']);
    expect(await names(iconv.encode('uid,guid,name\nu1,g1,日本\n', 'shift_jis'), 'Shift_JIS')).toEqual(['日本']);
  });

  test('an unknown encoding is refused', async () => {
    const error = await refusal(read(TEXT, { encoding: 'klingon-8' }));
    expect(error).toMatchObject({ code: 'UNKNOWN_ENCODING' });
    expect(error.message).toContain('"klingon-8"');
  });

  test.each([0, 1, 5_000])('invalid UTF-8 after %i rows is refused with line, byte and offset', async (rows) => {
    const before = `uid,guid,name\n${'u1,g1,日本\ufffd\n'.repeat(rows)}`;
    const content = Buffer.concat([Buffer.from(`${before}u2,g1,Zo`), Buffer.from([0xeb, 0x20]), Buffer.from('\n')]);
    for (const pieces of [[], [7]]) {
      const error = await refusal(read(content, {}, pieces));
      expect(error).toMatchObject({
        code: 'BAD_ENCODING',
        facts: { place: `line ${rows + 2}, byte ${Buffer.byteLength(before) + 8}` },
      });
      expect(error.message).toContain('0xEB');
      expect(error.remedy).toContain('--encoding windows-1252');
    }
  });

  test.each([
    ['é and a line end', [0xe9, 0x0d, 0x0a]],
    ['a blank that does not break', [0xa0]],
  ])('no row comes of a block that ends with %s in another encoding', async (_, end) => {
    const block = Buffer.concat([Buffer.from(`uid,guid\n${'u1,g1\n'.repeat(3000)}u2,g`), Buffer.from(end)]);
    await expect(openIntake({ bytes: block, name: 'x' }, OPTIONS)).rejects.toMatchObject({ code: 'BAD_ENCODING' });
  });

  test('a file that ends in the middle of a character is refused', async () => {
    const content = Buffer.from('uid,guid,name\nu1,g1,日').subarray(0, -1);
    expect(await refusal(read(content))).toMatchObject({ code: 'BAD_ENCODING', facts: { place: 'line 2, byte 20' } });
  });

  test('a binary file is refused', async () => {
    const error = await refusal(read(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 0, 1, 2, 3])));
    expect(error).toMatchObject({ code: 'BINARY', facts: { place: 'byte 4' } });
  });

  test('a workbook is refused with the advice to save it as CSV', async () => {
    const error = await refusal(read(Buffer.from('PK\x03\x04\x14\0\x06\0\x08\0')));
    expect(error).toMatchObject({ code: 'BINARY' });
    expect(error.message).toMatch(/workbook.*CSV/);
  });
});
