import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { badSource, resumed } from '../../src/sources/source.ts';

/** Two pieces, and then the connection breaks. */
async function* broken() {
  yield Buffer.from('ab');
  yield Buffer.from('cd');
  throw new Error('reset');
}

/** Reads what breaks off, where so many attempts to go on do not bring it to its end: they fail, or break off again. */
async function read(times: number, attempt: () => AsyncIterable<Uint8Array>) {
  const asked: number[] = [];
  const waited: number[] = [];
  const rest = async (from: number) => {
    asked.push(from);
    return asked.length <= times ? attempt() : Readable.from([Buffer.from('ef')]);
  };
  const pieces = resumed(broken(), rest, {
    failed: (error) => error,
    signal: AbortSignal.any([]),
    wait: async (ms) => void waited.push(ms),
  });
  const text = await buffer(pieces).then(String, (error: Error) => error.message);
  return { text, asked, waited };
}

function fails(error: Error): () => never {
  return () => {
    throw error;
  };
}

test('a reading that breaks off goes on when its server can be reached again', async () => {
  expect(await read(2, fails(new Error('connect ECONNREFUSED')))).toEqual({
    text: 'abcdef',
    asked: [4, 4, 4],
    waited: [0, 1_000, 10_000],
  });
});

test('after three attempts it fails with the reason of the last', async () => {
  const { text, asked } = await read(3, fails(new Error('connect ECONNREFUSED')));
  expect([text, asked]).toEqual(['connect ECONNREFUSED', [4, 4, 4]]);
});

test('one that breaks off again and again goes on three times, each time where it was', async () => {
  const { text, asked } = await read(2, broken);
  expect([text, asked]).toEqual(['abcdabcdabcdef', [4, 8, 12]]);
  expect(await read(3, broken)).toMatchObject({ text: 'reset', asked: [4, 8, 12] });
});

test('a refusal of the rest is final', async () => {
  const { text, asked } = await read(1, fails(badSource('it was changed meanwhile')));
  expect([text, asked]).toEqual(['it was changed meanwhile', [4]]);
});

test('who stops does not wait for the next attempt', async () => {
  const stop = new AbortController();
  const rest = async () => {
    stop.abort(new Error('stopped'));
    throw new Error('connect ECONNREFUSED');
  };
  const pieces = resumed(broken(), rest, { failed: () => stop.signal.reason, signal: stop.signal });
  await expect(buffer(pieces)).rejects.toThrow('stopped');
  // And while it waits for it.
  const late = new AbortController();
  const waiting = resumed(broken(), async () => Readable.from([]), {
    failed: () => late.signal.reason,
    signal: late.signal,
    wait: (_, value, about) => {
      late.abort(new Error('stopped later'));
      return setTimeout(1_000_000, value, about);
    },
  });
  await expect(buffer(waiting)).rejects.toThrow('stopped later');
});
