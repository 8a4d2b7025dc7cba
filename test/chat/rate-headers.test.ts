import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_WAIT_MS, readRate } from '../../src/chat/rate-headers.ts';

const NOW = Date.parse('2026-01-15T10:00:00Z');
const NOW_SECONDS = NOW / 1000;

describe('rate headers', () => {
  test.each([
    { 'x-rate-limit': '500', 'x-rate-limit-remaining': '17', 'x-rate-limit-reset': String(NOW_SECONDS + 20) },
    { 'x-ratelimit-limit': '500', 'x-ratelimit-remaining': '17', 'x-ratelimit-reset': String(NOW_SECONDS + 20) },
    { 'x-ratelimit-limit': '500', 'x-rate-limit-remaining': ' 17 ', 'x-rate-limit-reset': String(NOW_SECONDS + 20) },
  ])('both spellings are read: %o', (headers) => {
    expect(readRate(headers, NOW)).toEqual({ limit: 500, remaining: 17, resetAtMs: NOW + 20_000 });
  });

  test('Retry-After counts seconds', () => {
    expect(readRate({ 'retry-after': '15' }, NOW)).toEqual({ waitMs: 15_000 });
    expect(readRate({ 'retry-after': '86400' }, NOW)).toEqual({ waitMs: MAX_WAIT_MS, askedMs: 86_400_000 });
    expect(readRate({ 'retry-after': '9'.repeat(15) }, NOW)).toEqual({ waitMs: MAX_WAIT_MS });
  });

  test.each(['Thu, 15 Jan 2026 10:00:42 GMT', 'Thursday, 15-Jan-26 10:00:42 GMT', 'Thu Jan 15 10:00:42 2026'])(
    'Retry-After may be an HTTP date in UTC, wherever this machine is: %s',
    (date) => {
      const zone = process.env['TZ'];
      try {
        process.env['TZ'] = 'Asia/Tokyo';
        expect(readRate({ 'retry-after': date }, NOW)).toEqual({ waitMs: 42_000 });
      } finally {
        if (zone === undefined) delete process.env['TZ'];
        else process.env['TZ'] = zone;
      }
    },
  );

  test('dates are those of the service: its own Date says how far its clock is from ours', () => {
    const headers = { date: 'Thu, 15 Jan 2026 09:00:00 GMT', 'retry-after': 'Thu, 15 Jan 2026 09:00:08 GMT' };
    expect(readRate(headers, NOW).waitMs).toBe(8_000);
    const reset = { date: 'Thu, 15 Jan 2026 11:00:00 GMT', 'x-rate-limit-reset': String(NOW_SECONDS + 3600 + 20) };
    expect(readRate(reset, NOW, true)).toEqual({ resetAtMs: NOW + 20_000, waitMs: 20_000 });
  });

  test('a reset may be in milliseconds', () => {
    expect(readRate({ 'x-ratelimit-reset': String(NOW + 6_000) }, NOW, true).waitMs).toBe(6_000);
  });

  test('Retry-After wins over the reset', () => {
    const headers = {
      'retry-after': '5',
      'x-rate-limit-remaining': '0',
      'x-rate-limit-reset': String(NOW_SECONDS + 20),
    };
    expect(readRate(headers, NOW).waitMs).toBe(5_000);
  });

  test('with no call left, one waits until the reset', () => {
    const headers = { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': String(NOW_SECONDS + 20) };
    expect(readRate(headers, NOW).waitMs).toBe(20_000);
  });

  test('after a 429 no call is left, whatever else is said', () => {
    const headers = { 'x-rate-limit-reset': String(NOW_SECONDS + 20) };
    expect(readRate(headers, NOW).waitMs).toBeUndefined();
    expect(readRate(headers, NOW, true).waitMs).toBe(20_000);
  });

  test('a reset that cannot be a date counts from now', () => {
    expect(readRate({ 'x-rate-limit-reset': '30' }, NOW).resetAtMs).toBe(NOW + 30_000);
  });

  test('a moment that is past means no wait', () => {
    expect(readRate({ 'retry-after': 'Thu, 15 Jan 2026 09:00:00 GMT' }, NOW).waitMs).toBe(0);
    expect(readRate({ 'x-rate-limit-reset': String(NOW_SECONDS - 5) }, NOW, true).waitMs).toBe(0);
  });

  test('no wait is longer than the cap', () => {
    expect(readRate({ 'retry-after': '86400' }, NOW).waitMs).toBe(MAX_WAIT_MS);
  });

  test('a limit of none is as good as nothing: the calls that say it are answered', () => {
    expect(readRate({ 'x-rate-limit': '0' }, NOW)).toEqual({});
  });

  test('the first of several values counts', () => {
    expect(readRate({ 'retry-after': ['3', '9'] }, NOW).waitMs).toBe(3_000);
  });

  test.each([
    '',
    'soon',
    'soon 1',
    '-5',
    '1.5',
    '1e3',
    '0x10',
    '99999999999999999999',
    'Thu, 99 Foo 2026 99:99:99 GMT',
  ])('nonsense is as good as nothing: %j', (text) => {
    expect(readRate({ 'retry-after': text, 'x-rate-limit': text, 'x-rate-limit-reset': text }, NOW, true)).toEqual({});
  });

  const headerName = fc.constantFrom(
    'retry-after',
    'x-rate-limit',
    'x-rate-limit-remaining',
    'x-rate-limit-reset',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'X-Other',
    'retry',
  );
  const headerText = fc.oneof(
    fc.string(),
    fc.integer().map(String),
    fc.bigInt().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  );
  const anyHeaders = fc.dictionary(headerName, fc.oneof(headerText, fc.array(headerText)));

  test('whatever the headers say, nothing is negative, beyond the cap, or thrown', () => {
    fc.assert(
      fc.property(anyHeaders, fc.boolean(), (headers, limited) => {
        const { limit = 0, remaining = 0, resetAtMs = 0, waitMs = 0 } = readRate(headers, NOW, limited);
        for (const number of [limit, remaining, resetAtMs, waitMs]) expect(number).toBeGreaterThanOrEqual(0);
        expect(waitMs).toBeLessThanOrEqual(MAX_WAIT_MS);
      }),
    );
  });
});
