import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openIntake } from '../../../src/imports/read/intake.ts';
import { drained, OPTIONS, read, refusal } from './reading.ts';

const TEXT = 'uid,guid\nu1,g1\nu2,g1\n';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-intake-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function file(content: string | Buffer): Promise<string> {
  const path = join(folder, 'members.csv');
  await writeFile(path, content);
  return path;
}

/** Endless rows, made when they are asked for. */
function* endless(): Generator<Buffer> {
  yield Buffer.from('uid,guid\n');
  for (let row = 0; ; row += 1_000) yield Buffer.from(`user-${row},group-1\n`.repeat(1_000));
}

describe('source', () => {
  test('a file is read, and its bytes are counted', async () => {
    const { intake, rows } = await drained(await openIntake({ path: await file(TEXT) }, OPTIONS));
    expect(rows.map((row) => row.uid)).toEqual(['u1', 'u2']);
    expect(intake.bytesRead()).toBe(TEXT.length);
  });

  test('a missing file is refused with its path', async () => {
    const error = await refusal(openIntake({ path: join(folder, 'nothing.csv') }, OPTIONS));
    expect(error).toMatchObject({ code: 'FILE_NOT_FOUND' });
    expect(error.message).toContain('nothing.csv');
  });

  test('a directory without a file that can be read is refused', async () => {
    const empty = await mkdtemp(join(folder, 'empty-'));
    expect(await refusal(openIntake({ path: empty }, OPTIONS))).toMatchObject({ code: 'UNKNOWN_FILE' });
  });

  test.each([
    ['nothing', ''],
    ['a byte order mark', '\ufeff'],
    ['white space', ' \r\n\t\n'],
    ['much white space', '\n'.repeat(100_000)],
    ['gzipped nothing', gzipSync('')],
  ])('a file with %s is empty', async (_, content) => {
    for (const format of ['auto', 'csv', 'ndjson'] as const) {
      expect(await refusal(read(content, { format }))).toMatchObject({
        code: format === 'ndjson' && content.length > 50_000 ? 'NO_ROWS' : 'EMPTY',
      });
    }
  });

  test('gzip is recognised by its content; compressed bytes are counted', async () => {
    const bytes = gzipSync(TEXT);
    for (const pieces of [[], [1]]) {
      const { intake, rows } = await read(bytes, {}, pieces);
      expect(rows.map((row) => row.uid)).toEqual(['u1', 'u2']);
      expect(intake.bytesRead()).toBe(bytes.length);
    }
  });

  test('a gzip of several members is read to its end', async () => {
    const { rows } = await read(Buffer.concat([gzipSync('uid,guid\nu1,g1\n'), gzipSync('u2,g1\n')]));
    expect(rows.map((row) => row.uid)).toEqual(['u1', 'u2']);
  });

  test('a gzip that is cut off is refused with the bytes that could be read', async () => {
    const bytes = gzipSync(Array.from({ length: 50_000 }, (_, row) => `u${row},g${row * 7}`).join('\n'));
    const error = await refusal(read(bytes.subarray(0, -1_000), { map: { uid: 'u0', guid: 'g0' } }));
    expect(error).toMatchObject({
      code: 'GZIP_BROKEN',
      facts: { place: expect.stringMatching(/^after \d{6} decompressed bytes$/) },
    });
  });

  test('a damaged gzip is refused', async () => {
    const bytes = gzipSync(TEXT);
    bytes.writeUInt32LE(0, bytes.length - 8); // its checksum
    expect(await refusal(read(bytes))).toMatchObject({ code: 'GZIP_BROKEN' });
  });

  test('a stream that fails half-way is refused, not taken as its beginning', async () => {
    const stream = Readable.from(
      (function* () {
        yield Buffer.from(TEXT);
        throw new Error('connection lost');
      })(),
    );
    const error = await refusal(openIntake({ stream, name: 'standard input' }, OPTIONS));
    expect(error).toMatchObject({ code: 'NOT_READABLE', facts: { place: `byte ${TEXT.length}` } });
    expect(error.message).toContain('connection lost');
  });

  test('no more is read than is asked for, and stopping early closes the source', async () => {
    const stream = Readable.from(endless());
    const intake = await openIntake({ stream, name: 'endless' }, OPTIONS);
    for await (const chunk of intake.chunks()) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(intake.bytesRead()).toBeLessThan(500_000);
    expect(stream.destroyed).toBe(true);
  });

  test.each(['plain', 'gzipped'])('a refused source is closed: %s', async (kind) => {
    const text = Readable.from(endless());
    const stream = kind === 'plain' ? text : text.pipe(createGzip());
    const error = await refusal(openIntake({ stream, name: 'endless' }, { ...OPTIONS, map: { scope: 'rank' } }));
    expect(error.code).toBe('UNKNOWN_COLUMN');
    expect(stream.destroyed).toBe(true);
    text.destroy();
  });

  test('a source that waits for more can be aborted, with the reason of the signal', async () => {
    const stop = new AbortController();
    const stream = new PassThrough();
    stream.write(TEXT.repeat(1_000));
    const intake = await openIntake({ stream, name: 'standard input' }, { ...OPTIONS, signal: stop.signal });
    const reading = drained(intake);
    stop.abort(new Error('stopped by hand'));
    await expect(reading).rejects.toThrow('stopped by hand');
    expect(stream.destroyed).toBe(true);
  });

  test('a quote that opens at line 50,000 of a large file and never closes is refused with that line', async () => {
    const row = 'user-1,group-1,"a name"\n';
    function* file(): Generator<Buffer> {
      yield Buffer.from('uid,guid,name\n');
      for (let block = 0; block < 49_998; block += 6) yield Buffer.from(row.repeat(6));
      yield Buffer.from('user-1,group-1,"a name\n');
      for (;;) yield Buffer.from('user-1,group-1,a name\n'.repeat(100));
    }
    const intake = await openIntake({ stream: Readable.from(file()), name: 'large' }, OPTIONS);
    expect(await refusal(drained(intake))).toMatchObject({
      code: 'UNCLOSED_QUOTE',
      facts: { place: 'line 50000, column "name"' },
    });
    expect(intake.bytesRead()).toBeLessThan(row.length * 50_000 + 2 * 1024 * 1024);
  });
});
