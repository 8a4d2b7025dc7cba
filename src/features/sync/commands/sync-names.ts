import type { Names } from '../../../cli/names.ts';
import { readCatalog } from '../../../platform/data-dir.ts';
import { openSyncCatalogReader } from '../sync-catalog.ts';

const MAX_NAMES = 50;

export const syncNames: Names = {
  wants: (_, argument) => argument.name() === 'id',
  local: async (dataDir) =>
    readCatalog(dataDir, openSyncCatalogReader, (reader) =>
      (reader?.list(MAX_NAMES) ?? []).map(({ id, state, file }) => [id, `${state}, ${file}`] as const),
    ),
};
