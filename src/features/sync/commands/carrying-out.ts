import type { CarryingOut } from '../../../cli/feature.ts';
import { readCatalog } from '../../../platform/data-dir.ts';
import { composeSyncs } from '../compose-syncs.ts';
import { openSyncCatalogReader } from '../sync-catalog.ts';

export const carryingOut: CarryingOut = {
  beside: ({ dataDir }, io, id, { coordinator, dir, service, log, onStop }) => {
    const isOfSync = readCatalog(dataDir, openSyncCatalogReader, (syncs) => syncs?.find(id)) !== undefined;
    if (!isOfSync) return;
    const syncs = composeSyncs(coordinator, dir, service, log, { stage: io.reading?.stage });
    onStop(() => syncs.stop());
  },
};
