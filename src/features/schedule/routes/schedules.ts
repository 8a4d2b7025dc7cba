import { createSettingsOf } from '../../../options/create-options.ts';
import { nextRuns } from '../../../queue/cron.ts';
import { noting } from '../../../server/access/noting.ts';
import { pageRoute } from '../../../server/console-files.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { Problem } from '../../../server/problem.ts';
import { serve } from '../../../server/serve.ts';
import { shownFile } from '../../../sources/schemes.ts';
import { inShort } from '../../../text/wording.ts';
import { readTotals } from '../../sync/plan/plan-totals.ts';
import { UnknownSync } from '../../sync/sync-errors.ts';
import { readSyncOptions, type SyncOptions, shownCreate } from '../../sync/sync-options.ts';
import type { ScheduleRunView, ScheduleView } from '../api.ts';
import { scheduleOperations } from '../operations.ts';
import type { ScheduleEdit, ScheduleRecord, ScheduleRun } from '../schedule-catalog.ts';
import { scheduleLookRoute } from './look.ts';
import { lastDays, nightsOf } from './nights.ts';
import { checkTimes, readingView, requestedSchedule } from './requested-schedule.ts';
import { sourcesRoute } from './sources.ts';
import { tryRoute } from './try.ts';

const SHOWN_TIMES = 3;
const NEXT_TIMES = 5;
const NIGHTS = 30;
const DAY_MS = 86_400_000;

/** Schedules: the list, making and editing them, their runs, and their actions. */
export function scheduleRoutes(app: Api, context: ServerContext): void {
  const { syncs, schedules, scheduleCatalog: catalog, access, settings } = context;
  const note = noting(access);
  for (const url of ['/schedules', '/schedules/new', '/schedules/:name/edit']) pageRoute(app, url);
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
      flags,
      create: createOf(options),
      limits: { ...limits },
      ...(giveUpAfterMs !== undefined && { giveUpAfterMs }),
      createdAt: iso(createdAt),
      next: paused ? [] : [nextDue, ...nextRuns(cron, tz, nextDue, SHOWN_TIMES - 1)].map(iso),
      lastRun: lastRun === undefined ? null : runViewOf(lastRun),
    };
  };

  serve(app, scheduleOperations.list, async () => ({ schedules: catalog.list().map(viewOf) }));

  serve(app, scheduleOperations.next, async ({ query: { cron, tz } }) => {
    checkTimes(cron, tz);
    return { next: nextRuns(cron, tz, Date.now(), NEXT_TIMES).map(iso) };
  });

  serve(app, scheduleOperations.nights, async () => {
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
  });

  serve(app, scheduleOperations.one, async ({ params: { name } }) => viewOf(find(name)));

  serve(app, scheduleOperations.add, async ({ body: { name, copyOf, ...given }, who, ip }, reply) => {
    if (catalog.find(name) !== undefined) {
      const remedy = 'Take another name, or edit that schedule.';
      const detail = `There is a schedule ${JSON.stringify(name)} already.`;
      throw new Problem('WRONG_STATE', detail, { field: 'name', remedy });
    }
    const base = copyOf === undefined ? undefined : { record: find(copyOf), isEdited: false };
    const record = await schedules.add(await requestedSchedule(given, name, base, settings));
    note({ who, ip }, 'schedule.add', name, inShort({ ...given, file: shownFile(record), copyOf }));
    reply.header('location', `/v1/schedules/${name}`);
    return viewOf(record);
  });

  serve(app, scheduleOperations.edit, async ({ params: { name }, body: { version, ...given }, who, ip }) => {
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
  });

  tryRoute(app, context, catalog);
  scheduleLookRoute(app, context, catalog);
  sourcesRoute(app, context);

  serve(app, scheduleOperations.history, async ({ params: { name }, query: { limit } }) => {
    find(name);
    const failing = catalog.failures(name, limit).map(({ since, ...row }) => ({ ...row, since: iso(since) }));
    const edits = catalog
      .edits(name, 0)
      .map(({ at, changes, ...edit }) => ({ ...edit, at: iso(at), changes: [...changes] }));
    return { runs: catalog.runs(name, limit).map(runViewOf), failing, edits };
  });

  for (const verb of ['pause', 'resume'] as const) {
    serve(app, scheduleOperations[verb], async ({ params: { name }, who, ip }) => {
      find(name);
      const record = schedules[verb](name);
      note({ who, ip }, `schedule.${verb}`, name);
      return viewOf(record);
    });
  }

  serve(app, scheduleOperations.run, async ({ params: { name }, who, ip }) => {
    find(name);
    const run = schedules.run(name, who.name);
    note({ who, ip }, 'schedule.run', name);
    return runViewOf(run);
  });

  serve(app, scheduleOperations.remove, async ({ params: { name }, who, ip }) => {
    find(name);
    await schedules.remove(name);
    note({ who, ip }, 'schedule.remove', name);
  });
}

function createOf(options: SyncOptions): ScheduleView['create'] {
  const shown = shownCreate(options);
  return shown && options.create ? { ...shown, settings: createSettingsOf(options.create) } : null;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
