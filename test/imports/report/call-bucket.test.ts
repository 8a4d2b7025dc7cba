import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callTimeline } from '../../../src/imports/report/call-bucket.ts';
import { callBuckets } from './fixtures.ts';

const bucket = fc
  .record({
    at: fc.nat(1_000_000_000),
    widthMs: fc.constantFrom(1000, 10_000),
    answered: fc.nat(500),
    failed: fc.nat(20),
    rateLimited: fc.nat(20),
    p50Ms: fc.nat(900),
    maxMs: fc.nat(9000),
    region: fc.constantFrom('us', 'eu', 'in'),
  })
  .map(({ answered, ...rest }) => ({ ...rest, calls: answered + rest.failed + rest.rateLimited }));

describe('the calls over time', () => {
  test('keep every call, in at most 100 columns, inside the axis', () => {
    fc.assert(
      fc.property(fc.array(bucket, { minLength: 1 }), (buckets) => {
        const timeline = callTimeline(buckets);
        const columns = [...(timeline?.regions.values() ?? [])].flat();
        const drawn = columns.reduce(
          (sum, { answered, failed, rateLimited }) => sum + answered + failed + rateLimited,
          0,
        );
        expect(drawn).toBe(buckets.reduce((sum, { calls }) => sum + calls, 0));
        expect(timeline?.columns).toBeLessThanOrEqual(100);
        expect(columns.every(({ index }) => index >= 0 && index < (timeline?.columns ?? 0))).toBe(true);
      }),
    );
  });

  test('stay as they are when there are few', () => {
    const timeline = callTimeline(callBuckets(3));
    expect([timeline?.columnMs, timeline?.columns]).toEqual([1000, 3]);
    expect(timeline?.regions.get('us')?.map(({ answered }) => answered)).toEqual([30, 32, 34]);
  });

  test('give a merged column the median by calls and the slowest call', () => {
    const one = { widthMs: 1000, failed: 0, rateLimited: 0, region: 'us' };
    const timeline = callTimeline([
      { ...one, at: 0, calls: 10, p50Ms: 900, maxMs: 950 },
      { ...one, at: 0, calls: 90, p50Ms: 50, maxMs: 60 },
    ]);
    expect(timeline?.regions.get('us')).toEqual([
      { index: 0, answered: 100, failed: 0, rateLimited: 0, p50Ms: 50, maxMs: 950 },
    ]);
  });

  test('are nothing without calls', () => {
    expect(callTimeline([])).toBeNull();
  });
});
