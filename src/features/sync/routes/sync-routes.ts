import { pageRoute } from '../../../server/console-files.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { handled } from '../../../server/perform.ts';
import { serveAll } from '../../../server/serve.ts';
import { syncOperations } from '../operations.ts';
import { planBytes } from '../plan/plan-download.ts';
import { planHandlers } from './plan-handlers.ts';
import { syncHandlers } from './sync-handlers.ts';

/** Syncs: the list, one, what can be done with it, and the undo of an import. Files of their plans are in plan-routes.ts. */
export function syncRoutes(app: Api, context: ServerContext): void {
  const { syncs, dir } = context;

  pageRoute(app, '/syncs');
  pageRoute(app, '/syncs/:id');
  pageRoute(app, '/syncs/new/columns');
  serveAll(app, handled(syncOperations, syncHandlers(context)));
  const { plan: _, ...plans } = planHandlers({ find: (id) => syncs.find(id), dir, pieces: planBytes });
  serveAll(app, handled(syncOperations, plans));
}
