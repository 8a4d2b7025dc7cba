import type { RegionPace } from '../../api/region-status.ts';
import type { Flow } from '../../queue/flow.ts';

interface RegionNow {
  /** Undefined where no call was counted. */
  readonly flow: Flow | undefined;
  /** Jobs that wait for a worker. */
  readonly waiting: number;
  readonly active: number;
  /** Calls are not answered, or not made at all. */
  readonly away: boolean;
  /** Until the rate limit lets the next call start. */
  readonly limitedForMs: number;
  readonly callsPerMinute: number | undefined;
  /** A group that has as many calls as it may. */
  readonly fullGroup: string | undefined;
}

/** A wait for the rate limit shorter than this is ordinary pacing, in ms. */
const PACING_MS = 1_500;
/** The part of the rate that counts as all of it. */
const NEARLY = 0.9;

export interface PossiblePace {
  readonly callsPerMinute: number;
  readonly concurrency: number;
  /** Time that a call took of late; null: none was measured. */
  readonly callMs: number | null;
}

/** The time that so many calls to one region take at least, in ms. */
export function leastMs(calls: number, { callsPerMinute, concurrency, callMs }: PossiblePace): number {
  return Math.ceil(calls * Math.max(60_000 / callsPerMinute, (callMs ?? 0) / concurrency));
}

/** The time that a call took of late in the slowest of these regions; null where none was measured. */
export function slowestCallMs(regions: readonly { readonly pace: RegionPace }[]): number | null {
  const measured = regions.flatMap(({ pace }) => pace.callMs ?? []);
  return measured.length === 0 ? null : Math.max(...measured);
}

/** Says what keeps a region from sending faster. */
export function paceOf(now: RegionNow): RegionPace {
  const { flow, fullGroup } = now;
  const limitedBy = limitOf(now);
  return {
    limitedBy,
    group: limitedBy === 'group' ? (fullGroup ?? null) : null,
    atOnce: flow?.limit ?? null,
    callMs: flow === undefined || flow.seen === null ? null : Math.round(flow.seen.ms),
  };
}

function limitOf(now: RegionNow): RegionPace['limitedBy'] {
  const { flow, waiting, active, away, limitedForMs, callsPerMinute, fullGroup } = now;
  if (away) return 'service';
  if (waiting + active === 0) return 'nothing';
  if (limitedForMs >= PACING_MS) return 'rate';
  const seen = flow?.seen ?? undefined;
  if (flow === undefined || seen === undefined) return null;
  if (callsPerMinute !== undefined && seen.rate * 60 >= callsPerMinute * NEARLY) return 'rate';
  if (seen.bound && flow.limit >= flow.most) return 'concurrency';
  // While it doubles, nobody knows how many the service takes.
  if (seen.bound) return flow.phase === 'start' ? null : 'service';
  if (fullGroup !== undefined) return 'group';
  return waiting === 0 ? 'nothing' : null;
}
