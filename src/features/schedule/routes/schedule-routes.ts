import { isoTime } from '../../../api/fields.ts';
import type { HandlersOf } from '../../../api/operation.ts';
import { nextRuns } from '../../../queue/cron.ts';
import { pageRoute } from '../../../server/console-files.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { type Handled, handled } from '../../../server/perform.ts';
import { Problem } from '../../../server/problem.ts';
import { serveAll } from '../../../server/serve.ts';
import { shownFile } from '../../../sources/schemes.ts';
import { inShort } from '../../../text/wording.ts';
import { changeText, ownerOperations } from '../change-schedule.ts';
import { scheduleOperations } from '../operations.ts';
import { scheduleViews } from '../schedule-views.ts';
import { checkTimes, requestedSchedule } from './requested-schedule.ts';
import { lastNights } from './schedule-nights.ts';
import { scheduleLookRoute, tryRoute } from './try-schedule.ts';

const NEXT_TIMES = 5;

/** Schedules: the list, making and editing them, their runs, and their actions. */
export function scheduleRoutes(app: Api, context: ServerContext): void {
  for (const url of ['/schedules', '/schedules/new', '/schedules/:name/edit']) pageRoute(app, url);
  serveAll(app, handled(scheduleOperations, scheduleHandlers(context)));
  tryRoute(app, context);
  scheduleLookRoute(app, context);
}

function scheduleHandlers({
  syncCatalog,
  schedules,
  scheduleCatalog: catalog,
  settings,
  coordinator,
}: ServerContext): HandlersOf<typeof scheduleOperations> {
  const ownSettings = { ...settings, ...coordinator.sendsTo };
  const { view, runView, list, one, history } = scheduleViews(catalog, syncCatalog);
  return {
    list: async () => list(),
    next: async ({ cron, tz }) => {
      checkTimes(cron, tz);
      return { next: nextRuns(cron, tz, Date.now(), NEXT_TIMES).map((at) => isoTime(at)) };
    },
    nights: async () => lastNights(catalog),
    one: async ({ name }) => one(name),
    add: async ({ name, ...given }, { audited }) => {
      if (catalog.find(name) !== undefined) {
        const remedy = 'Take another name, or edit that schedule.';
        const detail = `There is a schedule ${JSON.stringify(name)} already.`;
        throw new Problem('WRONG_STATE', detail, { field: 'name', remedy });
      }
      const request = await requestedSchedule(given, name, undefined, ownSettings);
      const record = await schedules.change({ verb: 'add', request });
      audited(inShort({ ...given, file: shownFile(record) }), name);
      return view(record);
    },
    edit: async ({ name, version, ...given }, { audited }) => {
      const request = await requestedSchedule(given, name, catalog.get(name), ownSettings);
      const record = await schedules.change({ verb: 'edit', request, version });
      audited(record.version === version ? null : inShort({ ...given, file: shownFile(record) }));
      return view(record);
    },
    history: async ({ name, limit }) => history(name, limit),
    pause: async ({ name }) => view(await schedules.change({ verb: 'pause', name })),
    resume: async ({ name }) => view(await schedules.change({ verb: 'resume', name })),
    run: async ({ name }, { who }) => runView(schedules.runs.begin(name, who)),
    remove: async ({ name }) => void (await schedules.change({ verb: 'remove', name })),
  };
}

/** The operations on schedules that a server does for commands on its machine, which may name any file. */
export function scheduleOwner(context: ServerContext): readonly Handled[] {
  return [
    handled(scheduleOperations, scheduleHandlers(context)),
    handled(ownerOperations, {
      change: async (change, { audited }) => {
        const record = await context.schedules.change(change);
        audited(changeText(change), record.name, `schedule.${change.verb}`);
        return record;
      },
    }),
  ];
}
