import { expect, test } from 'vitest';
import type { CallRecord } from '../../src/imports/record/batch-result.ts';
import { watchSilence } from '../../src/imports/send/silence.ts';

const LOST = { kind: 'again', code: 'CONNECT_FAILED', httpStatus: null } as const;
const ANSWERED = { kind: 'answered', code: '', httpStatus: 200 } as const;

test('a service is silent from the first of several calls without an answer, until one is answered', () => {
  const silence = watchSilence();
  const call = (at: number, call: Pick<CallRecord, 'kind' | 'code' | 'httpStatus'>) =>
    silence.called({ at, ms: 1, ...call }, { message: 'no connection' });
  call(1_000, ANSWERED);
  call(2_000, LOST);
  call(3_000, LOST);
  expect(silence.now()).toBeNull();
  call(4_000, LOST);
  expect(silence.now()).toEqual({
    since: '1970-01-01T00:00:02.000Z',
    code: 'CONNECT_FAILED',
    message: 'no connection',
  });
  call(5_000, ANSWERED);
  call(6_000, LOST);
  expect(silence.now()).toBeNull();
});

test('what the service itself says of such a call is not shown: it may name users', () => {
  const silence = watchSilence();
  for (const at of [1, 2, 3]) {
    silence.called({ at, ms: 1, kind: 'again', code: 'HTTP_503', httpStatus: 503 }, { message: 'anna is unwell' });
  }
  expect(silence.now()).toMatchObject({ code: 'HTTP_503', message: '' });
});
