import { RollcallError } from '../../errors/rollcall-error.ts';
import { grouped, utcTime } from '../../text/wording.ts';
import type { ScheduleRun } from './schedule-catalog.ts';

type ScheduleCode = 'WRONG_STATE' | 'UNKNOWN_SCHEDULE' | 'BAD_SCHEDULE';

/** What was asked is not possible with a schedule as it is. */
export class ScheduleError extends RollcallError {
  declare readonly code: ScheduleCode;

  constructor(what: string, remedy?: string, code: ScheduleCode = 'WRONG_STATE') {
    super(code, what, { remedy });
  }

  static running({ schedule, dueAt, reason, syncId }: ScheduleRun): ScheduleError {
    return new ScheduleError(
      `schedule ${schedule} is not over with its run of ${utcTime(dueAt)}: ${reason}`,
      syncId === null ? undefined : `if nobody is at work on it, go on with it: rollcall sync apply ${syncId}`,
    );
  }

  static unknown(name: string): ScheduleError {
    return new ScheduleError(
      `no schedule is named ${JSON.stringify(name)}`,
      '`rollcall schedule list` shows those that there are',
      'UNKNOWN_SCHEDULE',
    );
  }
}

/** A source that gives no file. Nothing is changed then. */
export class SourceError extends RollcallError {
  constructor(message: string, options?: ErrorOptions) {
    super('BAD_SOURCE', message, options);
  }

  /** @param what the source as it is shown */
  static tooLarge(what: string, maxBytes: number): SourceError {
    return new SourceError(`${what} is larger than ${grouped(maxBytes)} bytes; --max-source allows more`);
  }
}
