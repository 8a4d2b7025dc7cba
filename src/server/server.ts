import { Registry } from 'prom-client';
import { importOperations } from '../api/imports.ts';
import { guard } from './access/guard.ts';
import { bareServer } from './bare-server.ts';
import { consoleRoutes } from './console-files.ts';
import { docsRoutes } from './docs.ts';
import { eventRoutes } from './events/routes.ts';
import { featureRoutes } from './feature-routes.ts';
import { healthRoutes } from './health.ts';
import { importHandlers } from './import-handlers.ts';
import { memberRoutes } from './member-routes.ts';
import { openContext } from './open-context.ts';
import { describeRoutes } from './openapi.ts';
import { rowRoutes } from './row-routes.ts';
import { serveAll } from './serve.ts';
import { serverMetrics } from './server-metrics.ts';
import type { ServerOptions } from './server-options.ts';
import { sessionRoutes } from './session.ts';
import { settingsRoutes } from './settings-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { uploadRoutes } from './uploads/routes.ts';

/** The HTTP API and the console over a coordinator; `listen` starts it, `close` ends event streams and requests in progress. */
export async function createServer(options: ServerOptions) {
  const { coordinator, access, registry = new Registry() } = options;
  let stopping = false;
  const app = await bareServer(options, () => stopping);
  const guarding = guard(app, access, options.tokenRequired);
  app.decorate('sendsTo', coordinator.sendsTo);
  const context = await openContext(app, { ...options, registry }, guarding.isStillAllowed);
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
  eventRoutes(app, context);
  settingsRoutes(app, context);
  await sessionRoutes(app, context, guarding, options.tokenRequired);
  tokenRoutes(app, context, options.tokenRequired);
  await uploadRoutes(app, context, { idleMs: options.uploadIdleMs ?? 60_000, most: options.maxUploads ?? 64 });
  docsRoutes(app);
  consoleRoutes(app);
  featureRoutes(app, context);
  return { app, context };
}
