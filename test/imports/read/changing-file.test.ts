import { statSync } from 'node:fs';
import { appendFile, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileStateOf, type Quiet } from '../../../src/imports/read/byte-source.ts';
import { openIntake } from '../../../src/imports/read/intake.ts';
import { drained, OPTIONS, refusal } from './reading.ts';

const ROWS = 'u1,g1\n'.repeat(50_000);
const LINE_FEED = 10;

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-changing-'));
  path = join(folder, 'members.csv');
  await writeFile(path, `uid,guid\n${ROWS}`);
});
afterEach(() => rm(folder, { recursive: true }));

/** A clock that begins when the file was written and only moves in `sleep`, where something may happen. */
function clock(happens: (slept: number) => Promise<void>): Quiet & { slept: number } {
  const start = statSync(path).mtimeMs;
  const quiet = {
    slept: 0,
    now: () => start + quiet.slept,
    sleep: async (ms: number) => {
      quiet.slept += ms;
      await happens(quiet.slept);
    },
  };
  return quiet;
}

describe('a file that changes while it is read is refused', () => {
  test.each<[how: string, change: () => Promise<void>, says: RegExp]>([
    ['it grows', () => appendFile(path, 'u2,g'), /it had 300009 bytes and now has 300013/],
    ['it is cut', () => writeFile(path, 'uid,guid\n'), /now has 9/],
    ['it is written to in place', () => utimes(path, new Date(), new Date(Date.now() + 5_000)), /kept its size/],
    [
      'another one takes its place',
      async () => {
        await writeFile(`${path}.new`, `uid,guid\n${ROWS}`);
        await rename(`${path}.new`, path);
      },
      /another file has taken its place/,
    ],
    ['it is removed', () => rm(path), /not there any more/],
  ])('%s', async (_, change, says) => {
    const intake = await openIntake({ path }, OPTIONS);
    await change();
    const error = await refusal(drained(intake));
    expect(error).toMatchObject({ code: 'FILE_CHANGED', what: expect.stringMatching(says) });
    expect(error.remedy).toContain('--wait-for-quiet 10s');
  });

  test('one that no one touches is read', async () => {
    expect((await drained(await openIntake({ path }, OPTIONS))).rows).toHaveLength(50_000);
  });

  test('a fresh one that ends within a line is looked at once more after a moment', async () => {
    const quiet = clock(() => appendFile(path, '01\n'));
    const before = await fileStateOf(path, path, { quiet });
    expect(await refusal(before.checkUnchanged('0'.charCodeAt(0)))).toMatchObject({ code: 'FILE_CHANGED' });
    expect(quiet.slept).toBeGreaterThan(0);
  });

  test('one that ends with a line, or is old, is not waited for', async () => {
    const quiet = clock(async () => {});
    await (await fileStateOf(path, path, { quiet })).checkUnchanged(LINE_FEED);
    await utimes(path, new Date(), new Date(Date.now() - 60_000));
    await (await fileStateOf(path, path, { quiet })).checkUnchanged('0'.charCodeAt(0));
    expect(quiet.slept).toBe(0);
  });
});

test('a file that is being written is waited for until it is quiet, and then read as a whole', async () => {
  let writes = 0;
  const quiet = clock(async () => {
    if (writes < 5) await appendFile(path, `w${writes},g1\n`);
    writes += 1;
  });
  const before = await fileStateOf(path, path, { quiet, waitForQuietMs: 2_000 });
  await before.checkUnchanged(LINE_FEED);
  expect(writes).toBe(9); // five changes, then four looks of half a second
});
