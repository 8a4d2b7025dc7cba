import { expect, test } from 'vitest';
import { ALL_DONE, dispatchOnly, members, pending, resultOf, stagedImport } from './staged-import.ts';

/** Results from the queue are matched with the batches that were sent: others may be able to write into the queue. */

const OUTCOMES_LEFT = { read: 30, unprocessed: 30 };

test('a result for a batch that was never dispatched is refused, and its rows stay to be sent', async () => {
  const { ledger } = await stagedImport(members(30));
  const [batch] = pending(ledger);
  const forged = { ...resultOf({ ...dispatchOnlyLike(batch?.id ?? 0) }, ALL_DONE) };
  expect(ledger.record([forged])).toMatchObject({ unasked: [batch?.id] });
  expect(ledger.check()).toMatchObject({ holds: true, rows: OUTCOMES_LEFT });
});

test('a result for a batch that there is not is refused', async () => {
  const { ledger } = await stagedImport(members(30));
  expect(ledger.record([resultOf(dispatchOnlyLike(4711), ALL_DONE)])).toMatchObject({ unasked: [4711] });
});

test('a result from another region, or with rows of another batch, is refused', async () => {
  const { ledger } = await stagedImport(members(3));
  const batch = dispatchOnly(ledger);
  const strange = { row: 99, outcome: 'failed', code: 'X', message: '' } as const;
  for (const forged of [
    { ...resultOf(batch, ALL_DONE), region: 'in' as const },
    resultOf(batch, { kind: 'answered', others: [strange], missing: [] }),
    resultOf(batch, { kind: 'answered', others: [], missing: [99] }),
  ]) {
    expect(ledger.record([forged])).toMatchObject({ unasked: [batch.id] });
  }
  expect(ledger.check()).toMatchObject({ holds: true, rows: { unprocessed: 3 } });
  expect(ledger.record([resultOf(batch, ALL_DONE)])).not.toHaveProperty('unasked');
  expect(ledger.check()).toMatchObject({ holds: true, rows: { added: 3 } });
});

function dispatchOnlyLike(id: number): Parameters<typeof resultOf>[0] {
  return { id, region: 'us', rows: [] } as unknown as Parameters<typeof resultOf>[0];
}
