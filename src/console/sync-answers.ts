/** What the HTTP API answers about syncs and schedules (src/api). */

export type { ActionCounts as PlanCounts, Planning, PlanTotals, SyncAction, SyncEntry } from '../api/sync-entry.ts';
export type {
  ScheduleHistory,
  ScheduleNights,
  ScheduleReading,
  ScheduleRunView as ScheduleRun,
  ScheduleSettings,
  ScheduleView as Schedule,
  SourceFolder,
} from '../features/schedule/api.ts';
export type {
  ComparedCounts,
  ComparedGroup,
  Comparison,
  SyncGroup,
  SyncsPage,
  SyncView,
} from '../features/sync/api.ts';
export type {
  GuardFinding,
  GuardObjections,
  PlanAction as MemberAction,
  PlanCreate,
} from '../features/sync/api-plan.ts';
export type { PlanActionName as PlanAction } from '../membership/plan-words.ts';
export type { RunState, SyncState } from '../membership/sync-state.ts';
