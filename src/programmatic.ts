import { z } from 'zod';
import type { ImportSummary } from './api/import-summary.ts';
import { ROW_SCHEMAS } from './api/rows.ts';
import type { ImportOptions } from './imports/import-options.ts';
import type { BanChoices } from './options/sending-options.ts';
import { isObject } from './platform/stored-json.ts';

/** Types of the programmatic API (index.ts). */

export type { ImportSummary } from './api/import-summary.ts';
export type { ImportState } from './membership/import-state.ts';
export type { Outcome } from './membership/outcome.ts';

/**
 * Settings that flags and the environment give to the command line; missing ones are looked up there in the same way.
 */
export interface Settings {
  /** The data directory of imports. Default: ROLLCALL_DATA_DIR, else `.rollcall`. */
  readonly dataDir?: string | undefined;
  /**
   * The address of the queue: `redis://…`. Default: ROLLCALL_QUEUE, else the memory of this process.
   */
  readonly queue?: string | undefined;
  /** Calls a minute and region, exactly. Default: ROLLCALL_CALLS_PER_MINUTE, else 80 % of what the service allows. */
  readonly callsPerMinute?: number | undefined;
  /** Most concurrent calls in each region. Default: ROLLCALL_CONCURRENCY, else 300. */
  readonly concurrency?: number | undefined;
  /** Most concurrent calls that change one group. Default: ROLLCALL_PER_GROUP, else 20. */
  readonly perGroup?: number | undefined;
  /** The variables `ROLLCALL_…` that hold host, app ids and keys. Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Options that the API names differently, and internal ones. */
type NotChosen = 'sandbox' | 'edits' | 'repaired' | 'retryOnly' | 'exportOf' | 'identities' | 'groups' | 'bans';

/**
 * Options for reading and sending an import. Each has the default of `rollcall import`, and most the name of a flag;
 * where flags belong together, they are one object: `create` (`--create-users`, `--max-create` …), `shape` (`--split`,
 * `--wide` …), `bounds`, `maxErrors`.
 */
export interface ImportChoices extends Settings, Partial<Omit<ImportOptions, NotChosen>>, BanChoices {
  /** A file by which users are looked up, such as one with the UID for each e-mail address. */
  readonly identities?: string;
  /** A file by which groups are looked up, such as one with the GUIDs for each code. */
  readonly groups?: string;
  /** Send to a sandbox in this process instead of the service; it knows every group and user. */
  readonly sandbox?: boolean;
  /** With a queue: also send from this process, not only from `rollcall worker`. */
  readonly withWorkers?: boolean;
  /** Stops the import as `stop` does. */
  readonly signal?: AbortSignal;
}

/** An import that this process runs. */
export interface ImportRun {
  readonly id: string;
  /**
   * Resolves when nothing more happens by itself: `completed`, `paused`, `blocked`, `aborted`, `rejected` and so on, which
   * the summary's `state` says; after `stop` it is the state in which `resumeImport` finds it. Failed rows are in the summary
   * and reject nothing; only what keeps rollcall from going on does, such as a full disk.
   */
  readonly finished: Promise<ImportSummary>;
  /** The summary each time that it has changed, at most four times a second; the last one is that of `finished`. */
  progress(): AsyncIterable<ImportSummary>;
  /** Lets calls in flight finish and sends no more; `resumeImport` continues. */
  pause(): Promise<void>;
  /** Ends the import; rows that were not sent are `unprocessed`. */
  cancel(): Promise<void>;
  /** Stops as Ctrl-C does: calls in flight may finish, and `resumeImport` continues. */
  stop(): Promise<ImportSummary>;
}

/** A row of a report, as `rollcall report --format ndjson` gives it. Texts are empty where there is nothing to say. */
export const reportedRow = z.strictObject({
  ...ROW_SCHEMAS,
  _value: ROW_SCHEMAS._value.optional(),
  /** The row as the file had it, by column. */
  input: z.custom<Readonly<Record<string, unknown>>>(isObject),
});
export interface ReportedRow extends Readonly<z.infer<typeof reportedRow>> {}
