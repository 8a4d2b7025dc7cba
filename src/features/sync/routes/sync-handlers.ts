import type { Call, HandlersOf } from '../../../api/operation.ts';
import type { SyncAction } from '../../../api/sync-entry.ts';
import { isError } from '../../../errors/rollcall-error.ts';
import type { ServerContext } from '../../../server/context.ts';
import { badCursor } from '../../../server/cursors.ts';
import { inShort } from '../../../text/wording.ts';
import { decisionOf, type Sync } from '../kept-sync.ts';
import type { syncOperations } from '../operations.ts';
import type { SyncRunner } from '../run/sync-runner.ts';
import type { SyncCatalogReader } from '../sync-catalog.ts';
import { cannotDecide } from '../sync-errors.ts';
import type { SyncViews } from '../sync-views.ts';
import { syncActionsOf } from '../sync-views.ts';

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
        throw isError(error, 'BAD_CURSOR') ? badCursor(cursor ?? '') : error;
      }
    },
    one: async ({ id }) => whole(find(id)),
  } satisfies HandlersOf<typeof syncOperations>;
}

/** Checks that a sync can be decided about. @throws UnknownSync, SyncRefused */
function decidable(find: SyncsRead['find'], id: string, action: SyncAction): Sync {
  const sync = find(id);
  const possible = syncActionsOf(sync.state);
  if (!possible.includes(action)) throw cannotDecide(sync, DONE[action], possible);
  return sync;
}

const DONE = { apply: 'applied', approve: 'approved', reject: 'rejected' } as const;

type Deciding = Pick<SyncsRead, 'find' | 'whole'>;

const decided =
  ({ find, whole }: Deciding, action: 'approve' | 'reject', decide: SyncRunner['approve']) =>
  async ({ id, reason }: { readonly id: string; readonly reason: string }, { who, audited }: Call) => {
    decidable(find, id, action);
    const sync = decide(id, who, reason);
    audited(reason);
    return whole(sync);
  };

/** The rejection of a plan, in any process that owns the data directory. */
export function rejecting({ reject, ...syncs }: Deciding & Pick<SyncRunner, 'reject'>) {
  return decided(syncs, 'reject', reject);
}

/** Syncs, in the process that plans them and carries them out. */
export function syncHandlers({
  syncs,
  syncCatalog,
  syncViews,
}: Pick<ServerContext, 'syncs' | 'syncCatalog' | 'syncViews'>): HandlersOf<typeof syncOperations> {
  const find = (id: string) => syncs.find(id);
  const { whole } = syncViews;
  return {
    ...syncReadingHandlers({ find, page: syncCatalog.page, ...syncViews }),
    undo: async ({ id, ...query }, { who, audited }) => {
      const made = await syncs.undo(id, { ...decisionOf(query), who });
      audited(`of ${id} ${inShort(query)}`.trimEnd(), made);
      return whole(find(made));
    },
    apply: async ({ id }, { who, audited }) => {
      // One whose import was interrupted is continued.
      if (find(id).state !== 'applying') decidable(find, id, 'apply');
      const sync = await syncs.apply(id, who);
      audited(inShort({ file: sync.file }));
      return whole(sync);
    },
    approve: decided({ find, whole }, 'approve', (...asked) => syncs.approve(...asked)),
    reject: rejecting({ find, whole, reject: (...asked) => syncs.reject(...asked) }),
  };
}
