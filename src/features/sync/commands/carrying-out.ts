import type { CarryingOut } from '../../../cli/feature.ts';
import { composeSyncs } from '../compose-syncs.ts';
import { withSyncs } from './sync-data.ts';

export const carryingOut: CarryingOut = {
  beside: ({ dataDir }, io, id, { coordinator, dir, service, log, onStop }) => {
    const isOfSync = withSyncs(dataDir, (syncs) => syncs?.find(id)) !== undefined;
    if (!isOfSync) return;
    const syncs = composeSyncs(coordinator, dir, service, log, { stage: io.reading?.stage });
    onStop(() => syncs.stop());
  },
};
