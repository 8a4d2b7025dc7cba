import { z } from 'zod';
import {
  editedSchedule,
  newSchedule,
  nextTimes,
  nextTimesQuery,
  type ScheduleRunView,
  type ScheduleView,
  schedule,
  scheduleEdit,
  scheduleHistory,
  scheduleHistoryQuery,
  scheduleNights,
  scheduleRun,
  schedulesAnswer,
} from '../../api/schedules.ts';
import { createSettingsOf } from '../../options/create-options.ts';
import { nextRuns } from '../../queue/cron.ts';
import { readTotals } from '../../syncs/plan/plan-totals.ts';
import {
  openScheduleCatalogReader,
  type ScheduleEdit,
  type ScheduleRecord,
  type ScheduleRun,
} from '../../syncs/schedule/schedule-catalog.ts';
import { shownFile } from '../../syncs/schedule/source.ts';
import { UnknownSync } from '../../syncs/sync-errors.ts';
import { readSyncOptions, type SyncOptions, shownCreate } from '../../syncs/sync-options.ts';
import { inShort, noting } from '../access/noting.ts';
import type { Api, ServerContext } from '../context.ts';
import { Problem } from '../problem.ts';
import { refusals } from '../problem-schema.ts';
import { scheduleLookRoute } from './look.ts';
import { lastDays, nightsOf } from './nights.ts';
import { checkTimes, readingView, requestedSchedule } from './requested-schedule.ts';
import { sourcesRoute } from './sources.ts';
import { tryRoute } from './try.ts';

const params = z.object({ name: z.string().meta({ description: 'Name of a schedule.' }) });
const tags = ['schedules'];
const SHOWN_TIMES = 3;
const NEXT_TIMES = 5;
const NIGHTS = 30;
const DAY_MS = 86_400_000;

const REPLACES = `A setting that is left out goes back to its default: without \`createUsers\`, the runs do not create users any more.
Send every setting as \`GET /v1/schedules/{name}\` shows it (those of \`flags\` and \`create.settings\` beside the others, \`removeByName\`
as \`removeNamed\`), with what you change. \`changes\` in the answer says what is different now. The query of an unchanged address,
\`maxSource\`, and what only the command line sets (the identity file and the file of protected UIDs) stay. A run that is under way
keeps the settings that it began with.`;

const VERBS = {
  pause: 'Let nothing be due, nor missed, until `resume`',
  resume: 'Continue a schedule that is paused',
} as const;

/** Schedules: the list, making and editing them, their runs, and their actions. */
export function scheduleRoutes(app: Api, context: ServerContext): void {
  const { dir, syncs, schedules, access, settings } = context;
  const catalog = openScheduleCatalogReader(dir.catalog);
  app.addHook('onClose', async () => catalog.close());
  const note = noting(access);
  const find = (name: string): ScheduleRecord => {
    const record = catalog.find(name);
    if (record === undefined) throw new Problem('UNKNOWN_SCHEDULE', `No schedule is named ${JSON.stringify(name)}.`);
    return record;
  };

  const syncOf = (id: string): ScheduleRunView['sync'] => {
    try {
      const record = syncs.find(id);
      return { id, state: record.state, totals: readTotals(record) };
    } catch (error) {
      // Begun, and not written down yet; or never.
      if (error instanceof UnknownSync) return null;
      throw error;
    }
  };
  const runViewOf = ({ id, dueAt, at, state, reason, who, syncId }: ScheduleRun): ScheduleRunView => ({
    ...{ id, dueAt: iso(dueAt), at: iso(at), state, reason, who },
    sync: syncId === null ? null : syncOf(syncId),
  });
  const viewOf = (record: ScheduleRecord): ScheduleView => {
    const { name, cron, tz, file, headers, protectFile, repair, catchUp, paused, createdAt, nextDue } = record;
    const { maxSource, restricted, version } = record;
    const options = readSyncOptions(record);
    const { reading, flags, limits, giveUpAfterMs, apply, sandbox } = options;
    const [lastRun] = catalog.runs(name, 1);
    return {
      ...{ name, cron, tz, protectFile, apply, sandbox, repair, catchUp, paused, maxSource },
      ...{ restricted, version },
      file: shownFile({ file }),
      reading: reading === null ? {} : readingView(reading),
      identities: reading?.identities?.name ?? null,
      headers: { ...headers },
      flags: { ...flags, protect: [...flags.protect], removeByName: [...flags.removeByName] },
      create: createOf(options),
      limits: { ...limits },
      ...(giveUpAfterMs !== undefined && { giveUpAfterMs }),
      createdAt: iso(createdAt),
      next: paused ? [] : [nextDue, ...nextRuns(cron, tz, nextDue, SHOWN_TIMES - 1)].map(iso),
      lastRun: lastRun === undefined ? null : runViewOf(lastRun),
    };
  };

  app.get(
    '/v1/schedules',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'List schedules by name, with their next times and last run',
        response: { 200: schedulesAnswer, ...refusals() },
      },
    },
    async () => ({ schedules: catalog.list().map(viewOf) }),
  );

  app.get(
    '/v1/schedules/next',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'The next five times of a cron expression',
        querystring: nextTimesQuery,
        response: { 200: nextTimes, ...refusals('BAD_OPTION') },
      },
    },
    async ({ query: { cron, tz } }) => {
      checkTimes(cron, tz);
      return { next: nextRuns(cron, tz, Date.now(), NEXT_TIMES).map(iso) };
    },
  );

  app.get(
    '/v1/schedules/nights',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'What became of each schedule on each of the last 30 days',
        response: { 200: scheduleNights, ...refusals() },
      },
    },
    async () => {
      const now = Date.now();
      const from = now - NIGHTS * DAY_MS;
      return {
        schedules: catalog.list().map((record) => {
          const { name, tz, createdAt } = record;
          const isOfTimes = ({ changes }: ScheduleEdit) =>
            changes.some(({ field }) => field === 'cron' || field === 'tz');
          const since = Math.max(from, createdAt, catalog.edits(name, 0).find(isOfTimes)?.at ?? 0);
          const past = { runs: catalog.runsSince(name, from), pauses: catalog.pausesSince(name, from), since, now };
          return { name, tz, nights: nightsOf(record, lastDays(now, tz, NIGHTS), past) };
        }),
      };
    },
  );

  app.get(
    '/v1/schedules/:name',
    {
      config: { role: 'viewer' },
      schema: { tags, summary: 'A schedule', params, response: { 200: schedule, ...refusals('UNKNOWN_SCHEDULE') } },
    },
    async ({ params: { name } }) => viewOf(find(name)),
  );

  app.post(
    '/v1/schedules',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Add a schedule that reads what ROLLCALL_SOURCES allows',
        body: newSchedule,
        response: { 201: schedule, ...refusals('BAD_OPTION', 'BAD_BODY', 'SOURCE_NOT_ALLOWED', 'WRONG_STATE') },
      },
    },
    async ({ body: { name, copyOf, ...given }, who, ip }, reply) => {
      if (catalog.find(name) !== undefined) {
        const remedy = 'Take another name, or edit that schedule.';
        const detail = `There is a schedule ${JSON.stringify(name)} already.`;
        throw new Problem('WRONG_STATE', detail, { field: 'name', remedy });
      }
      const base = copyOf === undefined ? undefined : { record: find(copyOf), isEdited: false };
      const record = await schedules.add(await requestedSchedule(given, name, base, settings));
      note({ who, ip }, 'schedule.add', name, inShort({ ...given, file: shownFile(record), copyOf }));
      reply.header('location', `/v1/schedules/${name}`);
      return reply.code(201).send(viewOf(record));
    },
  );

  app.put(
    '/v1/schedules/:name',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Replace all settings of a schedule, unless another user has edited it since `version`',
        description: REPLACES,
        params,
        body: scheduleEdit,
        response: {
          200: editedSchedule,
          ...refusals(
            'BAD_OPTION',
            'BAD_BODY',
            'SOURCE_NOT_ALLOWED',
            'UNKNOWN_SCHEDULE',
            'WRONG_STATE',
            'EDITED_MEANWHILE',
          ),
        },
      },
    },
    async ({ params: { name }, body: { version, ...given }, who, ip }) => {
      const before = find(name);
      const request = await requestedSchedule(given, name, { record: before, isEdited: true }, settings);
      const record = await schedules.edit(request, version, who.name);
      const [edit] = record.version === before.version ? [] : catalog.edits(name, record.version - 1);
      const changes = [...(edit?.changes ?? [])];
      if (edit !== undefined) {
        const said = changes.map(({ field, from, to }) => `${field}: ${from || '–'} → ${to || '–'}`);
        note({ who, ip }, 'schedule.edit', name, said.join('; '));
      }
      return { ...viewOf(record), changes };
    },
  );

  tryRoute(app, context, catalog);
  scheduleLookRoute(app, context, catalog);
  sourcesRoute(app, context);

  app.get(
    '/v1/schedules/:name/history',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'Runs of a schedule, newest first, and the rows that keep failing, the oldest first',
        params,
        querystring: scheduleHistoryQuery,
        response: {
          200: scheduleHistory,
          ...refusals('BAD_OPTION', 'UNKNOWN_SCHEDULE'),
        },
      },
    },
    async ({ params: { name }, query: { limit } }) => {
      find(name);
      const failing = catalog.failures(name, limit).map(({ since, ...row }) => ({ ...row, since: iso(since) }));
      const edits = catalog
        .edits(name, 0)
        .map(({ at, changes, ...edit }) => ({ ...edit, at: iso(at), changes: [...changes] }));
      return { runs: catalog.runs(name, limit).map(runViewOf), failing, edits };
    },
  );

  for (const verb of Object.keys(VERBS) as (keyof typeof VERBS)[]) {
    app.post(
      `/v1/schedules/:name/${verb}`,
      {
        config: { role: 'operator' },
        schema: {
          tags,
          summary: VERBS[verb],
          params,
          response: { 200: schedule, ...refusals('UNKNOWN_SCHEDULE') },
        },
      },
      async ({ params: { name }, who, ip }) => {
        find(name);
        const record = schedules[verb](name);
        note({ who, ip }, `schedule.${verb}`, name);
        return viewOf(record);
      },
    );
  }

  app.post(
    '/v1/schedules/:name/run',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Begin a run now, in addition to those that are due',
        params,
        response: { 202: scheduleRun, ...refusals('UNKNOWN_SCHEDULE', 'WRONG_STATE') },
      },
    },
    async ({ params: { name }, who, ip }, reply) => {
      find(name);
      const run = schedules.run(name, who.name);
      note({ who, ip }, 'schedule.run', name);
      return reply.code(202).send(runViewOf(run));
    },
  );

  app.delete(
    '/v1/schedules/:name',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Remove a schedule with its history; its syncs stay',
        params,
        response: {
          204: z.void().meta({ description: 'Removed.' }),
          ...refusals('UNKNOWN_SCHEDULE', 'WRONG_STATE'),
        },
      },
    },
    async ({ params: { name }, who, ip }, reply) => {
      find(name);
      await schedules.remove(name);
      note({ who, ip }, 'schedule.remove', name);
      return reply.code(204).send();
    },
  );
}

function createOf(options: SyncOptions): ScheduleView['create'] {
  const shown = shownCreate(options);
  return shown && options.create ? { ...shown, settings: createSettingsOf(options.create) } : null;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
