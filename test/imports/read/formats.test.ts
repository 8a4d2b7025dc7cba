import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REGIONS, SCOPES } from '../../../src/membership/membership.ts';
import { runs } from '../../runs.ts';
import { read, short } from './reading.ts';

const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
const membership = fc.record({
  region: fc.constantFrom(...REGIONS),
  guid: id,
  uid: id,
  scope: fc.constantFrom(...SCOPES),
});
const pieces = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 });

const LISTS = { admin: 'admins', moderator: 'moderators', participant: 'participants', ban: 'usersToBan' } as const;

describe('every format', () => {
  test('says the same: memberships as CSV, JSON, NDJSON and own shape, plain or gzipped, are the same rows', async () => {
    const memberships = fc.array(membership, { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(memberships, pieces, fc.boolean(), async (wanted, sizes, gzipped) => {
        const csv = ['region,guid,uid,scope', ...wanted.map((row) => Object.values(row).join(','))].join('\n');
        const groups = wanted.map(({ region, guid, uid, scope }) => ({ region, guid, [LISTS[scope]]: [uid] }));
        const texts = {
          csv,
          json: JSON.stringify(wanted, undefined, 2),
          ndjson: wanted.map((row) => JSON.stringify(row)).join('\n'),
          own: JSON.stringify(groups),
        };
        const expected = wanted.map((row) => `${row.region}/${row.guid}/${row.uid}/${row.scope}/`);
        for (const [format, text] of Object.entries(texts)) {
          const { intake, rows } = await read(gzipped ? gzipSync(text) : text, {}, sizes);
          expect(intake.format).toBe(format === 'own' ? 'json' : format);
          expect(rows.map(short)).toEqual(expected);
          expect(rows.map((row) => row.line - (format === 'csv' ? 1 : 0))).toEqual(wanted.map((_, index) => index + 1));
        }
      }),
      { numRuns: runs(100) },
    );
  });

  test('any table written as CSV is read back cell for cell, with the line of each row', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ unit: fc.constantFrom('"', ',', ';', '\t', '|', '\n', '\r', 'a', 'é', '👍', ' '), maxLength: 8 }),
    );
    const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 30 });
    const style = fc.record({
      delimiter: fc.constantFrom(',', ';', '\t', '|'),
      lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
      quoteAll: fc.boolean(),
      blankLines: fc.boolean(),
      lastLineEnd: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(table, style, pieces, async (cells, { delimiter, lineEnd, quoteAll, ...written }, sizes) => {
        const quoted = (text: string) =>
          quoteAll || /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
        const original = cells.map((row, index) => [`u${index}`, 'g1', ...row]);
        const lines = [['uid', 'guid', 'a', 'b', 'c'], ...original].map((row) => row.map(quoted).join(delimiter));
        const text =
          lines.join(written.blankLines ? lineEnd + lineEnd : lineEnd) + (written.lastLineEnd ? lineEnd : '');
        const { intake, rows } = await read(text, {}, sizes);
        expect(intake.delimiter).toBe(delimiter);
        expect(rows.map((row) => JSON.parse(row.original))).toEqual(original);
        expect(rows.map((row) => row.line)).toEqual(
          cells.map((_, index) => (written.blankLines ? 2 * index + 3 : index + 2)),
        );
        expect(rows.every((row) => row.problems.length === 0)).toBe(true);
      }),
      { numRuns: runs(200) },
    );
  });

  test('a format that was named is not detected', async () => {
    const text = '[x],uid,guid\n1,u1,g1\n';
    await expect(read(text)).rejects.toThrow('JSON');
    const { rows } = await read(text, { format: 'csv' });
    expect(rows.map(short)).toEqual(['us/g1/u1/participant/']);
  });
});
