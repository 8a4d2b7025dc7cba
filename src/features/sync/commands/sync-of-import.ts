import type { Here } from '../../../cli/run.ts';
import type { Io } from '../../../cli/screen/io.ts';
import type { Config } from '../../../platform/config.ts';
import { readCatalog } from '../../../platform/data-dir.ts';
import { composeSyncs } from '../compose-syncs.ts';
import { openSyncCatalogReader } from '../sync-catalog.ts';

/** Runs the sync that an import carries out, if it does: the sync must know of the import's end. */
export function runSyncOf({ dataDir }: Config, io: Io, id: string, here: Here): void {
  const isOfSync = readCatalog(dataDir, openSyncCatalogReader, (syncs) => syncs?.find(id)) !== undefined;
  if (!isOfSync) return;
  const { coordinator, dir, service, log, onStop } = here;
  const syncs = composeSyncs(coordinator, dir, service, log, { stage: io.reading?.stage });
  onStop(() => syncs.stop());
}
