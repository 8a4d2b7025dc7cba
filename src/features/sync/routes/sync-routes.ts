import type { SyncAction } from '../../../api/sync-entry.ts';
import { BadCursor } from '../../../imports/catalog.ts';
import { WrongState } from '../../../imports/import-errors.ts';
import { retryFile } from '../../../imports/report/report-paths.ts';
import { actionsOf } from '../../../membership/import-actions.ts';
import { isFinal } from '../../../membership/import-state.ts';
import { pageRoute } from '../../../server/console-files.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { badCursor } from '../../../server/cursors.ts';
import { Problem } from '../../../server/problem.ts';
import { serve } from '../../../server/serve.ts';
import { inShort } from '../../../text/wording.ts';
import { syncOperations } from '../operations.ts';
import { syncActionsOf } from '../plan/sync-view.ts';
import type { SyncRecord } from '../sync-catalog.ts';
import { decisionOf, undoQuery } from './sync-query.ts';

/** Syncs: the list, one, what can be done with it, and the undo of an import. Their plans are in plan-routes.ts. */
export function syncRoutes(app: Api, context: ServerContext): void {
  const { coordinator, syncs, syncCatalog, syncViews, reading, dir } = context;

  pageRoute(app, '/syncs');
  pageRoute(app, '/syncs/:id');
  serve(app, syncOperations.list, async ({ query: { state, limit, cursor } }) => {
    try {
      const page = syncCatalog.page({
        limit,
        ...(state !== undefined && { states: state }),
        ...(cursor !== undefined && { before: cursor }),
      });
      return { syncs: page.syncs.map(syncViews.entry), nextCursor: page.next ?? null };
    } catch (error) {
      throw error instanceof BadCursor ? badCursor(cursor ?? '') : error;
    }
  });

  serve(app, syncOperations.one, async ({ params: { id } }) => syncViews.whole(syncs.find(id)));

  /** @throws UnknownSync, Problem WRONG_STATE */
  const checked = (id: string, action: SyncAction): SyncRecord => {
    const record = syncs.find(id);
    const possible = syncActionsOf(record.state);
    if (!possible.includes(action)) {
      const detail = `Sync ${id} is ${record.state} and cannot be ${DONE[action]}.`;
      throw new Problem('WRONG_STATE', detail, { possible });
    }
    return record;
  };

  serve(app, syncOperations.apply, async ({ params: { id }, who }, _reply, audited) => {
    checked(id, 'apply');
    const record = await syncs.apply(id, who.name);
    audited(inShort({ file: record.file }));
    return syncViews.whole(record);
  });

  for (const action of ['approve', 'reject'] as const) {
    serve(app, syncOperations[action], async ({ params: { id }, body: { reason }, who }, _reply, audited) => {
      checked(id, action);
      const record = syncs[action](id, who.name, reason);
      audited(reason);
      return syncViews.whole(record);
    });
  }

  serve(app, { ...syncOperations.undo, query: undoQuery }, async ({ params: { id }, query, who }, reply, audited) => {
    const record = coordinator.find(id);
    const { state } = record;
    if (!isFinal(state)) {
      const possible = actionsOf(state, retryFile(dir.folder(id)) !== undefined);
      throw new WrongState(record, 'cannot be undone before it has finished', possible);
    }
    if (!reading.hasRows(id)) {
      throw new Problem('NO_ROWS_YET', `Nothing of import ${id} was sent: there is nothing to undo.`);
    }
    const made = await syncs.undo(id, { ...decisionOf(query), who: who.name });
    audited(`of ${id}`, made);
    reply.header('location', `/v1/syncs/${made}`);
    return syncViews.whole(syncs.find(made));
  });
}

const DONE: Readonly<Record<SyncAction, string>> = { apply: 'applied', approve: 'approved', reject: 'rejected' };
