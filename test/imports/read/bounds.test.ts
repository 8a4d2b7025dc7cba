import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openIntake } from '../../../src/imports/read/intake.ts';
import { MAX_DEPTH } from '../../../src/imports/read/intake-error.ts';
import { BOUND_NAMES, BOUNDS, boundText } from '../../../src/options/bounds.ts';
import { boundList } from '../../../src/options/option-texts.ts';
import { drained, OPTIONS, open, read, refusal } from './reading.ts';

const MIB = 1024 * 1024;

describe('depth', () => {
  const nested = (depth: number) => `{"guid":"g","uid":"u2","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

  test.each([MAX_DEPTH + 1, 22_000, 50_000])('an NDJSON line of %i levels is refused with its line', async (depth) => {
    const error = await refusal(read(`{"guid":"g","uid":"u1"}\n${nested(depth)}\n`));
    expect(error).toMatchObject({ code: 'JSON_SHAPE', facts: { place: 'line 2' } });
    expect(error.message).toContain('100 levels');
  });

  test('a nested UID is refused like any other value', async () => {
    const error = await refusal(read(`{"guid":"g","uid":${'['.repeat(22_000)}${']'.repeat(22_000)}}\n{"uid":"u2"}\n`));
    expect(error).toMatchObject({ code: 'JSON_SHAPE', facts: { place: 'line 1' } });
  });

  test('a JSON element of as many levels is refused with its number', async () => {
    for (const element of [nested(22_000), `{"guid":"g","uid":"u2","x":${'['.repeat(50_000)}`]) {
      const error = await refusal(read(`[{"guid":"g","uid":"u1"},${element}]`));
      expect(error).toMatchObject({ code: 'JSON_SHAPE', facts: { place: 'element 2' } });
    }
  });

  test.each(['ndjson', 'json'] as const)('%s of the deepest that is allowed is read', async (format) => {
    const { rows } = await read(format === 'json' ? `[${nested(MAX_DEPTH)}]` : nested(MAX_DEPTH), { format });
    expect(rows[0]?.uid).toBe('u2');
  });

  test('brackets inside of texts are not levels', async () => {
    const { rows } = await read(
      `{"guid":"g","uid":"u1","x":"${'['.repeat(500)}\\"${'{'.repeat(500)}"}\n{"guid":"g","uid":"u2"}`,
    );
    expect(rows).toHaveLength(2);
  });
});

describe('columns', () => {
  test('too many in the header are refused with their number and the flag that allows them', async () => {
    const error = await refusal(read(`uid,guid${','.repeat(4_000)}\nu1,g1\n`));
    expect(error).toMatchObject({ code: 'TOO_MANY_COLUMNS', facts: { place: 'the header' } });
    expect(error.message).toContain('4002 columns');
    expect(error.message).toContain('--bound columns=');
  });

  test('too many cells in a later row are refused with its line', async () => {
    const error = await refusal(read(`uid,guid\nu1,g1\n${','.repeat(100_000)}x\n`));
    expect(error).toMatchObject({ code: 'TOO_MANY_COLUMNS', facts: { place: 'line 3' } });
  });

  test.each([
    ['json', (rows: string[]) => `[${rows.join(',')}]`, 'element 999'],
    ['ndjson', (rows: string[]) => rows.join('\n'), 'line 999'],
  ] as const)('too many different keys in %s are refused where they get too many', async (_, text, place) => {
    const rows = Array.from({ length: 5_000 }, (_, row) => `{"guid":"g","uid":"u","k${row}":1}`);
    expect(await refusal(read(text(rows)))).toMatchObject({ code: 'TOO_MANY_COLUMNS', facts: { place } });
  });

  test('as many as a spreadsheet has can be allowed, with repeated and empty names', async () => {
    const header = `uid,guid${',name'.repeat(8_000)}${','.repeat(8_000)}`;
    const { intake, rows } = await read(`${header}\nu1,g1\n`, { bounds: { columns: 16_384 } });
    expect(intake.columns()).toHaveLength(16_002);
    expect(rows).toHaveLength(1);
  });
});

describe('rows, elements and lines', () => {
  test('a JSON element that is too large is refused before it is in memory as a whole', async () => {
    function* endless(): Generator<Buffer> {
      yield Buffer.from('[{"guid":"g","uid":"u1"},{"guid":"g","x":[1');
      for (;;) yield Buffer.from(',1'.repeat(32 * 1024));
    }
    const intake = await openIntake(
      { stream: Readable.from(endless()), name: 'x' },
      { ...OPTIONS, bounds: { element: MIB } },
    );
    const error = await refusal(drained(intake));
    expect(error).toMatchObject({ code: 'ROW_TOO_LONG', facts: { place: 'element 2' } });
    expect(error.message).toContain('than 1mb');
    expect(error.message).toContain('--bound element=4mb');
    expect(intake.bytesRead()).toBeLessThan(2 * MIB);
  });

  test('an element whose quote is not closed is refused at the mistake, not for its size', async () => {
    const good = '{"guid":"g","uid":"u1"},'.repeat(10);
    const error = await refusal(
      read(`[${good}{"guid":"g,"uid":"u2"},${good.repeat(10_000)}]`, { bounds: { element: MIB / 16 } }),
    );
    expect(error).toMatchObject({
      code: 'JSON_BROKEN',
      facts: { place: `element 11, byte ${1 + good.length + '{"guid":"g,"'.length}` },
    });
  });

  test('an NDJSON line and a CSV row are bounded, and both bounds can be raised', async () => {
    const line = `{"guid":"g","uid":"u1","x":"${'x'.repeat(2 * MIB)}"}`;
    expect(await refusal(read(`{"guid":"g","uid":"u"}\n${line}`, { bounds: { element: MIB } }))).toMatchObject({
      code: 'ROW_TOO_LONG',
      facts: { place: 'line 2' },
    });
    const csv = `uid,guid,x\nu1,g,${'x'.repeat(2 * MIB)}\n`;
    const error = await refusal(read(csv));
    expect(error).toMatchObject({ code: 'ROW_TOO_LONG', facts: { place: 'line 2, column "x"' } });
    expect(error.message).toContain('--bound row=4mb');
    expect((await read(csv, { bounds: { row: 4 * MIB } })).rows).toHaveLength(1);
  });
});

describe('gzip', () => {
  const wide = (rows: number) => `uid,guid,x\n${`u1,g1,${'x'.repeat(1_000)}\n`.repeat(rows)}`;

  test('that unpacks to far more than its size is refused, with both sizes', async () => {
    const error = await refusal(read(gzipSync(wide(30_000))));
    expect(error).toMatchObject({ code: 'TOO_LARGE' });
    expect(error.message).toMatch(/\d+ bytes became 16\d+/);
    expect(error.message).toContain('--bound expansion=');
  });

  test('may be allowed to', async () => {
    const intake = await open(gzipSync(wide(30_000)), { bounds: { expansion: 2_000 } });
    let count = 0;
    for await (const chunk of intake.chunks()) count += chunk.length;
    expect(count).toBe(30_000);
  });

  test('that unpacks to more than is allowed is refused', async () => {
    const rows = Array.from({ length: 100_000 }, (_, row) => `u${(row * 7919) % 99991},g1`).join('\n');
    const error = await refusal(read(gzipSync(`uid,guid\n${rows}`), { bounds: { unpacked: 512 * 1024 } }));
    expect(error).toMatchObject({ code: 'TOO_LARGE' });
    expect(error.message).toContain('512kb');
  });
});

test('a report that would be far larger than its file is refused', async () => {
  const text = `uid,guid\n${','.repeat(999)}x\n${'u,g\n'.repeat(50_000)}`;
  const error = await refusal(read(text));
  expect(error).toMatchObject({ code: 'TOO_LARGE' });
  expect(error.message).toContain('--bound report=400');
  expect((await read(text, { bounds: { report: 100_000 } })).rows).toHaveLength(50_001);
});

test('every bound has a default and a most, and can be written and read', () => {
  for (const name of BOUND_NAMES) {
    expect(BOUNDS[name].default).toBeLessThan(BOUNDS[name].most);
    expect(boundList(`${name}=${boundText(name, BOUNDS[name].most)}`)).toEqual({ [name]: BOUNDS[name].most });
    expect(() => boundList(`${name}=0`)).toThrow(`"${name}=0"`);
  }
  expect(() => boundList('columns=16385')).toThrow('to 16384');
  expect(() => boundList('rows=7')).toThrow(expect.objectContaining({ code: 'BAD_USAGE' }));
});

test('docs/files.md has every bound with its default, its most and what it bounds', () => {
  const page = readFileSync(new URL('../../../docs/files.md', import.meta.url), 'utf8');
  for (const name of BOUND_NAMES) {
    const { default: byDefault, most, meaning } = BOUNDS[name];
    expect(page).toContain(`| \`${name}\` | ${meaning} | ${boundText(name, byDefault)} | ${boundText(name, most)} |`);
  }
});
