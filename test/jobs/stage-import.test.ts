import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type StagingProgress, type StagingTask, stageFile, stageImport } from '../../jobs/stage-import.ts';
import { IntakeError } from '../../src/intake/intake-error.ts';
import type { StagedTotals } from '../../src/ledger/cut.ts';
import { tempDir } from '../temp-dir.ts';

/** One start of the job over a file with this content: what became of it. */
async function stage(content: string, signal = new AbortController().signal) {
  const root = tempDir();
  const source = join(root, 'input.csv');
  writeFileSync(source, content);
  const ledger = join(root, 'import.db');
  const task: StagingTask = {
    source,
    name: 'input.csv',
    options: { format: 'auto', mapping: {}, defaults: { region: 'us' } },
    ledger,
    signal,
  };
  const ends: { kind: 'staged' | 'rejected' | 'failed'; what: unknown }[] = [];
  const progress: StagingProgress[] = [];
  const job = {
    id: 'stage-imp-1',
    payload: { version: 1 as const, importId: 'imp-1' },
    attemptsMade: 0,
    starts: 1,
    isLastAttempt: true,
    signal: new AbortController().signal,
    update: async () => {},
  };
  await stageImport.process(job, {
    task: async () => task,
    stage: stageFile,
    progress: (_, told) => progress.push(told),
    staged: async (_, what: StagedTotals) => void ends.push({ kind: 'staged', what }),
    rejected: async (_, what) => void ends.push({ kind: 'rejected', what }),
    failed: async (_, what) => void ends.push({ kind: 'failed', what }),
  });
  return { ends, progress, ledger };
}

describe('staging', () => {
  test('ends once, with the totals of the file, and tells how far it is on the way', async () => {
    const content = `guid,uid\n${Array.from({ length: 60 }, (_, index) => `g,u${index}`).join('\n')}\n`;
    const { ends, progress, ledger } = await stage(content);
    expect(ends).toEqual([{ kind: 'staged', what: expect.objectContaining({ rows: 60, batches: 3 }) }]);
    expect(progress.at(-1)).toEqual({ rows: 60, bytes: content.length, cutting: true });
    expect(existsSync(ledger)).toBe(true);
  });

  test('rejects a file that cannot be used, with the reason', async () => {
    const { ends } = await stage('guid,name\ng,u\n');
    expect(ends).toEqual([{ kind: 'rejected', what: expect.any(IntakeError) }]);
  });

  test('that is called off is not a statement on the file', async () => {
    const { ends } = await stage('guid,uid\ng,u\n', AbortSignal.abort(new Error('cancelled')));
    expect(ends).toEqual([{ kind: 'failed', what: expect.objectContaining({ message: 'cancelled' }) }]);
  });
});
