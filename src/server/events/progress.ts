import type { Progress, RegionProgress } from '../../api/events.ts';
import type { RegionCounts } from '../../api/import-summary.ts';
import type { Staging } from '../../api/imports.ts';
import type { RegionStatus } from '../../api/regions.ts';
import type { Tallies } from '../../imports/record/import-ledger.ts';
import { totalRows } from '../../imports/record/import-ledger.ts';
import type { Region } from '../../membership/membership.ts';
import type { RowCounts } from '../../membership/outcome.ts';

/** Time over which the pace is measured, in ms: long enough to be calm, short enough to follow a change. */
const PACE_MS = 5_000;

const IDLE: Omit<RegionStatus, 'region'> = {
  waiting: 0,
  delayed: 0,
  active: 0,
  stopped: false,
  limitedForMs: 0,
  workers: 0,
  key: null,
};

interface Sample {
  readonly at: number;
  readonly tallies: Tallies;
}

/** Measures the pace of one import from the tallies that it is shown, one after the other. */
export function paceOf(): (
  tallies: Tallies,
  staging: Staging | null,
  regions: readonly RegionStatus[],
  now: number,
) => Progress {
  const samples: Sample[] = [];
  return (tallies, staging, statuses, now) => {
    samples.push({ at: now, tallies });
    while (samples.length > 2 && now - (samples[1]?.at ?? now) >= PACE_MS) samples.shift();
    const earliest = samples[0] ?? { at: now, tallies };
    const seconds = (now - earliest.at) / 1000;
    const perSecond = (later: number, earlier: number) =>
      seconds <= 0 ? 0 : Math.round(((later - earlier) / seconds) * 10) / 10;

    const regions: Record<string, RegionProgress> = {};
    let etaSeconds: number | null = 0;
    for (const [region, tally] of tallies) {
      if (region === '') continue;
      const before = earliest.tallies.get(region);
      const status = statuses.find((one) => one.region === region);
      const rowsPerSecond = perSecond(settled(tally), before === undefined ? 0 : settled(before));
      const pending = tally.rows.unprocessed;
      if (pending > 0) {
        if (rowsPerSecond <= 0) etaSeconds = null;
        else if (etaSeconds !== null) etaSeconds = Math.max(etaSeconds, Math.ceil(pending / rowsPerSecond));
      }
      regions[region] = {
        ...tally,
        rows: underWay(tally.rows),
        ...(status === undefined ? IDLE : queueOf(status)),
        callsPerSecond: perSecond(tally.calls, before?.calls ?? 0),
        rowsPerSecond,
      };
    }
    return {
      at: new Date(now).toISOString(),
      rows: underWay(totalRows(tallies)),
      staging,
      regions,
      etaSeconds: tallies.size === 0 ? null : etaSeconds,
    };
  };
}

function queueOf({ region: _, ...status }: RegionStatus & { region: Region }): Omit<RegionStatus, 'region'> {
  return status;
}

/** Rows that have their outcome. */
function settled({ rows }: RegionCounts): number {
  return rows.read - rows.unprocessed;
}

/** The tallies count as unprocessed what has no outcome yet; that is said of rows when the import is over. */
function underWay(rows: RowCounts): RowCounts {
  return { ...rows, unprocessed: 0 };
}
