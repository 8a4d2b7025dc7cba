import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type IntakeError, isIntakeError } from '../../src/imports/read/intake-error.ts';
import { openImportReader } from '../../src/imports/report/import-reader.ts';
import { type StagingProgress, stageFile } from '../../src/imports/stage/stage-file.ts';
import { stageInThread } from '../../src/imports/stage/staging.ts';
import { tempDir } from '../temp-dir.ts';

/** A file with this content, and how to stage it. */
function taskFor(content: string, signal = new AbortController().signal) {
  const root = tempDir();
  const source = join(root, 'input.csv');
  writeFileSync(source, content);
  const options = { format: 'auto', map: {}, region: 'us' } as const;
  return { source, name: 'input.csv', options, ledger: join(root, 'ledger.sqlite'), signal };
}

/** Some thousand rows: more than one chunk. */
const FILE = `guid,uid,scope\n${Array.from({ length: 9_000 }, (_, n) => `g${n % 7},u${n % 8_000},${n % 9 === 0 ? 'boss' : 'admin'}`).join('\n')}\n`;

test('a file that is staged by another thread comes to the same as one that is staged here', async () => {
  const [there, here] = [taskFor(FILE), taskFor(FILE)];
  const reports: StagingProgress[] = [];
  await stageInThread(there, (progress) => reports.push(progress));
  await stageFile(here, () => {});
  expect(reports.at(-1)).toEqual({ rows: 9_000, bytes: FILE.length, cutting: true });
  const readers = [openImportReader(there.ledger), openImportReader(here.ledger)] as const;
  expect(readers[0].rows().toArray()).toEqual(readers[1].rows().toArray());
  expect(readers[0].input()).toEqual(readers[1].input());
  for (const reader of readers) reader.close();
});

test('a file that cannot be used is refused with the same error, whichever thread finds it out', async () => {
  for (const content of ['guid,name\ng,u\n', 'guid,uid\ng,"u\n', '']) {
    const here = await stageFile(taskFor(content), () => {}).catch((error: unknown) => error);
    const there = await stageInThread(taskFor(content), () => {}).catch((error: unknown) => error);
    expect(isIntakeError(there)).toBe(true);
    expect((there as IntakeError).message).toBe((here as IntakeError).message);
    expect({ ...(there as IntakeError) }).toEqual({ ...(here as IntakeError) });
  }
});

test('a staging that is called off in the middle ends with the reason, also where it was about to be complete', async () => {
  const calledOff = new AbortController();
  const task = taskFor(FILE, calledOff.signal);
  const reason = new Error('cancelled');
  await expect(stageInThread(task, () => calledOff.abort(reason))).rejects.toBe(reason);
  const late = new AbortController();
  const almost = stageInThread(taskFor(FILE, late.signal), ({ cutting }) => cutting && late.abort(reason));
  await expect(almost).rejects.toBe(reason);
});

test('a staging that was called off before begins nothing', async () => {
  const reason = new Error('cancelled');
  const task = taskFor(FILE, AbortSignal.abort(reason));
  await expect(stageInThread(task, () => {})).rejects.toBe(reason);
  expect(existsSync(task.ledger)).toBe(false);
});

test('a staging that stands still for ten minutes ends with a code; one that moves goes on', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const stuck = stageInThread(taskFor(FILE), () => {});
  vi.advanceTimersByTime(10 * 60_000);
  const error = await stuck.catch((cause: unknown) => cause);
  expect(isIntakeError(error)).toBe(true);
  expect(error).toMatchObject({
    code: 'READING_STALLED',
    message: expect.stringContaining('a byte'),
  });

  const slow = taskFor(FILE);
  let looks = 0;
  await stageInThread(slow, ({ cutting }) => {
    looks += 1;
    // Work after the last row is no reading.
    vi.advanceTimersByTime((cutting ? 60 : 9) * 60_000);
  });
  expect(looks).toBeGreaterThan(1);
  expect(existsSync(slow.ledger)).toBe(true);
});

test('a ledger that cannot be written is said so', async () => {
  const task = taskFor(FILE);
  const nowhere = { ...task, ledger: join(task.ledger, 'no', 'ledger.sqlite') };
  await expect(stageInThread(nowhere, () => {})).rejects.toThrow(/^the ledger /);
});
