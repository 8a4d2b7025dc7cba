/** What the HTTP API answers about syncs and schedules (src/api). */

export type {
  ActionCounts as PlanCounts,
  GuardFinding,
  GuardObjections,
  PlanAction as MemberAction,
  PlanCreate,
  PlanTotals,
} from '../api/plan.ts';
export type {
  ScheduleHistory,
  ScheduleNights,
  ScheduleReading,
  ScheduleRunView as ScheduleRun,
  ScheduleSettings,
  ScheduleView as Schedule,
  SourceFolder,
} from '../api/schedules.ts';
export type {
  ComparedCounts,
  ComparedGroup,
  Comparison,
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
