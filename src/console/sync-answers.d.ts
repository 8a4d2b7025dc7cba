/** What the HTTP API answers about syncs and schedules (src/api). */

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
  Planning,
  SyncAction,
  SyncEntry,
  SyncGroup,
  SyncsPage,
  SyncView,
} from '../features/sync/api.ts';
export type {
  ActionCounts as PlanCounts,
  GuardFinding,
  GuardObjections,
  PlanAction as MemberAction,
  PlanCreate,
  PlanTotals,
} from '../features/sync/api-plan.ts';
export type { PlanActionName as PlanAction } from '../membership/plan-words.ts';
export type { RunState, SyncState } from '../membership/sync-state.ts';
