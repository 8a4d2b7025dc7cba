import type { Call, HandlersOf } from '../../../api/operation.ts';
import type { SyncAction } from '../../../api/sync-entry.ts';
import { BadCursor } from '../../../imports/catalog.ts';
import type { ServerContext } from '../../../server/context.ts';
import { badCursor } from '../../../server/cursors.ts';
import { inShort } from '../../../text/wording.ts';
import { decisionOf, type Sync } from '../kept-sync.ts';
import type { syncOperations } from '../operations.ts';
import { syncActionsOf } from '../plan/sync-view.ts';
import type { SyncCatalogReader } from '../sync-catalog.ts';
import { SyncRefused } from '../sync-errors.ts';
import type { SyncViews } from '../sync-views.ts';

interface SyncsRead extends SyncViews {
  /** @throws UnknownSync */
  readonly find: (id: string) => Sync;
  readonly page: SyncCatalogReader['page'];
}

/** The list of syncs and one of them, in any process that can read them. */
export function syncReadingHandlers({ find, page, entry, whole }: SyncsRead) {
  return {
    list: async ({ state, limit, cursor }) => {
      try {
        const { syncs, next = null } = page({
          limit,
          ...(state !== undefined && { states: state }),
          ...(cursor !== undefined && { before: cursor }),
        });
        return { syncs: syncs.map(entry), nextCursor: next };
      } catch (error) {
        throw error instanceof BadCursor ? badCursor(cursor ?? '') : error;
      }
    },
    one: async ({ id }) => whole(find(id)),
  } satisfies HandlersOf<typeof syncOperations>;
}

/** Syncs, in the process that plans them and carries them out. */
export function syncHandlers({
  syncs,
  syncCatalog,
  syncViews,
}: Pick<ServerContext, 'syncs' | 'syncCatalog' | 'syncViews'>): HandlersOf<typeof syncOperations> {
  /** @throws UnknownSync, SyncRefused */
  const checked = (id: string, action: SyncAction): Sync => {
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
    ...syncReadingHandlers({ find: (id) => syncs.find(id), page: syncCatalog.page, ...syncViews }),
    apply: async ({ id }, { who, audited }) => {
      checked(id, 'apply');
      const record = await syncs.apply(id, who);
      audited(inShort({ file: record.file }));
      return syncViews.whole(record);
    },
    undo: async ({ id, ...query }, { who, audited }) => {
      const made = await syncs.undo(id, { ...decisionOf(query), who });
      audited(`of ${id} ${inShort(query)}`.trimEnd(), made);
      return syncViews.whole(syncs.find(made));
    },
    approve: decide('approve'),
    reject: decide('reject'),
  };
}

const DONE = { apply: 'applied', approve: 'approved', reject: 'rejected' } as const;
