/** Types of the HTTP API's answers about syncs and schedules that pages show beside imports (src/api). */

export type { ActionCounts as PlanCounts, Planning, PlanTotals, SyncAction, SyncEntry } from '../api/sync-entry.ts';
export type { PlanActionName as PlanAction } from '../membership/plan-words.ts';
export type { RunState, SyncState } from '../membership/sync-state.ts';
