import type { Call, HandlersOf } from '../../../api/operation.ts';
import type { SyncAction } from '../../../api/sync-entry.ts';
import { BadCursor } from '../../../imports/catalog.ts';
import { WrongState } from '../../../imports/import-errors.ts';
import { retryFile } from '../../../imports/report/report-paths.ts';
import { actionsOf } from '../../../membership/import-actions.ts';
import { isFinal } from '../../../membership/import-state.ts';
import { pageRoute } from '../../../server/console-files.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { badCursor } from '../../../server/cursors.ts';
import { handled } from '../../../server/perform.ts';
import { serve, serveAll } from '../../../server/serve.ts';
import { inShort } from '../../../text/wording.ts';
import { syncOperations } from '../operations.ts';
import { syncActionsOf } from '../plan/sync-view.ts';
import type { SyncRecord } from '../sync-catalog.ts';
import { SyncRefused } from '../sync-errors.ts';
import { decisionOf, undoQuery } from './sync-query.ts';

/** Syncs: the list, one, what can be done with it, and the undo of an import. Their plans are in plan-routes.ts. */
export function syncRoutes(app: Api, context: ServerContext): void {
  const { coordinator, syncs, syncViews, reading, dir } = context;

  pageRoute(app, '/syncs');
  pageRoute(app, '/syncs/:id');
  serveAll(app, handled(syncOperations, syncHandlers(context)));

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

/** Syncs, in any process that plans them and stays. */
export function syncHandlers({
  syncs,
  syncCatalog,
  syncViews,
}: Pick<ServerContext, 'syncs' | 'syncCatalog' | 'syncViews'>): HandlersOf<typeof syncOperations> {
  /** @throws UnknownSync, SyncRefused */
  const checked = (id: string, action: SyncAction): SyncRecord => {
    const record = syncs.find(id);
    const possible = syncActionsOf(record.state);
    if (!possible.includes(action)) throw SyncRefused.decision(record, DONE[action], possible);
    return record;
  };
  const decide =
    (action: 'approve' | 'reject') =>
    async ({ id, reason }: { readonly id: string; readonly reason: string }, { who, audited }: Call) => {
      checked(id, action);
      const record = syncs[action](id, who, reason);
      audited(reason);
      return syncViews.whole(record);
    };
  return {
    list: async ({ state, limit, cursor }) => {
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
    },
    one: async ({ id }) => syncViews.whole(syncs.find(id)),
    apply: async ({ id }, { who, audited }) => {
      checked(id, 'apply');
      const record = await syncs.apply(id, who);
      audited(inShort({ file: record.file }));
      return syncViews.whole(record);
    },
    approve: decide('approve'),
    reject: decide('reject'),
  };
}

const DONE = { apply: 'applied', approve: 'approved', reject: 'rejected' } as const;
