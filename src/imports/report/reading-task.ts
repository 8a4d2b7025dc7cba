import type { ImportTotals } from '../../api/import-summary.ts';
import type { ProblemCount } from '../../api/rows.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import type { Conversion } from '../../platform/conversions.ts';
import type { ImportRecord } from '../catalog.ts';
import type { RecipeUse } from '../inspect/use-recipe.ts';
import type { ThreadError } from '../read/thread-error.ts';
import type { InspectRequest } from './inspect-head.ts';
import type { PreviewRequest } from './preview.ts';
import type { ImportReader } from './reading.ts';
import type { ReportRequest } from './report-text.ts';
import type { RowFilter } from './row-filter.ts';
import type { RowOrder, RowPlace } from './row-search.ts';

/** What a reading thread is asked, and what it answers. */

export type Question = keyof Pick<
  ImportReader,
  | 'input'
  | 'counters'
  | 'stoppedRegions'
  | 'callsLeft'
  | 'retryWork'
  | 'callsSince'
  | 'rowsPage'
  | 'countRows'
  | 'problems'
  | 'groups'
  | 'membershipsOf'
  | 'uidsWith'
  | 'calls'
>;

/** What the report files are made from: the import as it will be when it has finished. */
export interface ReportsRequest {
  /** The ledger. */
  readonly path: string;
  /** Where the files go. */
  readonly folder: string;
  readonly record: Omit<ImportRecord, 'finishedAt'>;
}

/** What the reports say. */
export interface ReportsWritten {
  readonly totals: ImportTotals;
  readonly problems: readonly ProblemCount[];
}

/** A page of rows. */
export interface RowsRequest {
  readonly filter: RowFilter;
  readonly order: RowOrder;
  readonly limit: number;
  /** Absent: the first page, with the number of all rows that pass the filter. */
  readonly after?: RowPlace;
}

export type ReadingTask =
  | { readonly kind: 'query'; readonly path: string; readonly question: Question; readonly given: readonly unknown[] }
  /** A page of rows as JSON text, in UTF-8. */
  | ({
      readonly kind: 'rows-page';
      readonly path: string;
    } & RowsRequest)
  /** One row with its calls as JSON text, in UTF-8; undefined where there is none. */
  | { readonly kind: 'row-detail'; readonly path: string; readonly row: number }
  /** How the beginning of a file would be read, as JSON text in UTF-8. */
  | ({ readonly kind: 'preview' } & PreviewRequest)
  /** What a file is, as far as its beginning shows it: `FileFacts` as JSON text in UTF-8. */
  | ({ readonly kind: 'inspect' } & InspectRequest)
  /** Options with those of a recipe. */
  | ({ readonly kind: 'use-recipe' } & RecipeUse)
  /** Begins a report under a number of the asker's; it is open until `end-report`. */
  | { readonly kind: 'report'; readonly path: string; readonly report: number; readonly request: ReportRequest }
  | { readonly kind: 'chunk' | 'end-report'; readonly report: number }
  | { readonly kind: 'check' | 'index-uids' | 'forget'; readonly path: string }
  | ({ readonly kind: 'write-reports' } & ReportsRequest)
  | { readonly kind: 'leave' };

export type NumberedTask = ReadingTask & { readonly id: number };

export type ReadingReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: ThreadError }
  /** A ledger is converted before the task goes on; null: it goes on. */
  | { readonly id: 0; readonly conversion: Conversion | null };

/** Why a task with limits was not finished. */
export type StopReason = 'busy' | 'deadline' | 'memory' | 'left';

/** A task went beyond its limits. */
export class ReadingStopped extends RollcallError {
  readonly reason: StopReason;

  constructor(reason: StopReason, message: string) {
    super('READING_STOPPED', message);
    this.reason = reason;
  }
}

/** Limits for tasks of API clients. */
export interface TaskLimits {
  /** Time in the thread, in ms; then the thread is ended and the task is refused. */
  readonly deadlineMs: number;
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal?: AbortSignal;
  /** Who asks. Callers take turns, and each may wait with a part of the tasks only. Absent: the program itself. */
  readonly caller?: string;
}
