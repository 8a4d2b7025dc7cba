import { Gauge, type Registry } from 'prom-client';
import { isFinalSync, SYNC_STATES } from '../../../membership/sync-state.ts';
import type { SyncCatalogReader } from '../sync-catalog.ts';

const NOT_OVER = SYNC_STATES.filter((state) => !isFinalSync(state));

export function syncMetrics(syncs: Pick<SyncCatalogReader, 'count'>, registry: Registry): void {
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
