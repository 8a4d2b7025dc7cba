import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { whenLeft } from '../../src/app/owner-socket.ts';
import { dataDir, ownDataDir } from '../../src/platform/data-dir.ts';
import { tempDir } from '../temp-dir.ts';

/** A data directory with an owner, and another who wants it; the owner leaves after as many attempts. */
function wanted(leavesAfter: number) {
  const dir = dataDir(tempDir());
  const owned = ownDataDir(dir);
  const leave = () => owned[Symbol.dispose]();
  const attempts: string[] = [];
  const open = async () => {
    attempts.push('refused');
    if (attempts.length > leavesAfter) leave();
    const next = ownDataDir(dir);
    attempts.splice(-1, 1, 'opened');
    return next;
  };
  return { dir, leave, attempts, open };
}

test('an owner of a data directory that begins or leaves is waited for', async () => {
  const { dir, attempts, open } = wanted(2);
  using _owned = await whenLeft(dir, open);
  expect(attempts).toEqual(['refused', 'refused', 'opened']);
});

test('one that answers is not waited for, nor does anyone wait after a signal', async () => {
  const { dir, leave, attempts, open } = wanted(1);
  await expect(whenLeft(dir, open, AbortSignal.abort())).rejects.toMatchObject({ code: 'DATA_DIR_IN_USE' });
  attempts.length = 0;
  writeFileSync(dir.controlSocket, '');
  await expect(whenLeft(dir, open)).rejects.toMatchObject({ code: 'DATA_DIR_IN_USE' });
  expect(attempts).toEqual(['refused']);
  leave();
});
