/** What the HTTP API answers about syncs and schedules, in so far as the console reads it. */

export type SyncState =
  | 'planning'
  | 'planned'
  | 'held'
  | 'unchanged'
  | 'failed'
  | 'rejected'
  | 'applying'
  | 'stale'
  | 'applied'
  | 'incomplete';
export type SyncAction = 'apply' | 'approve' | 'reject';
/** What a plan does about one member of a group. */
export type PlanAction = 'add' | 'change' | 'keep' | 'remove' | 'ban' | 'report';
export type PlanCounts = Record<PlanAction, number>;

export interface PlanTotals {
  groups: number;
  unlisted: number;
  members: number;
  actions: PlanCounts;
  right: number;
  changes: number;
}

export interface Planning {
  step: 'reading' | 'members' | 'owner' | 'banned';
  rows: number;
  done: number;
  groups: number;
}

/** A sync in the list. */
export interface SyncEntry {
  id: string;
  state: SyncState;
  reason: string;
  file: string;
  undoOf: string | null;
  importId: string | null;
  schedule: string | null;
  createdAt: string;
  finishedAt: string | null;
  sandbox: boolean;
  apply: boolean;
  mode: 'add' | 'mirror' | 'undo';
  missing: 'report' | 'remove' | 'ban';
  totals: PlanTotals | null;
  approved: { by: string; at: string; reason: string } | null;
  actions: SyncAction[];
  planning: Planning | null;
}

export interface Finding {
  guard: string;
  region: string | null;
  guid: string | null;
  value: number;
  limit: number;
  sentence: string;
}

export interface SyncView extends SyncEntry {
  findings: Finding[];
  flags: {
    allowDemotion: boolean;
    allowUnban: boolean;
    protect: string[];
    removeByName: string[];
  };
  limits: Record<string, number>;
  moves: { at: string; state: SyncState; reason: string; who: string }[];
}

export interface SyncsPage {
  syncs: SyncEntry[];
  nextCursor: string | null;
}

export interface SyncGroup {
  region: string;
  guid: string;
  listing: 'pending' | 'listed' | 'not_found' | 'failed';
  problem: string;
  members: number;
  actions: PlanCounts;
  right: number;
}

export interface SyncGroupsPage {
  groups: SyncGroup[];
  nextCursor: string | null;
}

export interface MemberAction {
  region: string;
  guid: string;
  uid: string;
  action: PlanAction;
  /** Empty for somebody who is neither a member nor banned. */
  from: string;
  to: string;
  /** Why, as a sentence without capital and full stop. */
  sentence: string;
  line: number | null;
}

export interface MemberActionsPage {
  actions: MemberAction[];
  nextCursor: string | null;
}

export type RunState = 'running' | 'waiting' | 'ran' | 'skipped-unchanged' | 'skipped-running' | 'missed' | 'failed';

export interface ScheduleRun {
  id: number;
  dueAt: string;
  at: string;
  state: RunState;
  reason: string;
  who: string;
  sync: { id: string; state: SyncState; totals: PlanTotals | null } | null;
}

export interface Schedule {
  name: string;
  cron: string;
  tz: string;
  file: string;
  apply: boolean;
  sandbox: boolean;
  paused: boolean;
  flags: { mode: 'add' | 'mirror' | 'undo'; missing: 'report' | 'remove' | 'ban' };
  next: string[];
  lastRun: ScheduleRun | null;
}

export interface ScheduleHistory {
  runs: ScheduleRun[];
  failing: { region: string; guid: string; uid: string; code: string; since: string }[];
}
