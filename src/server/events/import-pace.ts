import type { RegionCounts } from '../../api/import-summary.ts';
import type { RunningImport } from '../../api/overview.ts';
import type { RegionStatus } from '../../api/region-status.ts';
import type { Counters } from '../../imports/record/counters.ts';
import type { ImportProgress } from '../../imports/report/import-reader.ts';
import type { Region } from '../../membership/membership.ts';

/** Time over which the pace is measured, in ms: long enough to be calm, short enough to follow a change. */
const PACE_MS = 5_000;
/** Time over which the estimate is measured, in ms: so long that it does not jump. */
const ESTIMATE_MS = 30_000;
/** Over less time (ms) no rate is measured: the few calls that are counted at once would be a peak. */
const MIN_MS = 1_000;
/** From this time on an estimate is measured; before, it comes from the rate limit. */
const MEASURED_FROM_MS = 10_000;

type Sample = Pick<ImportProgress, 'at' | 'counters'>;

/**
 * The state of an import at one moment. Its pace is measured by `at`, the time of its counters, never by when they
 * arrived.
 */
export interface Moment extends ImportProgress {
  readonly regions: readonly RegionStatus[];
}

/** Measures the pace of one import from the moments that it is shown, one after the other. */
export function paceOf(
  callsPerMinute: number,
): (moment: Moment) => Pick<RunningImport, 'etaSeconds' | 'rowsPerSecond'> {
  let samples: Sample[] = [];
  let sendingSince: number | undefined;
  const take = (sample: Sample) => {
    const { at, counters } = sample;
    const last = samples.at(-1);
    const isComparable = last !== undefined && at >= last.at && haveSameRegions(last.counters, counters);
    if (!isComparable) {
      samples = [];
      sendingSince = at;
    }
    samples.push(sample);
    while (samples.length > 2 && at - (samples[1]?.at ?? at) >= ESTIMATE_MS) samples.shift();
  };
  return ({ counters, regions: statuses, callsLeft, at }) => {
    const sample = { at, counters };
    take(sample);
    const first = samples[0] ?? sample;
    const recent = samples.findLast((one) => at - one.at >= PACE_MS) ?? first;
    const perSecond = (since: Sample, count: (counts: RegionCounts) => number, region: Region) => {
      const [later, earlier] = [sample.counters, since.counters].map((one) => one.get(region));
      if (later === undefined || earlier === undefined || at - since.at < MIN_MS) return null;
      return Math.max(0, count(later) - count(earlier)) / ((at - since.at) / 1000);
    };

    let rowsPerSecond: number | null = null;
    let etaSeconds: number | null = 0;
    for (const region of counters.keys()) {
      if (region === '') continue;
      const status = statuses.find((one) => one.region === region);
      const left = callsLeft.get(region) ?? 0;
      if (left > 0 && etaSeconds !== null) {
        const isMeasured = sendingSince !== undefined && at - sendingSince >= MEASURED_FROM_MS;
        const measured = isMeasured ? perSecond(first, ({ calls }) => calls, region) : null;
        const rate = measured ?? callsPerMinute / 60;
        const isStuck = rate <= 0 || status?.stopped === true || (status?.unanswered ?? null) !== null;
        etaSeconds = isStuck ? null : Math.max(etaSeconds, Math.ceil(left / rate));
      }
      const rows = perSecond(recent, settled, region);
      if (rows !== null) rowsPerSecond = (rowsPerSecond ?? 0) + rows;
    }
    return {
      etaSeconds: counters.size === 0 ? null : etaSeconds,
      rowsPerSecond: rowsPerSecond && Math.round(rowsPerSecond * 10) / 10,
    };
  };
}

function haveSameRegions(some: Counters, others: Counters): boolean {
  return some.size === others.size && [...some.keys()].every((region) => others.has(region));
}

/** Rows that have their outcome. */
function settled({ rows }: RegionCounts): number {
  return rows.read - rows.unprocessed;
}
