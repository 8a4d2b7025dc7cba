import { Gauge, type Registry } from 'prom-client';
import { z } from 'zod';
import type { Planning, SyncEntry } from '../../../api/sync-entry.ts';
import type { ControlHandler } from '../../../imports/life/control-socket.ts';
import { isFinalSync, SYNC_STATES, type SyncState } from '../../../membership/sync-state.ts';
import type { DataDir } from '../../../platform/data-dir.ts';
import type { ServerContext, ServerFeature } from '../../../server/context.ts';
import { MAX_LISTED } from '../../../server/overview-route.ts';
import type { SyncView } from '../api.ts';
import { composeSyncs } from '../compose-syncs.ts';
import { LIMITS } from '../guard-limits.ts';
import type { PlanningProgress } from '../plan/prepare.ts';
import { syncEntry, wholeSync } from '../plan/sync-view.ts';
import type { SyncRunner } from '../run/sync-runner.ts';
import { openSyncCatalogReader, type SyncCatalogReader, type SyncRecord } from '../sync-catalog.ts';
import { planRoutes } from './plan-routes.ts';
import { syncRoutes } from './sync-routes.ts';
import { syncUploadRoute } from './sync-upload.ts';

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

const decision = z.object({ who: z.string(), reason: z.string().default('') });

/** Returns the handler with which a server answers the commands that decide about stored plans. */
function syncControl(syncs: SyncRunner): ControlHandler {
  return (method, [first, id = '', verb], body) => {
    if (method !== 'POST' || first !== 'syncs') return undefined;
    const decide = (act: (who: string, reason: string) => unknown) => {
      const { who, reason } = decision.parse(body);
      return Promise.resolve().then(() => act(who, reason));
    };
    if (verb === 'apply') return decide((who) => syncs.apply(id, who));
    if (verb === 'approve' || verb === 'reject') return decide((who, reason) => syncs[verb](id, who, reason));
    return undefined;
  };
}

const NOT_OVER = SYNC_STATES.filter((state) => !isFinalSync(state));

function syncMetrics(syncs: Pick<SyncCatalogReader, 'count'>, registry: Registry): void {
  new Gauge({
    name: 'rollcall_syncs',
    help: 'Syncs that are not over, by state; held ones wait for a person',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const counts = syncs.count(NOT_OVER);
      for (const state of NOT_OVER) this.set({ state }, counts.get(state) ?? 0);
    },
  });
}

interface SyncViews {
  entry(record: SyncRecord): SyncEntry;
  whole(record: SyncRecord): SyncView;
}

/** Syncs with the progress of those that are being planned. */
function syncViews(
  syncs: Pick<SyncRunner, 'events'>,
  dir: DataDir,
  { transitions }: Pick<SyncCatalogReader, 'transitions'>,
): SyncViews {
  const planning = new Map<string, Planning>();
  syncs.events.on('planning', (id, progress) => planning.set(id, progressView(progress, planning.get(id)?.rows ?? 0)));
  syncs.events.on('state', ({ id, state }) => {
    if (state !== 'planning') planning.delete(id);
  });
  return {
    entry: (record) => syncEntry(record, planning.get(record.id)),
    whole: (record) => wholeSync(dir, record, transitions(record.id), planning.get(record.id)),
  };
}

function progressView(progress: PlanningProgress, rows: number): Planning {
  if (progress.step === 'reading') return { step: 'reading', rows: progress.rows, done: 0, groups: 0 };
  const { step, done, groups } = progress;
  return { step, rows, done, groups };
}
