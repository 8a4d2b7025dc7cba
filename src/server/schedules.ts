import { z } from 'zod';
import {
  type ScheduleRunView,
  type ScheduleView,
  schedule,
  scheduleHistory,
  scheduleHistoryQuery,
  scheduleRun,
  schedulesAnswer,
} from '../api/schedules.ts';
import { nextRuns } from '../queue/cron.ts';
import {
  openScheduleCatalogReader,
  type ScheduleRecord,
  type ScheduleRun,
} from '../syncs/schedule/schedule-catalog.ts';
import { addressName, isAddress } from '../syncs/schedule/source.ts';
import { UnknownSync } from '../syncs/sync-errors.ts';
import { readSyncOptions } from '../syncs/sync-options.ts';
import { noting } from './access/noting.ts';
import type { Api, ServerContext } from './context.ts';
import { Problem } from './problem.ts';
import { refusals } from './problem-schema.ts';

const params = z.object({ name: z.string().meta({ description: 'Name of a schedule.' }) });
const tags = ['schedules'];
const SHOWN_TIMES = 3;

const VERBS = {
  pause: 'Let nothing be due, nor missed, until `resume`',
  resume: 'Continue a schedule that is paused',
} as const;

/**
 * Schedules: what there is, what came of them, and what can be done with them. None is made here: a schedule names files
 * of the server's machine and addresses that it fetches, which is for those who may log in there.
 */
export function scheduleRoutes(app: Api, { dir, syncs, schedules, access }: ServerContext): void {
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
      const { state, totals } = syncs.find(id);
      return { id, state, totals: totals === null ? null : JSON.parse(totals) };
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
    const { flags, limits, apply, sandbox } = readSyncOptions(record);
    const [lastRun] = catalog.runs(name, 1);
    return {
      ...{ name, cron, tz, protectFile, apply, sandbox, repair, catchUp, paused },
      file: isAddress(file) ? addressName(new URL(file)) : file,
      headers: { ...headers },
      flags: { ...flags, protect: [...flags.protect], removeByName: [...flags.removeByName] },
      limits: { ...limits },
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
      return { runs: catalog.runs(name, limit).map(runViewOf), failing };
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
        summary: 'Begin a run now, besides those that are due',
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

function iso(at: number): string {
  return new Date(at).toISOString();
}
