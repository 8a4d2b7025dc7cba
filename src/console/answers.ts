/** Types of the HTTP API's answers (src/api), and the console's additions. */
import type { ProblemDocument } from '../api/problems.ts';
import type { RegionStatus as Status } from '../api/region-status.ts';

export type { RegionCounts } from '../api/import-summary.ts';
export type {
  FollowUp,
  ImportView,
  SendingPlan,
} from '../api/imports.ts';
export type { FileFacts, FileLook, Preview, PreviewRow } from '../api/look.ts';
export type { FoundMember, HistoryEntry, MemberNow, MembershipNow } from '../api/members.ts';
export type { FailedRun, Overview, RunningImport } from '../api/overview.ts';
export type { RecipeSettings, RecipeView as Recipe } from '../api/recipes.ts';
export type { RegionQueue } from '../api/region-status.ts';
export type { ProblemView, RowDetail, RowView } from '../api/rows.ts';
export type { AuditPage, ListEvents, Session, SettingsAnswer as Settings, TokenView } from '../api/service.ts';
export type { ImportAction as Action, ImportState } from '../membership/import-state.ts';
export type { Outcome, RowCounts } from '../membership/outcome.ts';
export type { Field, ShapeInput as Shape } from '../options/shape.ts';

export type RegionState = Omit<Status, 'region'>;

/** The reason why a request failed: the server's answer, or that there was none. */
export type Problem = Omit<ProblemDocument, 'type' | 'code' | 'remedy'> & { code: string; remedy?: string };

export type { PlanTotals, SyncAction, SyncEntry } from '../api/sync-entry.ts';
export type { PlanActionName as PlanAction } from '../membership/plan-words.ts';
export type { SyncState } from '../membership/sync-state.ts';

/** The tone of a badge. */
export type Tone = 'busy' | 'still' | 'good' | 'attention';

/** Texts by their names, as the values of a form or a query. */
export type Values = Readonly<Record<string, string>>;
