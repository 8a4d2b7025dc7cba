import { expect, test } from 'vitest';
import { call, dispatch, members, resultOf, stagedImport } from './staged-import.ts';

const HALVED = call({ at: 1_000, httpStatus: 413, code: 'TOO_LARGE', kind: 'halve', message: 'too large' });
const REFUSED = call({
  at: 5_000,
  ms: 20,
  httpStatus: 503,
  code: 'HTTP_503',
  kind: 'again',
  message: 'try later',
  requestId: 'req-7',
});
const ANSWERED = call({ at: 9_000, ms: 30 });

test('a row is shown with every call that was made for it, those of the batches that its batch was cut from included', async () => {
  const { ledger, reader } = await stagedImport(members(4));
  const [whole] = dispatch(ledger, 1);
  if (whole === undefined) throw new Error('a batch expected');
  ledger.record([resultOf(whole, { kind: 'halve', code: 'TOO_LARGE', message: 'too large' }, { calls: [HALVED] })]);
  const [half, other] = dispatch(ledger, 2);
  if (half === undefined || other === undefined) throw new Error('two halves expected');
  const sent = { kind: 'answered', others: [], missing: [] } as const;
  ledger.record([resultOf(half, sent, { calls: [REFUSED, ANSWERED] })]);
  const [first] = half.rows;
  const detail = reader.rowDetail(first?.row ?? 0);
  expect(detail).toMatchObject({
    row: { row: first?.row, status: 'added', batch: half.id, attempts: 3 },
    facts: {
      action: 'add',
      onBehalfOf: '',
      batch: { id: half.id, uids: half.rows.length },
      creations: [],
    },
  });
  const at = (ms: number) => new Date(ms).toISOString();
  expect(detail?.facts.calls).toEqual([
    {
      batch: whole.id,
      at: at(1_000),
      ms: HALVED.ms,
      httpStatus: 413,
      kind: 'halve',
      code: 'TOO_LARGE',
      message: 'too large',
      requestId: null,
    },
    {
      batch: half.id,
      at: at(5_000),
      ms: 20,
      httpStatus: 503,
      kind: 'again',
      code: 'HTTP_503',
      message: 'try later',
      requestId: 'req-7',
    },
    expect.objectContaining({ batch: half.id, at: at(9_000), kind: 'answered', message: null, requestId: null }),
  ]);
  const [waits] = other.rows;
  expect(reader.rowDetail(waits?.row ?? 0)?.facts).toMatchObject({
    batch: { finishedAt: null },
    calls: [{ kind: 'halve' }],
  });
  expect(reader.rowDetail(5)).toBe(undefined);
});
