import { check } from '../features/check/routes.ts';
import { exporting } from '../features/export/routes.ts';
import { inspecting } from '../features/inspect/routes.ts';
import { notifying } from '../features/notify/routes.ts';
import { recipes } from '../features/recipes/routes.ts';
import { repair } from '../features/repair/routes.ts';
import { schedule } from '../features/schedule/routes/feature.ts';
import { sync } from '../features/sync/routes/feature.ts';
import type { ServerFeature } from './context.ts';

/** The features' additions to the server: no other file of the server imports a feature. */
export const FEATURES: readonly ServerFeature[] = [
  recipes,
  inspecting,
  exporting,
  repair,
  check,
  sync,
  schedule,
  notifying,
];
