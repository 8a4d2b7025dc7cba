import { z } from 'zod';
import { count, limitOption, sentTo, stateReason, time, writtenShape } from '../../api/fields.ts';
import { look } from '../../api/look.ts';
import { nothing, operationsOf } from '../../api/operation.ts';
import { planTotals } from '../../api/sync-entry.ts';
import { RUN_STATES, SYNC_STATES } from '../../membership/sync-state.ts';
import { DEFAULT_MAX_FILE } from '../../options/bounds.ts';
import { CREATION } from '../../options/create-options.ts';
import { APPLYING, MODE, PROTECTING, REMOVING_BY_NAME, RUNNING, SCHEDULING } from '../../options/deciding-options.ts';
import { EXPORTS } from '../../options/input-kinds.ts';
import { descriptionOf } from '../../options/option.ts';
import { READING, SHAPE } from '../../options/reading-options.ts';
import { EXPECTING, LIFTING, RUNS_WAIT } from '../../options/sending-options.ts';
import { planCreate, syncView } from '../sync/api.ts';
import { LIMIT_OPTIONS } from '../sync/guard-limits.ts';

/** A run of a schedule: what is stored of it, and its sync as it is now. */
export const scheduleRun = z
  .strictObject({
    id: z.int(),
    schedule: z.string(),
    dueAt: time,
    at: time.describe('Time at which it began, or was noted.'),
    state: z.enum(RUN_STATES),
    reason: stateReason,
    who: z.string().describe('The person who asked for it; empty: the schedule.'),
    syncId: z.string().nullable().describe('The sync that it began; it may be removed by now.'),
    sync: z
      .strictObject({ id: z.string(), state: z.enum(SYNC_STATES), totals: planTotals.nullable() })
      .nullable()
      .describe('That sync, once it is there and as long as it is kept.'),
  })
  .meta({ id: 'ScheduleRun' });
export type ScheduleRun = z.infer<typeof scheduleRun>;

/** Options by which the file of a schedule is read. */
export const READ = { ...READING, ...SHAPE, ...EXPECTING };

/** Options of the syncs that the runs are. Times and limits of a schedule are written as people write them. */
export const RUNS = {
  ...READ,
  ...RUNS_WAIT,
  ...CREATION,
  ...MODE,
  ...LIFTING,
  ...PROTECTING,
  ...REMOVING_BY_NAME,
  ...LIMIT_OPTIONS,
  ...APPLYING,
};

/** A schedule's settings are stored, shown and edited like this. */
export const scheduleSettings = z.strictObject({
  cron: SCHEDULING.cron.schema.meta({ description: descriptionOf(SCHEDULING.cron), examples: ['30 2 * * *'] }),
  tz: SCHEDULING.tz.schema.meta({ description: descriptionOf(SCHEDULING.tz), examples: ['Europe/Rome'] }),
  file: z
    .string()
    .min(1)
    .describe(
      'Path or pattern on the server, or https address, in or below what ROLLCALL_SOURCES allows. An address is shown without its query, and keeps it in an edit.',
    ),
  headers: z
    .record(z.string().max(100), z.string().max(200))
    .default({})
    .describe('For an address: header -> environment variable of the server with its value, named SOURCE_….'),
  maxSource: count.default(DEFAULT_MAX_FILE).describe('Largest file, in bytes.'),
  exportOf: z.enum(EXPORTS).optional().describe('System that the file is an export of, as in recipes.'),
  ...writtenShape({ ...RUNS, ...RUNNING }),
});
export type ScheduleSettings = z.input<typeof scheduleSettings>;

/** Only a person on the server's machine gives these, with a new schedule (routes/schedule-settings.ts). */
export const machineSettings = z.strictObject({
  identities: z.string().optional().describe('Identity file; only set on the command line.'),
  groups: z.string().optional().describe('Group file; only set on the command line.'),
  protectFile: z.string().optional().describe('More UIDs to protect; only set on the command line.'),
  sandbox: z.boolean().optional().describe('Its runs are for the sandbox.'),
  sourceSettings: z
    .record(z.string(), z.union([z.string(), z.record(z.string(), z.string())]))
    .optional()
    .describe('Settings of its address (src/sources/source.ts); only set on the command line.'),
});

/** The JSON that the catalog keeps of a schedule. */
export const keptSettings = z.strictObject({
  ...scheduleSettings.shape,
  ...machineSettings.shape,
  region: READING.region.schema,
  sandbox: z.boolean(),
  target: sentTo.optional().describe('The only target of its runs.'),
  restricted: z.boolean().describe('Its file was named over the API: only what ROLLCALL_SOURCES allows.'),
});
export type KeptSettings = Readonly<z.output<typeof keptSettings>>;

const { sourceSettings: _, ...shown } = keptSettings.shape;

export const schedule = z
  .strictObject({
    name: z.string(),
    ...shown,
    version: z.int().describe('Counts up with every edit.'),
    create: planCreate
      .nullable()
      .describe('Users and groups that its runs may create, with the limits that count; null: none.'),
    paused: z.boolean(),
    createdAt: time,
    next: z.array(time).describe('The next times; none while it is paused.'),
    lastRun: scheduleRun.nullable(),
  })
  .meta({ id: 'Schedule' });
export type ScheduleView = z.output<typeof schedule>;

export const newSchedule = z.strictObject({
  name: z.string().max(100),
  ...scheduleSettings.shape,
  ...machineSettings.shape,
});
export type NewSchedule = z.input<typeof newSchedule>;

const asIs = z.unknown().optional().describe('It may come back; it changes nothing.');

/** `PUT /v1/schedules/:name`: it may be sent back as it is shown, also by another version. What is no setting changes nothing. */
const scheduleEdit = z.strictObject({
  ...(Object.fromEntries(Object.keys(schedule.shape).map((name) => [name, asIs])) as object),
  ...scheduleSettings.shape,
  ...machineSettings.shape,
  version: z.int().describe('The version that was edited; with another one nothing is changed.'),
});

export const scheduleTry = scheduleEdit.partial({ cron: true, tz: true, version: true }).extend({
  name: z.string().optional().describe('The schedule, if there is one: its last run is the one to compare with.'),
});

export const scheduleEntry = schedule
  .extend({
    nights: z
      .array(
        z.strictObject({
          day: z.string().describe('In the time zone `tz`.'),
          state: z
            .enum([...RUN_STATES, 'paused'])
            .nullable()
            .describe(
              'Result of the last run of the day. Without a run: `paused` or `missed` (no server was running) if one was due, else null.',
            ),
          reason: z.string(),
          sync: z.string().nullable(),
          runs: count,
        }),
      )
      .describe('The last 30 days, the oldest first.'),
  })
  .meta({ id: 'ScheduleEntry' });
export type ScheduleEntry = z.infer<typeof scheduleEntry>;

const operation = operationsOf('schedules', z.object({ name: z.string().describe('Name of a schedule.') }));

const REPLACES = `A setting that is left out goes back to its default: without \`createUsers\`, the runs do not create users any more.
Send the schedule as \`GET /v1/schedules/{name}\` shows it, with what you change: what is no setting may come back, and changes nothing.
The query of an unchanged address stays, and so does what only the command line sets (identity and group file, and the file of protected
UIDs). A run that is under way keeps the settings that it began with.`;

export const scheduleOperations = {
  list: operation('GET /v1/schedules', 'viewer', {
    summary: 'List schedules by name, with their next times, last run, and results on each of the last 30 days',
    answer: z.strictObject({ schedules: z.array(scheduleEntry) }),
  }),
  next: operation('GET /v1/schedules/next', 'viewer', {
    summary: 'The next five times of a cron expression',
    query: scheduleSettings.pick({ cron: true, tz: true }),
    answer: z.strictObject({ next: z.array(time) }),
  }),
  one: operation('GET /v1/schedules/:name', 'viewer', { summary: 'A schedule', answer: schedule }),
  add: operation('POST /v1/schedules', 'operator', {
    audit: 'schedule.add',
    summary: 'Add a schedule that reads what ROLLCALL_SOURCES allows',
    body: newSchedule,
    status: 201,
    location: '/v1/schedules/:name',
    answer: schedule,
    refusals: ['SOURCE_NOT_ALLOWED', 'WRONG_STATE'],
  }),
  edit: operation('PUT /v1/schedules/:name', 'operator', {
    audit: 'schedule.edit',
    summary: 'Replace all settings of a schedule, unless another user has edited it since `version`',
    description: REPLACES,
    body: scheduleEdit,
    answer: schedule,
    refusals: ['SOURCE_NOT_ALLOWED', 'WRONG_STATE', 'EDITED_MEANWHILE'],
  }),
  history: operation('GET /v1/schedules/:name/history', 'viewer', {
    summary: 'Runs of a schedule, newest first',
    query: z.strictObject({ limit: limitOption(100, 1_000) }),
    answer: z.strictObject({ runs: z.array(scheduleRun) }),
  }),
  try: operation('POST /v1/schedules/try', 'operator', {
    audit: 'schedule.try',
    summary: 'Plan once what a schedule would do, as a sync that is not applied',
    body: scheduleTry,
    status: 202,
    answer: syncView,
    refusals: ['SOURCE_NOT_ALLOWED'],
  }),
  look: operation('POST /v1/schedules/look', 'operator', {
    summary: 'See what the file of a schedule is and how it would be read; nothing is kept',
    body: scheduleTry,
    answer: look,
    refusals: ['SOURCE_NOT_ALLOWED'],
  }),
  pause: operation('POST /v1/schedules/:name/pause', 'operator', {
    audit: 'schedule.pause',
    summary: 'Let nothing be due, nor missed, until `resume`',
    answer: schedule,
  }),
  resume: operation('POST /v1/schedules/:name/resume', 'operator', {
    audit: 'schedule.resume',
    summary: 'Continue a schedule that is paused',
    answer: schedule,
  }),
  run: operation('POST /v1/schedules/:name/run', 'operator', {
    audit: 'schedule.run',
    summary: 'Begin a run now, in addition to those that are due',
    status: 202,
    answer: scheduleRun,
    refusals: ['WRONG_STATE'],
  }),
  remove: operation('DELETE /v1/schedules/:name', 'operator', {
    audit: 'schedule.remove',
    summary: 'Remove a schedule with its history; its syncs stay',
    answer: nothing('Removed.'),
    refusals: ['WRONG_STATE'],
  }),
};
