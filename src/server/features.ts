import { check } from '../features/check/routes.ts';
import { exportRoutes } from '../features/export/routes.ts';
import { notifying } from '../features/notify/routes.ts';
import { recipeRoutes } from '../features/recipes/routes.ts';
import { repair } from '../features/repair/routes.ts';
import { schedule } from '../features/schedule/routes/feature.ts';
import { sync } from '../features/sync/routes/feature.ts';
import { undo } from '../features/undo/routes.ts';
import type { ServerFeature } from './context.ts';

/** What each feature adds to the server: the only file of the server that names features. */
export const FEATURES: readonly ServerFeature[] = [
  { routes: recipeRoutes },
  { routes: exportRoutes },
  repair,
  check,
  sync,
  undo,
  schedule,
  notifying,
];
