import { exportRoutes } from '../features/export/routes.ts';
import { repairRoutes } from '../features/repair/routes.ts';
import type { Api, ServerContext } from './context.ts';

/** The routes of each feature, for its API and its pages: the only file of the server that names features. */
export const FEATURES: readonly ((app: Api, context: ServerContext) => void)[] = [exportRoutes, repairRoutes];
