import { isoTime } from '../../../api/fields.ts';
import { nextRuns } from '../../../queue/cron.ts';
import { pageRoute } from '../../../server/console-files.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { Problem } from '../../../server/problem.ts';
import { serve } from '../../../server/serve.ts';
import { shownFile } from '../../../sources/schemes.ts';
import { inShort } from '../../../text/wording.ts';
import { scheduleOperations } from '../operations.ts';
import { scheduleViews } from '../schedule-views.ts';
import { checkTimes, requestedSchedule } from './requested-schedule.ts';
import { lastNights } from './schedule-nights.ts';
import { scheduleLookRoute, tryRoute } from './try-schedule.ts';

const NEXT_TIMES = 5;

/** Schedules: the list, making and editing them, their runs, and their actions. */
export function scheduleRoutes(app: Api, context: ServerContext): void {
  const { syncCatalog, schedules, scheduleCatalog: catalog, settings, coordinator } = context;
  const ownSettings = { ...settings, ...coordinator.sendsTo };
  for (const url of ['/schedules', '/schedules/new', '/schedules/:name/edit']) pageRoute(app, url);
  const { view, runView, list, one, history } = scheduleViews(catalog, syncCatalog);

  serve(app, scheduleOperations.list, async () => list());

  serve(app, scheduleOperations.next, async ({ query: { cron, tz } }) => {
    checkTimes(cron, tz);
    return { next: nextRuns(cron, tz, Date.now(), NEXT_TIMES).map((at) => isoTime(at)) };
  });

  serve(app, scheduleOperations.nights, async () => lastNights(catalog));

  serve(app, scheduleOperations.one, async ({ params: { name } }) => one(name));

  serve(app, scheduleOperations.add, async ({ body: { name, ...given } }, reply, audited) => {
    if (catalog.find(name) !== undefined) {
      const remedy = 'Take another name, or edit that schedule.';
      const detail = `There is a schedule ${JSON.stringify(name)} already.`;
      throw new Problem('WRONG_STATE', detail, { field: 'name', remedy });
    }
    const request = await requestedSchedule(given, name, undefined, ownSettings);
    const record = await schedules.change({ verb: 'add', request });
    audited(inShort({ ...given, file: shownFile(record) }), name);
    reply.header('location', `/v1/schedules/${name}`);
    return view(record);
  });

  serve(app, scheduleOperations.edit, async ({ params: { name }, body: { version, ...given } }, _reply, audited) => {
    const request = await requestedSchedule(given, name, catalog.get(name), ownSettings);
    const record = await schedules.change({ verb: 'edit', request, version });
    audited(record.version === version ? null : inShort({ ...given, file: shownFile(record) }));
    return view(record);
  });

  tryRoute(app, context);
  scheduleLookRoute(app, context);

  serve(app, scheduleOperations.history, async ({ params: { name }, query: { limit } }) => history(name, limit));

  for (const verb of ['pause', 'resume'] as const) {
    serve(app, scheduleOperations[verb], async ({ params: { name } }) => view(await schedules.change({ verb, name })));
  }

  serve(app, scheduleOperations.run, async ({ params: { name }, who }) =>
    runView(schedules.runs.begin(name, who.name)),
  );

  serve(app, scheduleOperations.remove, async ({ params: { name } }) => {
    await schedules.change({ verb: 'remove', name });
  });
}
