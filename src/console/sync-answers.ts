/** What the HTTP API answers about syncs and schedules, where pages show it beside imports (src/api). */

export type { ActionCounts as PlanCounts, Planning, PlanTotals, SyncAction, SyncEntry } from '../api/sync-entry.ts';
export type { PlanActionName as PlanAction } from '../membership/plan-words.ts';
export type { RunState, SyncState } from '../membership/sync-state.ts';
