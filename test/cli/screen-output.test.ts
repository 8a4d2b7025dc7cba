import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { writeOut } from '../../src/cli/screen/io.ts';

const CELL = 'u1\u001b]0;title\u0007,\u202efdp.\u009b\n';

test.each([
  [true, 'u1␛]0;title␇,\\u{202e}fdp.\\u{9b}\n'],
  [false, CELL],
])('an answer on a terminal (%j) does nothing there, and is exact in a pipe', async (isTTY, shown) => {
  const out = Object.assign(new PassThrough(), { isTTY });
  const bytes = Buffer.from(CELL);
  // A character may be cut by the pieces.
  const pieces = [...bytes].map((byte) => Uint8Array.of(byte));
  const reading = text(out);
  await writeOut(
    { out },
    (async function* () {
      yield* pieces;
    })(),
  );
  out.end();
  expect(await reading).toBe(shown);
});
