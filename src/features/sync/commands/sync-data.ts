import { type DataDir, dataDir, hasCatalog } from '../../../platform/data-dir.ts';
import { openPlanReader, type PlanReader } from '../plan/plan-reading.ts';
import { planFiles } from '../plan/prepare.ts';
import { openSyncCatalogReader, type SyncCatalogReader, type SyncRecord } from '../sync-catalog.ts';
import { UnknownSync } from '../sync-errors.ts';

/** What commands read of the syncs in a data directory, even while another process writes to it. */

export function withSyncs<Result>(
  path: string,
  read: (syncs: SyncCatalogReader | undefined, dir: DataDir) => Result,
): Result {
  const dir = dataDir(path);
  const syncs = hasCatalog(dir) ? openSyncCatalogReader(dir.catalog) : undefined;
  try {
    return read(syncs, dir);
  } finally {
    syncs?.close();
  }
}

/** @throws UnknownSync */
export function findSync(path: string, id: string): SyncRecord {
  return withSyncs(path, (syncs) => {
    const record = syncs?.find(id);
    if (record === undefined) throw new UnknownSync(id);
    return record;
  });
}

/** Reads a sync's plan; undefined while it has none: it is being made, or could not be. */
export function withPlan<Result>(
  dir: DataDir,
  record: SyncRecord,
  read: (plan: PlanReader) => Result,
): Result | undefined {
  if (record.totals === null) return undefined;
  const plan = openPlanReader(planFiles(dir.sync(record.id)).plan);
  try {
    return read(plan);
  } finally {
    plan.close();
  }
}
