import { z } from 'zod';
import { RUN_STATES } from '../../membership/sync-state.ts';
import type { ScheduleRequest } from './schedule-book.ts';
import { type ScheduleRecord, type ScheduleRun, sourceSettings } from './schedule-catalog.ts';

/** Messages about schedules between commands and the server, over the control socket. */

export const scheduleRequest = z.strictObject({
  name: z.string(),
  cron: z.string(),
  tz: z.string(),
  file: z.string(),
  source: z.string(),
  headers: z.record(z.string(), z.string()),
  settings: sourceSettings.exactOptional(),
  maxSource: z.number(),
  protectFile: z.string().nullable(),
  options: z.string(),
  repair: z.boolean(),
  catchUp: z.boolean(),
  restricted: z.boolean().exactOptional(),
}) satisfies z.ZodType<ScheduleRequest>;

export const scheduleEdit = z.object({ request: scheduleRequest, version: z.int(), who: z.string() });

/** The current record, or the last one before the removal. */
export const scheduleRecord = scheduleRequest.extend({
  restricted: z.boolean(),
  settings: sourceSettings,
  version: z.int(),
  paused: z.boolean(),
  createdAt: z.number(),
  nextDue: z.number(),
  copy: z.strictObject({ hash: z.string(), version: z.string().nullable() }).nullable(),
  placedHash: z.string().nullable(),
}) satisfies z.ZodType<ScheduleRecord>;

export const scheduleRun = z.strictObject({
  id: z.int(),
  schedule: z.string(),
  dueAt: z.number(),
  at: z.number(),
  state: z.enum(RUN_STATES),
  reason: z.string(),
  who: z.string(),
  syncId: z.string().nullable(),
}) satisfies z.ZodType<ScheduleRun>;
