import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isIntakeError } from '../../../src/imports/read/intake-error.ts';
import { ANY_CHARACTER } from '../../any-character.ts';
import { runs } from '../../runs.ts';
import { read } from './reading.ts';

const pieces = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 3 });
const options = fc.record({
  format: fc.constantFrom('auto', 'csv', 'json', 'ndjson'),
  lenient: fc.boolean(),
});

/** Reads any input: returns rows in order, or an IntakeError that names the problem and the remedy. */
async function rowsOrRefusal(content: string | Buffer, ...how: [Parameters<typeof read>[1], readonly number[]]) {
  try {
    const { intake, rows } = await read(content, ...how);
    expect(rows.length).toBeGreaterThan(0);
    const columns = intake.columns();
    let line = 0;
    for (const row of rows) {
      // A row with lists in it gives several memberships; the first has the row.
      const isFurther = (row.shaped?.part ?? 1) > 1;
      expect(row.line).toBeGreaterThan(isFurther ? line - 1 : line);
      line = row.line;
      if (isFurther) continue;
      const original: unknown = JSON.parse(row.original);
      const names = intake.format === 'csv' ? (original as unknown[]).length : Object.keys(original as object).length;
      expect(names).toBeLessThanOrEqual(columns.length);
    }
    return rows;
  } catch (error) {
    if (!isIntakeError(error)) throw error;
    expect(error.what).not.toBe('');
    expect(error.remedy).not.toBe('');
    expect(error.message.length).toBeLessThan(10_000);
    return undefined;
  }
}

const word = fc.constantFrom(
  'uid',
  'guid',
  'scope',
  'role',
  'u1',
  'g1',
  'admin',
  '',
  ' ',
  'é',
  '👍',
  '\ufeff',
  'a b',
  '=1',
);
const mark = fc.constantFrom('"', '""', ',', ';', '\t', '|', '\n', '\r\n', '\r', "'", 'sep=;\n', '\0');
const csv = fc.array(fc.oneof(word, mark), { maxLength: 60 }).map((parts) => parts.join(''));
const brokenJson = fc
  .array(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"uid"',
      '"guid"',
      '"u"',
      '"admins"',
      '1',
      '-0',
      '1.0',
      'null',
      '\\',
      '\n',
      ' ',
    ),
    {
      maxLength: 40,
    },
  )
  .map((parts) => parts.join(''));
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('u1', 'é"\\\n', '', 7, -0, 1.5, null, true),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.constantFrom('uid', 'guid', 'scope', 'admins', 'participants', 'x', '__proto__', 'é', '0'),
      tie('value'),
      { maxKeys: 5 },
    ),
  ),
})).value;

describe('any input gives rows, or an IntakeError', () => {
  test.each([
    ['bytes', fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))],
    ['text', fc.string({ unit: ANY_CHARACTER, maxLength: 200 })],
    ['CSV', csv],
    ['CSV under a good header', csv.map((text) => `uid,guid\n${text}`)],
    [
      'gzip, whole or damaged',
      fc
        .tuple(csv, fc.nat(60), fc.nat(255))
        .map(([text, at, byte]) => damaged(gzipSync(`uid,guid\n${text}`), at, byte)),
    ],
    ['JSON', value.map((one) => JSON.stringify(one) ?? '')],
    ['JSON in lines', value.map((one) => JSON.stringify(one, undefined, 1) ?? '')],
    ['NDJSON', fc.array(value, { maxLength: 5 }).map((all) => all.map((one) => JSON.stringify(one)).join('\n'))],
    ['broken JSON', brokenJson],
    ['broken NDJSON', brokenJson.map((text) => `{"uid":"u","guid":"g"}\n${text}`)],
  ] as const)('%s', async (_, contents) => {
    await fc.assert(
      fc.asyncProperty(contents as fc.Arbitrary<string | Buffer>, options, pieces, async (content, how, sizes) => {
        await rowsOrRefusal(content, how as Parameters<typeof read>[1], sizes);
      }),
      { numRuns: runs(150) },
    );
  });
});

describe('JSON is read as JSON.parse reads it', () => {
  const element = fc
    .dictionary(fc.constantFrom('a', 'é', 'x y', '"'), value, { maxKeys: 4 })
    .map((rest) => ({ uid: 'u', guid: 'g', ...rest }));
  const spaces = fc.constantFrom(undefined, 1, '\t');

  test('an array of elements gives each of them, cut anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(element, { minLength: 1, maxLength: 8 }),
        spaces,
        pieces,
        async (elements, space, sizes) => {
          const text = JSON.stringify(elements, undefined, space);
          const { rows } = await read(text, { format: 'json' }, sizes);
          expect(rows.map(({ original }) => JSON.parse(original))).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: runs(150) },
    );
  });

  test('an array with a mistake is refused wherever JSON.parse refuses it', async () => {
    const mistake = fc.constantFrom('', '"', ',', '}', ']', '{', '[', ':', 'x', '\\', '0', ' ');
    await fc.assert(
      fc.asyncProperty(
        fc.array(element, { minLength: 1, maxLength: 4 }),
        fc.nat(),
        mistake,
        fc.boolean(),
        pieces,
        async (elements, at, character, instead, sizes) => {
          const whole = JSON.stringify(elements);
          const index = at % whole.length;
          const text = whole.slice(0, index) + character + whole.slice(instead ? index + 1 : index);
          const rows = await rowsOrRefusal(text, { format: 'json', lenient: true }, sizes);
          if (!isJson(text)) expect(rows).toBeUndefined();
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function damaged(bytes: Buffer, at: number, byte: number): Buffer {
  if (at < bytes.length) bytes[at] = byte;
  return bytes;
}
