import { importOperations } from '../api/imports.ts';
import { checkRoutes } from '../features/check/routes.ts';
import { correctionRoutes } from '../features/correct/routes.ts';
import { exportRoutes } from '../features/export/routes.ts';
import { notificationRoutes } from '../features/notify/routes.ts';
import { recipeRoutes } from '../features/recipes/routes.ts';
import { scheduleRoutes } from '../features/schedule/routes/schedule-routes.ts';
import { syncRoutes } from '../features/sync/routes/sync-routes.ts';
import { sessionRoutes, tokenRoutes } from './access/access-routes.ts';
import { guard } from './access/guard.ts';
import { bareServer } from './bare-server.ts';
import { consoleRoutes } from './console-files.ts';
import { openContext } from './context.ts';
import { docsRoutes } from './docs.ts';
import { importHandlers } from './import-handlers.ts';
import { memberRoutes } from './member-routes.ts';
import { describeRoutes } from './openapi.ts';
import { rowRoutes } from './row-routes.ts';
import { serveAll } from './serve.ts';
import { serverMetrics } from './server-metrics.ts';
import type { ServerOptions } from './server-options.ts';
import { eventRoutes, healthRoutes, settingsRoutes } from './service-routes.ts';
import { uploadRoutes } from './uploads/routes.ts';

/** The HTTP API and the console over a coordinator; `listen` starts it, `close` ends event streams and requests in progress. */
export async function createServer(options: ServerOptions) {
  const { coordinator, access, registry } = options;
  let stopping = false;
  const app = await bareServer(options, () => stopping);
  const whoIs = guard(app, access, options.tokenRequired);
  app.decorate('sendsTo', coordinator.sendsTo);
  const context = await openContext(app, options);
  app.addHook('preClose', async () => {
    stopping = true;
    context.events.close();
  });
  await describeRoutes(app);
  serverMetrics(app, context, registry);
  healthRoutes(app, context, registry);
  serveAll(app, importOperations, importHandlers(context));
  rowRoutes(app, context);
  memberRoutes(app, context);
  eventRoutes(app, context, whoIs);
  settingsRoutes(app, context);
  await sessionRoutes(app, context, whoIs, options.tokenRequired);
  tokenRoutes(app, context, options.tokenRequired);
  await uploadRoutes(app, context, { idleMs: options.uploadIdleMs ?? 60_000, most: options.maxUploads ?? 64 });
  docsRoutes(app);
  consoleRoutes(app);
  recipeRoutes(app, context);
  exportRoutes(app, context);
  correctionRoutes(app, context);
  checkRoutes(app, context);
  syncRoutes(app, context);
  scheduleRoutes(app, context);
  notificationRoutes(app, context);
  return { app, context };
}
