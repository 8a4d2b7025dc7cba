import { checkRoutes } from '../features/check/routes.ts';
import { exportRoutes } from '../features/export/routes.ts';
import { recipeRoutes } from '../features/recipes/routes.ts';
import { repairRoutes } from '../features/repair/routes.ts';
import { scheduleRoutes } from '../features/schedule/routes/schedules.ts';
import { compareRoute } from '../features/sync/routes/compare.ts';
import { planRoutes } from '../features/sync/routes/plan-routes.ts';
import { syncRoutes } from '../features/sync/routes/syncs.ts';
import { createdRoutes } from '../features/undo/routes.ts';
import type { Api, ServerContext } from './context.ts';

/** The routes of each feature, for its API and its pages: the only file of the server that names features. */
export const FEATURES: readonly ((app: Api, context: ServerContext) => void)[] = [
  exportRoutes,
  repairRoutes,
  syncRoutes,
  planRoutes,
  compareRoute,
  scheduleRoutes,
  recipeRoutes,
  checkRoutes,
  createdRoutes,
];
