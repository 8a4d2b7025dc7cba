/** What the HTTP API answers (src/api), and what the console adds to it. */

import type { ImportEvents as Events } from '../api/events.ts';
import type { ProblemDocument } from '../api/problems.ts';
import type { RegionStatus as Status } from '../api/regions.ts';
import type { RowView as Row } from '../api/rows.ts';

export type { CheckSummary, CheckView } from '../api/checks.ts';
export type { ListEvents, Progress, RegionProgress } from '../api/events.ts';
export type { ExportView } from '../api/exports.ts';
export type { FileFacts } from '../api/file-facts.ts';
export type { ImportSummary, RegionCounts } from '../api/import-summary.ts';
export type { FollowUp, ImportsPage, ImportView, Staging, Transition } from '../api/imports.ts';
export type { Preview, PreviewRow } from '../api/preview.ts';
export type { RegionStatus } from '../api/regions.ts';
export type {
  CallBucketView as CallTally,
  HistoryEntry,
  HistoryPage,
  ProblemView,
  RowsPage,
} from '../api/rows.ts';
export type { AuditPage, Role, Session, Settings } from '../api/service.ts';
export type { ImportAction as Action } from '../membership/import-actions.ts';
export type { ImportState } from '../membership/import-state.ts';
export type { Outcome, RowCounts } from '../membership/outcome.ts';

export type Field = 'region' | 'guid' | 'uid' | 'scope' | 'onBehalfOf';

/** How rows become memberships: the parts of a shape that the console has fields for. The server checks it. */
export interface Shape {
  readonly headerRow?: number;
  readonly skipLines?: number;
  readonly columns?: readonly string[];
  readonly firstOf?: Partial<Record<Field, readonly string[]>>;
  readonly templates?: Partial<Record<Field, string>>;
  readonly split?: Partial<Record<'guid' | 'uid' | 'scope', string>>;
  readonly wide?: { readonly columns: readonly string[]; readonly guid?: string };
  readonly numbered?: { readonly guid: string; readonly scope?: string };
  readonly scopeWords?: Readonly<Record<string, string>>;
}

/** The settings of a recipe, and of what is suggested for a file. */
export interface RecipeSettings {
  readonly map?: Partial<Record<Field, string>>;
  readonly shape?: Shape;
  readonly [name: string]: unknown;
}

/** A recipe of `GET /v1/recipes`. */
export interface Recipe {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly howToExport?: string;
  readonly needs: readonly { readonly what: 'guid' | 'identities'; readonly why: string; readonly optional: boolean }[];
  readonly settings: RecipeSettings;
  readonly saved: boolean;
}

/** Events of an import that have data. */
export type ImportEvents = Pick<Events, 'state' | 'progress'>;

export type RegionState = Omit<Status, 'region'>;

/** A row; while the import runs, one without an outcome has the status null. */
export type RowView = Omit<Row, 'status'> & { status: Row['status'] | null };

/** Why a request failed: what the server answered, or that it did not. */
export type Problem = Omit<ProblemDocument, 'type' | 'code' | 'remedy'> & { code: string; remedy?: string };
