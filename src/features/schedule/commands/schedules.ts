import type { PlanCreate } from '../../sync/api-plan.ts';
import type { ScheduleHistory, ScheduleRunView, ScheduleView } from '../api.ts';

/** The schedules that commands are about: those of a data directory (local-schedules.ts), or of a server (remote-schedules.ts). */
export interface Schedules {
  /** Where they are, in words that complete "there are no schedules …". */
  readonly place: string;
  /** By name. */
  list(): Promise<readonly ScheduleDocument[]>;
  /** Runs, newest first, and the rows that keep failing. @throws ScheduleError, ServerRefused */
  history(name: string, limit: number): Promise<HistoryDocument>;
  /** As it is then; null where it was removed. @throws ScheduleError, ServerRefused */
  change(name: string, verb: 'pause' | 'resume' | 'remove'): Promise<ScheduleDocument | null>;
  /** Has the process that runs schedules begin a run; undefined where there is none. */
  run(name: string): Promise<RunDocument | undefined>;
}

/** As `--json` shows a schedule. Times are ISO 8601; of headers it has the variables that hold their values. */
export interface ScheduleDocument
  extends Pick<
    ScheduleView,
    | 'name'
    | 'cron'
    | 'tz'
    | 'file'
    | 'headers'
    | 'maxSource'
    | 'protectFile'
    | 'repair'
    | 'catchUp'
    | 'paused'
    | 'apply'
    | 'sandbox'
    | 'limits'
    | 'createdAt'
  > {
  readonly flags: Omit<ScheduleView['flags'], 'protect' | 'removeByName'> & {
    readonly removeNamed: readonly string[];
  };
  readonly create: PlanCreate | null;
  /** When it is due next; empty while it is paused. */
  readonly next: readonly string[];
  readonly lastRun: RunDocument | null;
}

export interface RunDocument extends Pick<ScheduleRunView, 'dueAt' | 'at' | 'state' | 'reason' | 'who'> {
  readonly schedule: string;
  readonly syncId: string | null;
}

export type FailureDocument = ScheduleHistory['failing'][number];

interface HistoryDocument {
  readonly name: string;
  /** Of its times. */
  readonly tz: string;
  readonly runs: readonly RunDocument[];
  readonly failing: readonly FailureDocument[];
}
