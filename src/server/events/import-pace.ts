import type { Progress, RegionProgress } from '../../api/events.ts';
import type { RegionCounts } from '../../api/import-summary.ts';
import type { Staging } from '../../api/imports.ts';
import { type RegionStatus, UNKNOWN_PACE, UNUSED_CIRCUIT } from '../../api/region-status.ts';
import { type Counters, totalRows } from '../../imports/record/counters.ts';
import type { ImportProgress } from '../../imports/report/import-reader.ts';
import type { Region } from '../../membership/membership.ts';
import type { RowCounts } from '../../membership/outcome.ts';

/** Time over which the pace is measured, in ms: long enough to be calm, short enough to follow a change. */
const PACE_MS = 5_000;
/** Time over which the estimate is measured, in ms: so long that it does not jump. */
const ESTIMATE_MS = 30_000;
/** Over less time (ms) no rate is measured: the few calls that are counted at once would be a peak. */
const MIN_MS = 1_000;
/** From this time on an estimate is measured; before, it comes from the rate limit. */
const MEASURED_FROM_MS = 10_000;

const IDLE: Omit<RegionStatus, 'region'> = {
  waiting: 0,
  delayed: 0,
  setAside: 0,
  active: 0,
  stopped: false,
  unanswered: null,
  circuit: UNUSED_CIRCUIT,
  limitedForMs: 0,
  callsPerMinute: null,
  pace: UNKNOWN_PACE,
  listsPerMinute: null,
  workers: 0,
  key: null,
};

type Sample = Pick<ImportProgress, 'at' | 'counters'>;

/**
 * The state of an import at one moment. Its pace is measured by `at`, the time of its counters, never by when they
 * arrived.
 */
export interface Moment extends ImportProgress {
  readonly staging: Staging | null;
  readonly regions: readonly RegionStatus[];
  /** Whether calls are being made. */
  readonly isSending: boolean;
  /** ms since 1970 */
  readonly now: number;
}

/** Measures the pace of one import from the moments that it is shown, one after the other. */
export function paceOf(callsPerMinute: number): (moment: Moment) => Progress {
  let samples: Sample[] = [];
  let sendingSince: number | undefined;
  const take = (sample: Sample, isSending: boolean) => {
    const { at, counters } = sample;
    const last = samples.at(-1);
    const isComparable = last !== undefined && at >= last.at && haveSameRegions(last.counters, counters);
    if (!isSending || !isComparable) {
      samples = [];
      sendingSince = isSending ? at : undefined;
    }
    samples.push(sample);
    while (samples.length > 2 && at - (samples[1]?.at ?? at) >= ESTIMATE_MS) samples.shift();
  };
  return ({ counters, staging, regions: statuses, callsLeft, isSending, at, now }) => {
    const sample = { at, counters };
    take(sample, isSending);
    const first = samples[0] ?? sample;
    const recent = samples.findLast((one) => at - one.at >= PACE_MS) ?? first;
    const perSecond = (since: Sample, count: (counts: RegionCounts) => number, region: Region) => {
      const [later, earlier] = [sample.counters, since.counters].map((one) => one.get(region));
      if (later === undefined || earlier === undefined || at - since.at < MIN_MS) return null;
      return Math.max(0, count(later) - count(earlier)) / ((at - since.at) / 1000);
    };

    const regions: Record<string, RegionProgress> = {};
    let etaSeconds: number | null = isSending ? 0 : null;
    for (const [region, counts] of counters) {
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
      regions[region] = {
        ...counts,
        rows: underWay(counts.rows),
        ...(status === undefined ? IDLE : queueOf(status)),
        callsPerSecond: rounded(perSecond(recent, ({ calls }) => calls, region)),
        rowsPerSecond: rounded(perSecond(recent, settled, region)),
      };
    }
    return {
      at: new Date(now).toISOString(),
      rows: underWay(totalRows(counters)),
      staging,
      regions,
      etaSeconds: counters.size === 0 ? null : etaSeconds,
    };
  };
}

function haveSameRegions(some: Counters, others: Counters): boolean {
  return some.size === others.size && [...some.keys()].every((region) => others.has(region));
}

/** To one decimal. */
function rounded(rate: number): number;
function rounded(rate: number | null): number | null;
function rounded(rate: number | null): number | null {
  return rate === null ? null : Math.round(rate * 10) / 10;
}

function queueOf({ region: _, ...status }: RegionStatus & { region: Region }): Omit<RegionStatus, 'region'> {
  return status;
}

/** Rows that have their outcome. */
function settled({ rows }: RegionCounts): number {
  return rows.read - rows.unprocessed;
}

/** The counters count rows without an outcome as unprocessed; that word is for rows of a finished import. */
function underWay(rows: RowCounts): RowCounts {
  return { ...rows, unprocessed: 0 };
}
