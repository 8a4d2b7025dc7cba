import { WrongState } from '../../../imports/import-errors.ts';
import { retryFile } from '../../../imports/report/report-paths.ts';
import { actionsOf } from '../../../membership/import-actions.ts';
import { isFinal } from '../../../membership/import-state.ts';
import { pageRoute } from '../../../server/console-files.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { handled } from '../../../server/perform.ts';
import { serve, serveAll } from '../../../server/serve.ts';
import { syncOperations } from '../operations.ts';
import { planBytes } from '../plan/plan-download.ts';
import { planHandlers } from './plan-handlers.ts';
import { syncHandlers } from './sync-handlers.ts';
import { decisionOf, undoQuery } from './sync-query.ts';

/** Syncs: the list, one, what can be done with it, and the undo of an import. Files of their plans are in plan-routes.ts. */
export function syncRoutes(app: Api, context: ServerContext): void {
  const { coordinator, syncs, syncViews, reading, dir } = context;

  pageRoute(app, '/syncs');
  pageRoute(app, '/syncs/:id');
  serveAll(app, handled(syncOperations, syncHandlers(context)));
  const { plan: _, ...plans } = planHandlers({ find: (id) => syncs.find(id), dir, pieces: planBytes });
  serveAll(app, handled(syncOperations, plans));

  serve(app, { ...syncOperations.undo, query: undoQuery }, async ({ params: { id }, query, who }, reply, audited) => {
    const record = coordinator.find(id);
    const { state } = record;
    if (!isFinal(state)) {
      const possible = actionsOf(state, retryFile(dir.folder(id)) !== undefined);
      throw new WrongState(record, 'cannot be undone before it has finished', possible);
    }
    // One that was rejected has none.
    reading.rowsOf(id);
    const made = await syncs.undo(id, { ...decisionOf(query), who: who.name });
    audited(`of ${id}`, made);
    reply.header('location', `/v1/syncs/${made}`);
    return syncViews.whole(syncs.find(made));
  });
}
