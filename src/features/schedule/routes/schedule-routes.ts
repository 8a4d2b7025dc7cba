import { pageRoute } from '../../../server/console-files.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { serveAll } from '../../../server/serve.ts';
import { scheduleOperations } from '../operations.ts';
import { changingHandlers, lookingHandlers, runningHandlers } from './handlers.ts';
import { lookHandler, tryHandler } from './try-schedule.ts';

/** Schedules: the list, making and editing them, their runs, and their actions. */
export function scheduleRoutes(app: Api, context: ServerContext): void {
  for (const url of ['/schedules', '/schedules/new', '/schedules/:name/edit']) pageRoute(app, url);
  serveAll(app, scheduleOperations, { ...scheduleHandlers(context, false), look: lookHandler(context) });
}

/** Does all operations on schedules, in the process that owns the data directory and stays. @param isHere for people on the machine */
export function scheduleHandlers(context: ServerContext, isHere: boolean) {
  const { schedules } = context;
  return {
    ...lookingHandlers(schedules.catalog),
    ...changingHandlers(schedules, isHere),
    ...runningHandlers(schedules.runs),
    try: tryHandler(context, isHere),
  };
}
