import type { Words } from '../../errors/named-options.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { utcTime } from '../../text/wording.ts';

interface OpenRun {
  readonly schedule: string;
  /** In ms since 1970. */
  readonly dueAt: number;
  readonly reason: string;
  readonly syncId: string | null;
}

type ScheduleCode = 'WRONG_STATE' | 'UNKNOWN_SCHEDULE' | 'BAD_SCHEDULE';

/** The schedule's current state does not allow the request. */
export class ScheduleError extends RollcallError {
  declare readonly code: ScheduleCode;

  constructor(what: string, remedy?: Words, code: ScheduleCode = 'WRONG_STATE', field?: string) {
    super(code, what, { remedy, ...(field !== undefined && { facts: { field } }) });
  }

  /** A part of a schedule that is asked for cannot be used. */
  static bad(field: 'name' | 'headers', what: string, remedy: Words): ScheduleError {
    return new ScheduleError(what, remedy, 'BAD_SCHEDULE', field);
  }

  static running({ schedule, dueAt, reason, syncId }: OpenRun): ScheduleError {
    return new ScheduleError(
      `schedule ${schedule} is not over with its run of ${utcTime(dueAt)}: ${reason}`,
      syncId === null ? undefined : `if no process is running it, continue it: rollcall sync apply ${syncId}`,
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

/** Another user has edited the schedule since this user read it. Nothing was changed. */
export class EditedMeanwhile extends RollcallError {
  constructor(name: string, version: number, given: number) {
    super('EDITED_MEANWHILE', `schedule ${name} was edited meanwhile: it has version ${version}, and not ${given}`, {
      remedy: 'look at its settings as they are now, and make your change to them',
      kind: 'usage',
    });
  }
}
