import { z } from 'zod';
import { RUN_STATES, SYNC_STATES } from '../membership/sync-state.ts';
import { time } from './fields.ts';
import { limitOption } from './options.ts';
import { planFlags, planTotals } from './plan.ts';
import { guardLimits } from './syncs.ts';

export const scheduleRun = z
  .strictObject({
    id: z.int(),
    dueAt: time,
    at: time.meta({ description: 'When it began, or was noted.' }),
    state: z.enum(RUN_STATES),
    reason: z.string().meta({ description: 'Why it is in this state, in a sentence.' }),
    who: z.string().meta({ description: 'Who asked for it; empty: the schedule.' }),
    sync: z
      .strictObject({ id: z.string(), state: z.enum(SYNC_STATES), totals: planTotals.nullable() })
      .nullable()
      .meta({ description: 'The sync that it began.' }),
  })
  .meta({ id: 'ScheduleRun' });
export type ScheduleRunView = z.infer<typeof scheduleRun>;

export const schedule = z
  .strictObject({
    name: z.string(),
    cron: z.string(),
    tz: z.string().meta({ description: 'Time zone of `cron`.' }),
    file: z.string().meta({ description: 'Path, pattern or address on the server; an address without its query.' }),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'Header -> environment variable that has its value.' }),
    protectFile: z.string().nullable(),
    flags: planFlags,
    limits: guardLimits,
    apply: z.boolean(),
    sandbox: z.boolean(),
    repair: z.boolean().meta({ description: 'Runs although its file is unchanged.' }),
    catchUp: z.boolean().meta({ description: 'A run that was missed is made up for.' }),
    paused: z.boolean(),
    createdAt: time,
    next: z.array(time).meta({ description: 'The next times; none while it is paused.' }),
    lastRun: scheduleRun.nullable(),
  })
  .meta({ id: 'Schedule' });
export type ScheduleView = z.infer<typeof schedule>;

/** `GET /v1/schedules` */
export const schedulesAnswer = z.strictObject({ schedules: z.array(schedule) });

/** `GET /v1/schedules/:name/history` */
export const scheduleHistoryQuery = z.strictObject({ limit: limitOption(100, 1_000) });
export const scheduleHistory = z.strictObject({
  runs: z.array(scheduleRun),
  failing: z.array(
    z.strictObject({ region: z.string(), guid: z.string(), uid: z.string(), code: z.string(), since: time }),
  ),
});
export type ScheduleHistory = z.infer<typeof scheduleHistory>;
