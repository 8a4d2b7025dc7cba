import { z } from 'zod';
import { count, sentTo, stateReason, time } from '../../api/fields.ts';
import { limitOption, queryOf } from '../../api/query-options.ts';
import { planTotals } from '../../api/sync-entry.ts';
import { RUN_STATES, SYNC_STATES } from '../../membership/sync-state.ts';
import { LIFTING } from '../../options/ban-options.ts';
import { CREATING, MAX_CREATE } from '../../options/create-options.ts';
import { APPLYING, MODE, PROTECTING, REMOVING_BY_NAME, RUNNING, SCHEDULING } from '../../options/deciding-options.ts';
import { descriptionOf, filledShape, keptShape } from '../../options/option.ts';
import { READING } from '../../options/reading-options.ts';
import { EXPECTING, GIVING_UP } from '../../options/sending-options.ts';
import { guardLimits } from '../sync/api.ts';
import { planCreate, planFlags } from '../sync/api-plan.ts';

export const scheduleRun = z
  .strictObject({
    id: z.int(),
    dueAt: time,
    at: time.meta({ description: 'Time at which it began, or was noted.' }),
    state: z.enum(RUN_STATES),
    reason: stateReason,
    who: z.string().meta({ description: 'The person who asked for it; empty: the schedule.' }),
    sync: z
      .strictObject({ id: z.string(), state: z.enum(SYNC_STATES), totals: planTotals.nullable() })
      .nullable()
      .meta({ description: 'The sync that it began.' }),
  })
  .meta({ id: 'ScheduleRun' });
export type ScheduleRunView = z.infer<typeof scheduleRun>;

/** Options for reading the file of a schedule. Missing ones are detected, or have their default. */
const scheduleReading = z.strictObject({
  ...keptShape({ ...READING, ...EXPECTING }),
  exportOf: z.string().max(50).optional().meta({
    description:
      'The system that the file is an export of, where memberships are inside of its elements: as recipes have it.',
  }),
  shape: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'Turns rows into memberships; docs/shaping.md has every setting.' }),
});
export type ScheduleReading = z.infer<typeof scheduleReading>;

const asText = ({ help }: { readonly help: string }) =>
  z.string().min(1).max(3_000).optional().meta({ description: help });

/** The users and groups that the runs of a schedule may create, in the form of the query of `POST /v1/syncs`. */
const createSettings = z.strictObject({
  ...filledShape(CREATING),
  createMap: asText(CREATING.createMap),
  maxCreate: asText(MAX_CREATE.maxCreate),
});
const { userRole, groupOwner, groupIcon, groupDescription } = CREATING;
const { join: _, ...createMap } = CREATING.createMap;

const uids = z.array(z.string().min(1).max(200)).max(10_000);
const deciding = filledShape({ ...MODE, ...LIFTING });

/** The settings of a schedule, for making and editing it. */
const scheduleSettings = z.strictObject({
  cron: SCHEDULING.cron.schema.meta({ description: descriptionOf(SCHEDULING.cron), examples: ['30 2 * * *'] }),
  tz: SCHEDULING.tz.schema.meta({ description: descriptionOf(SCHEDULING.tz), examples: ['Europe/Rome'] }),
  file: z.string().min(1).meta({
    description:
      'Path or pattern on the server, or https address, in or below what ROLLCALL_SOURCES allows. An address that is shown without its query keeps it.',
  }),
  headers: z.record(z.string().max(100), z.string().max(200)).default({}).meta({
    description: 'For an address: header -> environment variable of the server with its value, named SOURCE_….',
  }),
  maxSource: count.optional().meta({ description: 'Largest file, in bytes. Default: 2 GB; in an edit: as it was.' }),
  reading: scheduleReading.default({}),
  ...deciding,
  mode: deciding.mode.unwrap().default('add'),
  protect: uids.default([]).meta({ description: PROTECTING.protect.help }),
  removeNamed: uids.default([]).meta({ description: REMOVING_BY_NAME.removeNamed.help }),
  ...createSettings.shape,
  ...queryOf({ createMap, userRole, groupOwner, groupIcon, groupDescription, ...MAX_CREATE }),
  limits: guardLimits.default({}),
  giveUpAfterMs: GIVING_UP.giveUpAfter.schema.nullable().optional().meta({
    description:
      'Maximum wait of a run for a service that answers nothing, in ms: then its planning fails, and its import is blocked until the service answers. Null: as the server is set, else until shortly before the schedule is due again. Left out of an edit: as it was.',
  }),
  ...filledShape({ ...APPLYING, ...RUNNING }),
});
/** Settings as a client sends them. */
export type ScheduleSettings = z.input<typeof scheduleSettings>;
/** The same with texts read and defaults filled in. */
export type CheckedSettings = z.output<typeof scheduleSettings>;

/** `POST /v1/schedules` */
export const newSchedule = scheduleSettings.extend({ name: z.string().max(100) });
export type NewSchedule = z.input<typeof newSchedule>;

/** `PUT /v1/schedules/:name` */
export const scheduleEdit = scheduleSettings.extend({
  version: z.int().meta({ description: 'The version that was edited; with another one nothing is changed.' }),
});

/** `POST /v1/schedules/try` */
export const scheduleTry = scheduleSettings.omit({ cron: true, tz: true }).extend({
  name: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'The schedule, if there is one: its last run is the one to compare with.' }),
});

/** `GET /v1/schedules/next` */
export const nextTimesQuery = z.strictObject({ cron: scheduleSettings.shape.cron, tz: scheduleSettings.shape.tz });
export const nextTimes = z.strictObject({ next: z.array(time) });

export const schedule = z
  .strictObject({
    name: z.string(),
    cron: z.string(),
    tz: z.string().meta({ description: 'Time zone of `cron`.' }),
    file: z.string().meta({ description: 'Path, pattern or address on the server; an address without its query.' }),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'Header -> environment variable that has its value.' }),
    maxSource: count,
    reading: scheduleReading,
    identities: z.string().nullable().meta({ description: 'Its identity file, from the command line.' }),
    groups: z.string().nullable().meta({ description: 'Its group file, from the command line.' }),
    protectFile: z.string().nullable().meta({ description: 'More UIDs to protect, from the command line.' }),
    restricted: z.boolean().meta({ description: 'Made over the API: it reads only what ROLLCALL_SOURCES allows.' }),
    version: z.int().meta({ description: 'Counts up with every edit.' }),
    flags: planFlags,
    create: planCreate
      .extend({ settings: createSettings.meta({ description: 'The settings for making and editing it.' }) })
      .nullable()
      .meta({ description: 'Users and groups that its runs may create; null: none.' }),
    limits: guardLimits,
    giveUpAfterMs: count.optional(),
    apply: z.boolean(),
    sandbox: z.boolean(),
    target: sentTo.optional().meta({ description: 'The only target of its runs.' }),
    repair: z.boolean().meta({ description: 'Runs although its file is unchanged.' }),
    catchUp: z.boolean().meta({ description: 'Runs later if a run was missed.' }),
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
export const scheduleHistory = z.strictObject({ runs: z.array(scheduleRun) });

/** The result of a schedule on one day. */
const NIGHT_STATES = [...RUN_STATES, 'paused'] as const;

/** `GET /v1/schedules/nights` */
export const scheduleNights = z.strictObject({
  schedules: z.array(
    z.strictObject({
      name: z.string(),
      tz: z.string(),
      nights: z.array(
        z.strictObject({
          day: z.string().meta({ description: 'In the time zone `tz`.' }),
          state: z.enum(NIGHT_STATES).nullable().meta({
            description:
              'Result of the last run of the day. Without a run: `paused` or `missed` (no server was running) if one was due, else null.',
          }),
          reason: z.string(),
          sync: z.string().nullable(),
          runs: count,
        }),
      ),
    }),
  ),
});
export type ScheduleNights = z.infer<typeof scheduleNights>;
