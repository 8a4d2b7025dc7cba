import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { typedHere } from '../../src/cli/main.ts';
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

test('a command in a text begins as it is typed here, and nothing else that is called rollcall changes', () => {
  const text =
    'Continue with:\n  rollcall resume 1 | `rollcall help topics`; npx rollcall list, the rollcall server, rollcall.config.json';
  expect(typedHere(false)).toBeUndefined();
  expect(typedHere(true)?.(text)).toBe(
    'Continue with:\n  npx rollcall resume 1 | `npx rollcall help topics`; npx rollcall list, the rollcall server, rollcall.config.json',
  );
});
