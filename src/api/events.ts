import type { SyncState } from '../membership/sync-state.ts';
import type { ImportSummary, RegionCounts } from './import-summary.ts';
import type { ImportView, Staging } from './imports.ts';
import type { RunningImport } from './overview.ts';
import type { RegionStatus } from './region-status.ts';

/** Server-sent events. Their data is JSON. */

/** Work of one region for an import: its counters, its queue, and its pace. */
export interface RegionProgress extends RegionCounts, Omit<RegionStatus, 'region'> {
  /** Over the last seconds; null until a second was measured. */
  readonly callsPerSecond: number | null;
  readonly rowsPerSecond: number | null;
}

/** Data of the event `progress`. */
export interface Progress {
  readonly at: string;
  readonly rows: ImportSummary['rows'];
  readonly staging: Staging | null;
  readonly regions: Readonly<Record<string, RegionProgress>>;
  /** Seconds until the last region has finished at this pace; null while that is not known. */
  readonly etaSeconds: number | null;
}

/** Events of `GET /v1/imports/:id/events`, by name. `end` is the last one. */
export interface ImportEvents {
  readonly state: ImportView;
  readonly progress: Progress;
  readonly end: Readonly<Record<string, never>>;
}

/** Events of `GET /v1/events`, by name. */
export interface ListEvents {
  /** Those that changed; one that is sent, with the time that is left and the regions that hold it up. */
  readonly imports: { readonly imports: readonly (ImportView | RunningImport)[] };
  readonly removed: { readonly id: string };
  /** A sync is in another state. */
  readonly sync: { readonly id: string; readonly state: SyncState };
  /** Schedules, or runs of them, have changed. */
  readonly schedules: Readonly<Record<string, never>>;
}
