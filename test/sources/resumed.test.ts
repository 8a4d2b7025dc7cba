import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { resumed } from '../../src/sources/resumed.ts';
import { SourceError } from '../../src/sources/source-errors.ts';

/** Two pieces, and then the connection breaks. */
async function* broken() {
  yield Buffer.from('ab');
  yield Buffer.from('cd');
  throw new Error('reset');
}

/** Reads what breaks off once, where asking for the rest fails so many times. */
async function read(failures: number, failure: Error) {
  const asked: number[] = [];
  const waited: number[] = [];
  const rest = async (from: number) => {
    asked.push(from);
    if (asked.length <= failures) throw failure;
    return Readable.from([Buffer.from('ef')]);
  };
  const pieces = resumed(broken(), rest, {
    failed: (error) => error,
    signal: AbortSignal.any([]),
    wait: async (ms) => void waited.push(ms),
  });
  const text = await buffer(pieces).then(String, (error: Error) => error.message);
  return { text, asked, waited };
}

test('a reading that breaks off goes on when its server can be reached again', async () => {
  expect(await read(2, new Error('connect ECONNREFUSED'))).toEqual({
    text: 'abcdef',
    asked: [4, 4, 4],
    waited: [0, 1_000, 10_000],
  });
});

test('after three attempts it fails with the reason of the last', async () => {
  const { text, asked } = await read(3, new Error('connect ECONNREFUSED'));
  expect([text, asked]).toEqual(['connect ECONNREFUSED', [4, 4, 4]]);
});

test('a refusal of the rest is final', async () => {
  const { text, asked } = await read(1, new SourceError('it was changed meanwhile'));
  expect([text, asked]).toEqual(['it was changed meanwhile', [4]]);
});
