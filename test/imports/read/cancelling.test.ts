import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openIntake } from '../../../src/imports/read/intake.ts';
import { drained, OPTIONS } from './reading.ts';

const LINES = 20_000_000;

/** Inputs that are in memory as a whole, so that nothing but the reader itself could let the signal through. */
const INPUTS: readonly (readonly [name: string, bytes: () => Buffer])[] = [
  ['a CSV file that is all blank lines', () => Buffer.from(`uid,guid\nu,g\n${'\n'.repeat(LINES)}`)],
  ['a gzipped one', () => gzipSync(`uid,guid\nu,g\n${'\n'.repeat(LINES)}`)],
  ['a CSV file of many rows', () => Buffer.from(`uid,guid\n${'u,g\n'.repeat(LINES / 4)}`)],
  ['a group of many members', () => Buffer.from(`{"guid":"g","participants":["u"${',"u"'.repeat(LINES / 5)}]}`)],
  ['an NDJSON file of blank lines', () => Buffer.from(`{"guid":"g","uid":"u"}\n${'\n'.repeat(LINES)}`)],
];

describe('reading stops at once when its signal is aborted', () => {
  test.each(INPUTS)('%s', async (_, bytes) => {
    const stop = new AbortController();
    const stream = Readable.from([bytes()]);
    const bounds = { expansion: 2_000, element: 256 * 1024 * 1024 };
    const opened = openIntake({ stream, name: 'x' }, { ...OPTIONS, bounds, signal: stop.signal });
    let finished = false;
    // Comes with the first turn of the event loop, which a reader that keeps the thread would not give.
    setImmediate(() => stop.abort(new Error('stopped by hand')));
    const reading = opened.then(drained).then(() => {
      finished = true;
    });
    await expect(reading).rejects.toThrow('stopped by hand');
    expect(finished).toBe(false);
    expect(stream.destroyed).toBe(true);
  });

  test('also while it waits for a file to be quiet', async () => {
    const stop = new AbortController();
    const path = new URL(import.meta.url).pathname;
    const opened = openIntake({ path }, { ...OPTIONS, waitForQuietMs: 3_600_000, signal: stop.signal });
    setImmediate(() => stop.abort(new Error('stopped by hand')));
    await expect(opened).rejects.toThrow('stopped by hand');
  });
});
