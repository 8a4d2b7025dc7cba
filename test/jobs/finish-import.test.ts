import { describe, expect, test } from 'vitest';
import { type FinishImportPorts, finishImport, WRONG_SUM } from '../../jobs/finish-import.ts';

/** One start of the job: what it did, in order, and what it threw. */
async function run(ports: Partial<FinishImportPorts>, { isLastAttempt = false, reason = '' } = {}) {
  const did: unknown[][] = [];
  const full: FinishImportPorts = {
    writeReports: async (...given) => void did.push(['reports', ...given]),
    checkSum: async () => '',
    close: (...given) => did.push(['close', ...given]),
    failed: (...given) => did.push(['failed', ...given]),
    ...ports,
  };
  const payload = { version: 1 as const, importId: 'imp-1', state: 'aborted' as const, ...(reason && { reason }) };
  const job = {
    id: 'finish-imp-1',
    payload,
    attemptsMade: 0,
    starts: 1,
    isLastAttempt,
    signal: new AbortController().signal,
    update: async () => {},
  };
  const thrown = await finishImport.process(job, full).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { did, thrown };
}

describe('the end of an import', () => {
  test('closes it in the state that it has earned, after its reports are written', async () => {
    const { did, thrown } = await run({}, { reason: 'too many errors' });
    expect(thrown).toBeUndefined();
    expect(did).toEqual([
      ['reports', 'imp-1', 'aborted'],
      ['close', 'imp-1', 'aborted', 'too many errors'],
    ]);
  });

  test('says that the sum does not hold, whatever else there was to say', async () => {
    const { did } = await run({ checkSum: async () => '3 rows are missing' }, { reason: 'too many errors' });
    expect(did.at(-1)).toEqual(['close', 'imp-1', 'aborted', `${WRONG_SUM}: 3 rows are missing`]);
  });

  const full = new Error('no space left on device');
  const noSpace = { writeReports: () => Promise.reject(full) };

  test('is tried again where a report cannot be written, and the import stays open', async () => {
    expect(await run(noSpace)).toEqual({ did: [], thrown: full });
    expect(finishImport.attempts).toBeGreaterThan(1);
  });

  test('is told as failed when no attempt is left, and the import stays open', async () => {
    expect(await run(noSpace, { isLastAttempt: true })).toEqual({
      did: [['failed', 'imp-1', full]],
      thrown: undefined,
    });
  });
});
