import { expect, test } from 'vitest';
import type { BatchPayload } from '../../jobs/batch-payload.ts';
import { uncertaintyOf } from '../../jobs/batch-policy.ts';

const BATCH: BatchPayload = {
  version: 1,
  importId: 'imp-1',
  replyTo: null,
  batch: 1,
  region: 'us',
  guid: 'g',
  onBehalfOf: '',
  uncertainty: null,
  calls: [],
  handedBack: 0,
};

test('a batch that a worker began and never came back with may have been sent, also when it is taken out of the queue', () => {
  expect(uncertaintyOf(BATCH, 0)).toBe(null);
  expect(uncertaintyOf(BATCH, 1)).toBe('a worker or the queue ended meanwhile');
  expect(uncertaintyOf({ ...BATCH, handedBack: 1 }, 1)).toBe(null);
  expect(uncertaintyOf({ ...BATCH, handedBack: 1 }, 2)).toBe('a worker or the queue ended meanwhile');
  expect(uncertaintyOf({ ...BATCH, uncertainty: 'said before' }, 0)).toBe('said before');
});
