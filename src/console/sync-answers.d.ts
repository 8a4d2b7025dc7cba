/** What the HTTP API answers about syncs and schedules (src/api). */

export type {
  ActionCounts as PlanCounts,
  Finding,
  PlanAction as MemberAction,
  PlanTotals,
} from '../api/plan.ts';
export type { ScheduleHistory, ScheduleRunView as ScheduleRun, ScheduleView as Schedule } from '../api/schedules.ts';
export type {
  MemberActionsPage,
  Planning,
  SyncAction,
  SyncEntry,
  SyncGroup,
  SyncGroupsPage,
  SyncsPage,
  SyncView,
} from '../api/syncs.ts';
export type { PlanActionName as PlanAction } from '../membership/plan-words.ts';
export type { RunState, SyncState } from '../membership/sync-state.ts';
