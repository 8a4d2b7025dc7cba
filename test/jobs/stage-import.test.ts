import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type StagingProgress, type StagingTask, stageFile } from '../../src/imports/stage/stage-file.ts';
import { tempDir } from '../temp-dir.ts';

const OPTIONS = { format: 'auto', map: {}, region: 'us' } as const;

/** A file with this content, staged; with the progress on the way. */
async function stage(content: string, signal = new AbortController().signal, more: Partial<StagingTask> = {}) {
  const root = tempDir();
  const source = join(root, 'input.csv');
  writeFileSync(source, content);
  const ledger = join(root, 'import.db');
  const progress: StagingProgress[] = [];
  const task = { source, name: 'input.csv', options: OPTIONS, ledger, signal, ...more };
  await stageFile(task, (one) => progress.push(one));
  return { progress, ledger };
}

describe('staging', () => {
  test('makes a ledger of the file, and tells how far it is on the way', async () => {
    const content = `guid,uid\n${Array.from({ length: 60 }, (_, index) => `g,u${index}`).join('\n')}\n`;
    const { progress, ledger } = await stage(content);
    expect(progress.at(-1)).toEqual({ rows: 60, bytes: content.length, cutting: true });
    expect(existsSync(ledger)).toBe(true);
  });

  test('refuses a file that cannot be used, with the reason', async () => {
    await expect(stage('guid,name\ng,u\n')).rejects.toMatchObject({ code: 'MISSING_COLUMN' });
  });

  test.each([
    { wanted: { rows: 3 }, before: undefined, isEnough: true },
    { wanted: { rows: 4 }, before: undefined, isEnough: false },
    { wanted: { percent: 60 }, before: 5, isEnough: true },
    { wanted: { percent: 61 }, before: 5, isEnough: false },
    { wanted: { percent: 100 }, before: undefined, isEnough: true },
  ])(
    'of three rows, where it must have $wanted of $before, is enough: $isEnough',
    async ({ isEnough, wanted: minRows, before: rowsBefore }) => {
      const options = { ...OPTIONS, minRows };
      const staged = stage('guid,uid\ng,a\ng,b\ng,c\n', undefined, { options, rowsBefore });
      if (isEnough) expect((await staged).progress.at(-1)).toMatchObject({ rows: 3 });
      else await expect(staged).rejects.toMatchObject({ code: 'TOO_FEW_ROWS', facts: { rows: 3, least: 4 } });
    },
  );

  test('that is called off is not a statement on the file', async () => {
    await expect(stage('guid,uid\ng,u\n', AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled');
  });
});
