import { grouped, utcTime } from '../../text/wording.ts';
import type { ScheduleRun } from './schedule-catalog.ts';

/** What was asked is not possible with a schedule as it is. */
export class ScheduleError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ScheduleError';
  }

  static running({ schedule, dueAt, reason, syncId }: ScheduleRun): ScheduleError {
    const goOn = syncId === null ? '' : `; if nobody is at work on it, go on with it: rollcall sync apply ${syncId}`;
    return new ScheduleError(`schedule ${schedule} is not over with its run of ${utcTime(dueAt)}: ${reason}${goOn}`);
  }

  static unknown(name: string): ScheduleError {
    return new ScheduleError(
      `no schedule is named ${JSON.stringify(name)}; \`rollcall schedule list\` shows those that there are`,
    );
  }
}

/** A source that gives no file. Nothing is changed then. */
export class SourceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SourceError';
  }

  /** @param what the source as it is shown */
  static tooLarge(what: string, maxBytes: number): SourceError {
    return new SourceError(`${what} is larger than ${grouped(maxBytes)} bytes; --max-source allows more`);
  }
}
