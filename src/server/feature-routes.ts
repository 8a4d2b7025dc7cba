import { checkRoutes } from '../features/check/routes.ts';
import { exportRoutes } from '../features/export/routes.ts';
import { notificationOperations } from '../features/notify/operations.ts';
import { notificationHandlers } from '../features/notify/routes.ts';
import { recipeRoutes } from '../features/recipes/routes.ts';
import { repairRoutes } from '../features/repair/routes.ts';
import { scheduleRoutes } from '../features/schedule/routes/schedule-routes.ts';
import { syncRoutes } from '../features/sync/routes/sync-routes.ts';
import type { Api, ServerContext } from './context.ts';
import { serveAll } from './serve.ts';

/** The routes of the features. */
export function featureRoutes(app: Api, context: ServerContext): void {
  recipeRoutes(app, context);
  exportRoutes(app, context);
  repairRoutes(app, context);
  checkRoutes(app, context);
  syncRoutes(app, context);
  scheduleRoutes(app, context);
  serveAll(app, notificationOperations, notificationHandlers(context));
}
