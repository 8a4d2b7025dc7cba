import type { CallBucketView } from '../../api/rows.ts';

/** The calls to one region that ended within a span of time; `at` is its start in ms since 1970. */
export type CallBucket = Readonly<Omit<CallBucketView, 'at'>> & { readonly at: number };

/** A bar of the drawing: buckets that fall into the same stretch of time. */
export interface CallColumn {
  /** Place in time, counted in columns from the first. */
  readonly index: number;
  readonly answered: number;
  readonly failed: number;
  readonly rateLimited: number;
  readonly p50Ms: number;
  readonly maxMs: number;
}

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

/** Columns that a narrow screen can show. */
const MAX_COLUMNS = 100;

export interface CallTimeline {
  readonly startedAt: number;
  readonly columnMs: number;
  readonly columns: number;
  /** Region → its columns in order; columns without calls are left out. */
  readonly regions: ReadonlyMap<string, readonly CallColumn[]>;
}

/**
 * Buckets of any number and order on one time axis for all regions, in at most MAX_COLUMNS columns of equal width.
 * Counts are added; `p50Ms` of a column is the median of its buckets' medians, weighted by calls (the best that can be
 * said without the single times), `maxMs` the highest. No buckets: null.
 */
export function callTimeline(buckets: readonly CallBucket[]): CallTimeline | null {
  let startedAt = Number.POSITIVE_INFINITY;
  let endedAt = Number.NEGATIVE_INFINITY;
  let columnMs = 1;
  for (const { at, widthMs } of buckets) {
    startedAt = Math.min(startedAt, at);
    endedAt = Math.max(endedAt, at + widthMs);
    columnMs = Math.max(columnMs, widthMs);
  }
  if (buckets.length === 0) return null;
  columnMs *= Math.ceil(Math.max(1, (endedAt - startedAt) / columnMs / MAX_COLUMNS));
  const columns = Math.max(1, Math.ceil((endedAt - startedAt) / columnMs));
  const byRegion = Map.groupBy(buckets, (bucket) => bucket.region);
  const regions = new Map<string, CallColumn[]>();
  for (const [region, own] of byRegion) {
    const byColumn = Map.groupBy(own, ({ at }) => Math.floor((at - startedAt) / columnMs));
    const merged = [...byColumn].map(([index, members]) => column(index, members));
    regions.set(
      region,
      merged
        .filter(({ answered, failed, rateLimited }) => answered + failed + rateLimited > 0)
        .sort((a, b) => a.index - b.index),
    );
  }
  return { startedAt, columnMs, columns, regions };
}

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

function column(index: number, buckets: readonly CallBucket[]): CallColumn {
  const sum = (count: (bucket: CallBucket) => number) => buckets.reduce((total, bucket) => total + count(bucket), 0);
  const calls = sum((bucket) => bucket.calls);
  const failed = sum((bucket) => bucket.failed);
  const rateLimited = sum((bucket) => bucket.rateLimited);
  return {
    index,
    answered: Math.max(0, calls - failed - rateLimited),
    failed,
    rateLimited,
    p50Ms: weightedMedian(buckets, calls),
    maxMs: Math.max(...buckets.map((bucket) => bucket.maxMs)),
  };
}

function weightedMedian(buckets: readonly CallBucket[], calls: number): number {
  let below = 0;
  for (const bucket of buckets.toSorted((a, b) => a.p50Ms - b.p50Ms)) {
    below += bucket.calls;
    if (below * 2 >= calls) return bucket.p50Ms;
  }
  return 0;
}
