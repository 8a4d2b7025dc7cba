import { z } from 'zod';
import { look } from '../../api/look.ts';
import { nothing, operationsOf } from '../../api/operation.ts';
import { syncView } from '../sync/api.ts';
import {
  newSchedule,
  nextTimes,
  nextTimesQuery,
  schedule,
  scheduleEdit,
  scheduleHistory,
  scheduleHistoryQuery,
  scheduleNights,
  scheduleRun,
  schedulesAnswer,
  scheduleTry,
} from './api.ts';

const operation = operationsOf(
  'schedules',
  z.object({ name: z.string().meta({ description: 'Name of a schedule.' }) }),
);

const REPLACES = `A setting that is left out goes back to its default: without \`createUsers\`, the runs do not create users any more.
Send the schedule as \`GET /v1/schedules/{name}\` shows it, with what you change: what is no setting may come back, and changes nothing.
The query of an unchanged address stays, and so does what only the command line sets (identity and group file, and the file of protected
UIDs). A run that is under way keeps the settings that it began with.`;

/** Schedules: the list, making and editing them, their runs, and what can be done with one. */
export const scheduleOperations = {
  list: operation('GET /v1/schedules', 'viewer', {
    summary: 'List schedules by name, with their next times and last run',
    answer: schedulesAnswer,
  }),
  next: operation('GET /v1/schedules/next', 'viewer', {
    summary: 'The next five times of a cron expression',
    query: nextTimesQuery,
    answer: nextTimes,
  }),
  nights: operation('GET /v1/schedules/nights', 'viewer', {
    summary: 'Results of each schedule on each of the last 30 days',
    answer: scheduleNights,
  }),
  one: operation('GET /v1/schedules/:name', 'viewer', {
    summary: 'A schedule',
    answer: schedule,
    refusals: ['UNKNOWN_SCHEDULE'],
  }),
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
    refusals: ['SOURCE_NOT_ALLOWED', 'UNKNOWN_SCHEDULE', 'WRONG_STATE', 'EDITED_MEANWHILE'],
  }),
  history: operation('GET /v1/schedules/:name/history', 'viewer', {
    summary: 'Runs of a schedule, newest first',
    query: scheduleHistoryQuery,
    answer: scheduleHistory,
    refusals: ['UNKNOWN_SCHEDULE'],
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
    refusals: ['SOURCE_NOT_ALLOWED', 'BUSY', 'STOPPING'],
  }),
  pause: operation('POST /v1/schedules/:name/pause', 'operator', {
    audit: 'schedule.pause',
    summary: 'Let nothing be due, nor missed, until `resume`',
    answer: schedule,
    refusals: ['UNKNOWN_SCHEDULE'],
  }),
  resume: operation('POST /v1/schedules/:name/resume', 'operator', {
    audit: 'schedule.resume',
    summary: 'Continue a schedule that is paused',
    answer: schedule,
    refusals: ['UNKNOWN_SCHEDULE'],
  }),
  run: operation('POST /v1/schedules/:name/run', 'operator', {
    audit: 'schedule.run',
    summary: 'Begin a run now, in addition to those that are due',
    status: 202,
    answer: scheduleRun,
    refusals: ['UNKNOWN_SCHEDULE', 'WRONG_STATE'],
  }),
  remove: operation('DELETE /v1/schedules/:name', 'operator', {
    audit: 'schedule.remove',
    summary: 'Remove a schedule with its history; its syncs stay',
    answer: nothing('Removed.'),
    refusals: ['UNKNOWN_SCHEDULE', 'WRONG_STATE'],
  }),
};
