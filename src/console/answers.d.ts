/** What the HTTP API answers, in so far as the console reads it. */

export type Role = 'viewer' | 'operator';
export type Outcome =
  | 'added'
  | 'banned'
  | 'already_member'
  | 'failed'
  | 'invalid'
  | 'duplicate'
  | 'unconfirmed'
  | 'unprocessed'
  | 'changed'
  | 'removed'
  | 'unbanned'
  | 'skipped';
export type RowCounts = Record<'read' | Outcome, number>;
export type ImportState =
  | 'staging'
  | 'staged'
  | 'running'
  | 'pausing'
  | 'paused'
  | 'blocked'
  | 'cancelling'
  | 'cancelled'
  | 'aborted'
  | 'completed'
  | 'rejected'
  | 'failed';
export type Action = 'pause' | 'resume' | 'cancel' | 'retry' | 'delete';

export interface Staging {
  rows: number;
  bytes: number;
  totalBytes: number | null;
  cutting: boolean;
}

export interface RegionCounts {
  calls: number;
  retries: number;
  rateLimited: number;
  rows: RowCounts;
}

export interface ImportView {
  id: string;
  state: ImportState;
  file: string;
  rows: RowCounts;
  regions: Record<string, RegionCounts>;
  calls: number;
  retries: number;
  startedAt: string | null;
  finishedAt: string | null;
  /** Why it is in this state, for programs; absent where the state says all. */
  code?: string | undefined;
  reason: string;
  createdAt: string;
  retryOf: string | null;
  dryRun: boolean;
  sandbox: boolean;
  actions: Action[];
  staging: Staging | null;
}

export interface RegionState {
  waiting: number;
  delayed: number;
  active: number;
  stopped: boolean;
  limitedForMs: number;
  workers: number;
  key: string | null;
}

export interface RegionStatus extends RegionState {
  region: string;
}

export interface RegionProgress extends RegionCounts, RegionState {
  callsPerSecond: number;
  rowsPerSecond: number;
}

export interface Progress {
  at: string;
  rows: RowCounts;
  staging: Staging | null;
  regions: Record<string, RegionProgress>;
  etaSeconds: number | null;
}

/** Server-sent events of one import, by name. */
export interface ImportEvents {
  state: ImportView;
  progress: Progress;
}

/** Server-sent events of the list. */
export interface ListEvents {
  imports: { imports: ImportView[] };
  removed: { id: string };
}

export interface ImportsPage {
  imports: ImportView[];
  nextCursor: string | null;
}

export interface RowView {
  row: number;
  line: number;
  /** Empty while the row has no outcome. */
  status: Outcome | '' | null;
  code: string;
  message: string;
  region: string;
  guid: string;
  uid: string;
  scope: string;
  attempts: number;
  httpStatus: number | null;
  batch: number | null;
  finishedAt: string | null;
  original: unknown;
}

export interface RowsPage {
  rows: RowView[];
  nextCursor: string | null;
}

export interface ProblemView {
  status: Outcome;
  code: string;
  count: number;
  retryable: boolean;
  advice: string;
  example: { line: number; value: string; message: string };
}

export interface CallTally {
  at: string | number;
  widthMs: number;
  calls: number;
  failed: number;
  rateLimited: number;
  region: string;
}

export interface Transition {
  at: string;
  state: ImportState;
  reason: string;
}

export interface HistoryEntry {
  importId: string;
  file: string;
  state: ImportState;
  line: number;
  at: string | null;
  region: string;
  guid: string;
  scope: string;
  status: Outcome | '' | null;
  code: string;
  message: string;
}

export interface HistoryPage {
  uid: string;
  entries: HistoryEntry[];
  nextCursor: string | null;
}

export type Field = 'region' | 'guid' | 'uid' | 'scope' | 'onBehalfOf';

export interface PreviewRow {
  line: number;
  region: string;
  guid: string;
  uid: string;
  scope: string;
  original: unknown;
  problems: { column: string; value: string; code: string; reason: string }[];
}

export interface Preview {
  format: string;
  encoding: string;
  /** Null for JSON and NDJSON. */
  delimiter: string | null;
  columns: string[];
  recognised: Partial<Record<Field, string>>;
  missing: Field[];
  rows: PreviewRow[];
  truncated: boolean;
}

export interface Session {
  role: Role;
  name: string;
  tokenRequired: boolean;
}

export interface Settings {
  version: string;
  host: string | null;
  sandbox: boolean;
  queue: string;
  apps: Record<string, { appId: string; keySet: boolean }>;
  defaultRegion: string;
  callsPerMinute: number;
  concurrency: number;
  keepDays: number | null;
  maxUploadBytes: number;
  withWorkers: boolean;
  notifyHost: string | null;
}

export interface AuditPage {
  entries: { at: string; who: string; role: Role; address: string; action: string; target: string; detail: string }[];
  nextCursor?: string | null;
}

/** RFC 9457 problem document. */
export interface Problem {
  title: string;
  status: number;
  code: string;
  detail: string;
  field?: string;
  remedy?: string;
  possible?: string[];
}
