import { isFinalSync, type SyncState } from '../../../membership/sync-state.ts';
import type { ServerContext, ServerFeature } from '../../../server/context.ts';
import { MAX_LISTED } from '../../../server/overview.ts';
import { composeSyncs } from '../compose-syncs.ts';
import { LIMITS } from '../guard-limits.ts';
import type { SyncRunner } from '../run/runner-port.ts';
import { openSyncCatalogReader, type SyncCatalogReader } from '../sync-catalog.ts';
import { compareRoute } from './compare.ts';
import { syncControl } from './control.ts';
import { syncMetrics } from './metrics.ts';
import { planRoutes } from './plan-routes.ts';
import { syncRoutes } from './syncs.ts';
import { syncUploadRoute } from './upload.ts';
import { type SyncViews, syncViews } from './views.ts';

declare module '../../../server/context.ts' {
  interface ServerContext {
    readonly syncs: SyncRunner;
    /** For lists and journals. */
    readonly syncCatalog: SyncCatalogReader;
    readonly syncViews: SyncViews;
  }
}

const UNDER_WAY: readonly SyncState[] = ['planning', 'applying'];

/** Syncs beside a server. */
export const sync: ServerFeature = {
  open: ({ coordinator, dir, log, events, registry }, { service, config: { keepMs }, stage, onStop, fail }, app) => {
    const syncs = composeSyncs(coordinator, dir, service, log, { keepMs, stage });
    onStop(() => syncs.stop());
    syncs.events.on('failure', fail);
    syncs.events.on('state', ({ id, state }) => events.tell('sync', { id, state }));
    const syncCatalog = openSyncCatalogReader(dir.catalog);
    app.addHook('onClose', async () => syncCatalog.close());
    syncMetrics(syncCatalog, registry);
    return { syncs, syncCatalog, syncViews: syncViews(syncs, dir, syncCatalog) };
  },
  routes: (app, context) => {
    syncRoutes(app, context);
    planRoutes(app, context);
    compareRoute(app, context);
  },
  files: syncUploadRoute,
  view: async (context, { id }, before) => {
    const undos = await Promise.all(context.syncCatalog.undos(id).map((undo) => undoOf(context, undo)));
    return { ...before, followUps: [...before.followUps, ...undos] };
  },
  settings: () => ({ guardLimits: Object.entries(LIMITS).map(([name, limit]) => ({ name, ...limit })) }),
  overview: ({ syncCatalog, syncViews: { entry } }, before) => {
    const inState = (states: readonly SyncState[]) => syncCatalog.page({ states, limit: MAX_LISTED }).syncs.map(entry);
    return {
      ...before,
      syncs: inState(['held']),
      ready: { ...before.ready, syncs: inState(['planned']) },
      syncsUnderWay: inState(UNDER_WAY),
      needs: { ...before.needs, syncs: syncCatalog.count(['held']).get('held') ?? 0 },
    };
  },
  control: ({ syncs }) => syncControl(syncs),
  started: ({ syncs }) => syncs.continueAll(),
};

async function undoOf(
  { reading, views }: ServerContext,
  { id, state, importId }: ReturnType<SyncCatalogReader['undos']>[number],
) {
  const carrier = importId === null ? undefined : reading.find(importId);
  const rows = carrier === undefined ? null : await views.rows(carrier);
  return { kind: 'undo', id, state, isOpen: !isFinalSync(state), rows, isPart: false } as const;
}
