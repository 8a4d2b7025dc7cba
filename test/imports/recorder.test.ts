import { expect, test, vi } from 'vitest';
import type { BatchResult } from '../../src/imports/record/batch-result.ts';
import type { ImportLedger } from '../../src/imports/record/import-ledger.ts';
import { createRecorder } from '../../src/imports/record/recorder.ts';

const result = (sent: BatchResult['sent']): BatchResult => {
  return { batch: 1, region: 'us', calls: [], uncertainty: null, sent, at: 0 };
};

test('a refusal is written in the next turn: gathered like an answer, it could stop a region that was resumed meanwhile', async () => {
  // Time stands still, so that nothing that is gathered is ever written.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const written: string[] = [];
    const record = (results: readonly BatchResult[]) => {
      written.push(...results.map(({ sent }) => sent.kind));
      return { refusedGroups: [], stoppedRegions: [] };
    };
    const nothing = () => {};
    const recorder = createRecorder({ recorded: nothing, failed: nothing, refused: nothing });
    recorder.open('one', { record } as Pick<ImportLedger, 'record'> as ImportLedger);
    recorder.open('other', { record } as Pick<ImportLedger, 'record'> as ImportLedger);
    const answer = recorder.deliver('one', result({ kind: 'answered', others: [], missing: [] }));
    await recorder.deliver('other', result({ kind: 'stop-region', code: 'AUTH_ERR', message: 'no' }));
    expect(written).toEqual(['stop-region']);
    vi.runAllTimers();
    await answer;
    expect(written).toEqual(['stop-region', 'answered']);
  } finally {
    vi.useRealTimers();
  }
});
