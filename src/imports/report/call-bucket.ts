import type { CallBucketView } from '../../api/rows.ts';

/** The calls to one region that ended within a span of time; `at` is its start in ms since 1970. */
export type CallBucket = Readonly<Omit<CallBucketView, 'at'>> & { readonly at: number };

/** Calls of all regions per second around `at` (ms since 1970); null where no call was made for so long that nothing is known. */
interface CallRate {
  readonly at: number;
  readonly calls: number | null;
  readonly rateLimited: number | null;
}

/** A rate over less time (ms) says nothing. */
const MIN_RATE_MS = 1_000;
/** After so long without a call (ms) the import may have been paused or its server away. */
const QUIET_MS = 10_000;

/** Rates of all regions together in the order of time, those of seconds without a call included. */
export function callRates(buckets: readonly CallBucket[]): CallRate[] {
  const widthMs = buckets[0]?.widthMs ?? MIN_RATE_MS;
  const stepMs = widthMs * Math.ceil(MIN_RATE_MS / widthMs);
  const steps = Map.groupBy(buckets, ({ at }) => Math.floor(at / stepMs));
  const rates: CallRate[] = [];
  const add = (step: number, calls: number | null, rateLimited: number | null) =>
    rates.push({ at: (step + 0.5) * stepMs, calls, rateLimited });
  let next: number | undefined;
  for (const [step, own] of [...steps].sort(([a], [b]) => a - b)) {
    next ??= step;
    if ((step - next) * stepMs >= QUIET_MS) add(next, null, null);
    else for (; next < step; next += 1) add(next, 0, 0);
    const perSecond = (count: (bucket: CallBucket) => number) =>
      (own.reduce((sum, bucket) => sum + count(bucket), 0) * 1_000) / stepMs;
    add(
      step,
      perSecond(({ calls }) => calls),
      perSecond(({ rateLimited }) => rateLimited),
    );
    next = step + 1;
  }
  return rates;
}
